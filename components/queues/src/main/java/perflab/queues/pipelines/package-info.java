/**
 * The pipelines: one class for each way to hand out words, on the libraries as they come.
 *
 * <pre>
 *   SharedQueue      P -> [ | | | ] -> W W W       a worker takes the next word when it is free
 *   QueuePerWorker   P -> [ | ] -> W               the words are dealt in turn; who gets the large ones
 *                     `-> [ | ] -> W               falls behind
 * </pre>
 *
 * Where the report's name has <i>fair</i> in it, the queue is shared. Its saved runs show the difference: with a few large words between
 * small ones (mode {@code cost}) the fair variant of Quasar is three times as fast as the other, that of JCTools a quarter to a half.
 */
package perflab.queues.pipelines;
