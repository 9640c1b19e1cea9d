package perflab.mailbox.bench;

/**
 * A message of a burst.
 *
 * @param producer who sent it, from 0
 * @param sequence its place among the producer's messages, from 0
 */
record Message(int producer, int sequence) {}
