/**
 * An actor layer small enough to read: {@link perflab.mailbox.actor.MailboxActors} is a mailbox, a loop and a thread per
 * actor; {@link perflab.mailbox.actor.ActorSystem} is what scenarios see, of it and of other people's systems.
 */
package perflab.mailbox.actor;
