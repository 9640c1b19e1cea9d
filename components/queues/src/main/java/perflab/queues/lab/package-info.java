/**
 * The lab's own pipeline. It has no queue: what a queue costs, a hand-over and a wake-up for each word, is what the others lose by.
 */
package perflab.queues.lab;
