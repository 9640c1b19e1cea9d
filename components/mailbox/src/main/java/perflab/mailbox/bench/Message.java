package perflab.mailbox.bench;

import java.util.stream.IntStream;

/**
 * A message, or a question, to the actor that is measured.
 *
 * @param sender who sent it, from 0
 * @param sequence its place among the sender's messages, from 0
 */
record Message(int sender, int sequence) {

    /** The first messages of a sender, in order. */
    static Message[] of(int sender, int count) {
        return IntStream.range(0, count)
                .mapToObj(sequence -> new Message(sender, sequence))
                .toArray(Message[]::new);
    }
}
