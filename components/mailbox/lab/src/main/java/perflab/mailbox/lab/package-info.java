/**
 * The lab's own mailbox: many producers, one consumer, messages in chunks, and the two facts that need a wake-up, "the consumer
 * sleeps" and "a producer waits for room", in the lowest bits of the two words that count messages.
 *
 * <pre>
 *            claims: tickets given out * 4 | closed | consumer sleeps   taken: tickets received * 4 | producer waits
 *
 *   P1 --.   fetch-and-add: a ticket, and whether to wake                        fetch-and-add: whether to wake
 *   P2 ---+----&gt; [ chunk ] ---next---&gt; [ chunk ] ---next---&gt; null      ----&gt; C
 *   P3 --'          ^ head                ^ tail (or a chunk before the last)
 * </pre>
 *
 * <p>{@link perflab.mailbox.lab.UnboundedMailbox} and {@link perflab.mailbox.lab.BoundedMailbox} differ in how a ticket is
 * claimed and in whether {@code taken} is announced; all else is {@link perflab.mailbox.lab.ChunkedMailbox}, which holds the
 * proof of what they share.
 *
 * <p><b>Names of accesses</b>, as in JCTools: {@code lp/sp} plain, {@code so} ordered ({@code setRelease}), {@code la} acquire
 * ({@code getAcquire}), {@code lv} volatile, {@code cas} and {@code xadd} volatile read and write in one. A plain access needs a
 * reason, given where it is.
 *
 * <p><b>Sources.</b> Chunks behind a fetch-and-add: the queues of JCTools, crossbeam and folly. The sleeping consumer's bit in the
 * producers' index: JCTools' MpscBlockingConsumerArrayQueue, where a compare-and-set sets it and the claim clears it. Spinning for as
 * long as parking would cost: Karlin, Li, Manasse and Owicki, "Empirical Studies of Competitive Spinning" (1991).
 */
package perflab.mailbox.lab;
