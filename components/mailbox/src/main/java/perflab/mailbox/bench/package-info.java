/** The bench program: what is measured of a mailbox, and which mailboxes there are to measure. */
package perflab.mailbox.bench;
