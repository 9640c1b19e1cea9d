package perflab.mailbox.bench;

import java.util.stream.IntStream;

/**
 * A message of a producer.
 *
 * @param producer who sent it, from 0
 * @param sequence its place among the producer's messages, from 0
 */
record Message(int producer, int sequence) {

    /** The first messages of a producer, in order. */
    static Message[] of(int producer, int count) {
        return IntStream.range(0, count)
                .mapToObj(sequence -> new Message(producer, sequence))
                .toArray(Message[]::new);
    }
}
