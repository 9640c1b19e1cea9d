/**
 * The mailboxes of a report, Cajun's "Performance Improvements (v0.2.0)": the classes here re-implement the algorithms that it
 * compares, from a description of them. What they implement, {@link perflab.mailbox.Mailbox}, comes from the jar in {@code lab/}.
 */
package perflab.mailbox;
