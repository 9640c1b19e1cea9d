package perflab.mailbox.bench;

/**
 * A message of a wake-up.
 *
 * @param number its place among all messages of the run, from 0
 */
record Ping(long number) {}
