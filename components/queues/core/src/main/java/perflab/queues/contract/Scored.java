package perflab.queues.contract;

import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** A scorer that keeps account of how often it got which word. */
final class Scored implements Consumer<String> {

    private final Map<String, Integer> times = new ConcurrentHashMap<>();

    @Override
    public void accept(String word) {
        times.merge(word, 1, Integer::sum);
    }

    static Iterator<String> numbered(int words) {
        return IntStream.range(0, words).mapToObj(Integer::toString).iterator();
    }

    /** The same, which fails when two threads are in it at once. */
    static Iterator<String> guarded(int words) {
        Iterator<String> source = numbered(words);
        AtomicInteger readers = new AtomicInteger();
        return new Iterator<String>() {
            @Override
            public boolean hasNext() {
                return alone(source::hasNext);
            }

            @Override
            public String next() {
                return alone(source::next);
            }

            private <T> T alone(Supplier<T> step) {
                Promise.require(readers.getAndIncrement() == 0, "two threads read the source at once");
                Thread.onSpinWait(); // a step that takes no time would hide it
                T result = step.get();
                readers.getAndDecrement();
                return result;
            }
        };
    }

    static Iterator<String> throwingAfter(int words) {
        return IntStream.range(0, Integer.MAX_VALUE)
                .mapToObj(i -> {
                    if (i >= words) {
                        throw new IllegalStateException("the source has failed");
                    }
                    return Integer.toString(i);
                })
                .iterator();
    }

    boolean eachOnce(int words) {
        return times.size() == words && times.values().stream().allMatch(count -> count == 1);
    }

    String evidence(int words) {
        int most = times.values().stream().mapToInt(Integer::intValue).max().orElse(0);
        return times.size() + " of " + words + " words were scored, one of them " + most + " times";
    }
}
