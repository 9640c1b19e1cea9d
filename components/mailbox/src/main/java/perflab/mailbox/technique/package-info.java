/** The report's "future optimizations", which upstream never built, each around what upstream has. */
package perflab.mailbox.technique;
