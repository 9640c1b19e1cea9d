/**
 * The report's six ways to play: which words come, how fast, how much work each is, how many may be under way, and what else
 * the processors have to do meanwhile.
 */
package perflab.queues.modes;
