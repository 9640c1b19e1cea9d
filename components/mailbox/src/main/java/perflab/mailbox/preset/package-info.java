/** Mailboxes by workload: the report's mapping, the provider as published and one that does what it says. */
package perflab.mailbox.preset;
