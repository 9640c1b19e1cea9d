/**
 * Actor mailboxes: the queue between those who tell an actor something and the one thread that is the actor.
 *
 * <pre>
 *   P1 --.
 *   P2 ---+--> Mailbox --> C     (many producers, one consumer: MPSC)
 *   P3 --'
 * </pre>
 *
 * <p>The report is Cajun's "Performance Improvements (v0.2.0)"; the classes here re-implement the algorithms that it
 * compares, from a description of them.
 */
package perflab.mailbox;
