/**
 * What a user would pick instead: libraries as they come, each behind the interface of this component and used the way its
 * own documentation does.
 */
package perflab.mailbox.peer;
