/** The two lists of {@code datasets/words}, as resources of this jar. */
package perflab.queues.words;
