/** The bench program: the report's modes as scenarios, and the pipelines that play them. */
package perflab.queues.bench;
