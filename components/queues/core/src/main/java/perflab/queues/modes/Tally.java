package perflab.queues.modes;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How many words each thread has scored in one run. A thread is a worker where each worker has one of its own. Actors, coroutines,
 * fibers and Kilim's tasks move between the threads of a pool, or share one: there it is the pool's threads that are counted.
 */
final class Tally {

    private static final double PPM = 1e6;

    /** Written by its own thread; read when the run has ended, which is after all of it. */
    private static final class Count {
        private long words;
    }

    private final Map<Thread, Count> counts = new ConcurrentHashMap<>();

    void add() {
        Thread self = Thread.currentThread();
        Count count = counts.get(self);
        if (count == null) {
            count = new Count();
            counts.put(self, count);
        }
        count.words++;
    }

    long words() {
        return counts.values().stream().mapToLong(count -> count.words).sum();
    }

    /**
     * Jain's index of fairness between the threads that scored: (sum x)^2 / (n sum x^2), where x is the number of words of a thread. One
     * if all have the same number, 1/n if one has them all. Workers whose thread never came to score count with none.
     *
     * @param workers how many there were; if more threads than that have scored, it is those that are counted
     * @return the index in parts per million
     */
    long fairnessPpm(int workers) {
        Collection<Count> all = counts.values();
        double sum = 0;
        double squares = 0;
        for (Count count : all) {
            sum += count.words;
            squares += (double) count.words * count.words;
        }
        return squares == 0 ? 0 : Math.round(PPM * sum * sum / (Math.max(workers, all.size()) * squares));
    }
}
