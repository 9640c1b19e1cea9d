/** The consumer's side of a mailbox: the loop that an actor's thread runs, and its life. */
package perflab.mailbox.actor;
