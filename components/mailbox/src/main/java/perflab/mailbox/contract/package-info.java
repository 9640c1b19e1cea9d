/** What every mailbox has to keep, as checks that the tests and the bench program's {@code contract} command share. */
package perflab.mailbox.contract;
