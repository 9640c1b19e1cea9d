package perflab.mailbox.bench;

import java.util.stream.IntStream;

/** A message, or a question, to the actor that is measured. */
record Message(int sender, int sequence) {

    static Message[] of(int sender, int count) {
        return IntStream.range(0, count)
                .mapToObj(sequence -> new Message(sender, sequence))
                .toArray(Message[]::new);
    }
}
