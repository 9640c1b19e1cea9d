/** What every pipeline promises, and how to find out whether it keeps it: on any Java release, in both bench programs. */
package perflab.queues.contract;
