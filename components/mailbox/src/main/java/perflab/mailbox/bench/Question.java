package perflab.mailbox.bench;

import java.util.stream.IntStream;

/**
 * A question to an actor.
 *
 * @param asker who asks it, from 0
 * @param number its place among the asker's questions, from 0
 */
record Question(int asker, int number) {

    /** The first questions of an asker, in order. */
    static Question[] of(int asker, int count) {
        return IntStream.range(0, count)
                .mapToObj(number -> new Question(asker, number))
                .toArray(Question[]::new);
    }
}
