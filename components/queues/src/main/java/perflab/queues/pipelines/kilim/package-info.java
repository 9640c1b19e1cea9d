/**
 * Kilim 2.0.2. What may pause is rewritten into state machines by Kilim's weaver, which the build runs on this package alone; the
 * weaver gets a newer ASM than it was published with, which can read today's class files.
 */
package perflab.queues.pipelines.kilim;
