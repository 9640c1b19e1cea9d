/** Threads without actors: what the report compares actors with. */
package perflab.mailbox.baseline;
