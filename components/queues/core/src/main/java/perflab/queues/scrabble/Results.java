package perflab.queues.scrabble;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * The words of each score, the best first. One lock for all threads, as upstream has it: with small tasks it is where they
 * meet, whatever queue they come from.
 */
public final class Results {

    /** Keep every score. */
    public static final int ALL = 0;

    private final NavigableMap<Integer, List<String>> words = new TreeMap<>(Comparator.reverseOrder());
    private final int kept;

    /**
     * Creates an empty map.
     *
     * @param kept how many of the best scores are kept, or {@link #ALL}
     */
    public Results(int kept) {
        this.kept = kept;
    }

    public synchronized void add(int points, String word) {
        words.computeIfAbsent(points, score -> new ArrayList<>()).add(word);
        if (kept != ALL && words.size() > kept) {
            words.pollLastEntry();
        }
    }

    /** How many scores there are. */
    public synchronized int scores() {
        return words.size();
    }

    /** The words with so many points, sorted; empty if there are none. */
    public synchronized List<String> with(int points) {
        List<String> found = new ArrayList<>(words.getOrDefault(points, Collections.emptyList()));
        Collections.sort(found);
        return found;
    }

    /** The scores, the best first. */
    public synchronized List<Integer> points() {
        return new ArrayList<>(words.keySet());
    }

    /**
     * Compares with what is right; the order of words of the same score is the schedule's and does not count.
     *
     * @param right complete: nothing is added to it any more
     * @return a difference in words, empty if there is none
     */
    public synchronized String differenceFrom(Results right) {
        for (Map.Entry<Integer, List<String>> row : right.words.entrySet()) {
            List<String> expected = row.getValue();
            List<String> found = words.getOrDefault(row.getKey(), Collections.emptyList());
            if (found.size() != expected.size() || !new HashSet<>(found).equals(new HashSet<>(expected))) {
                return found.size() + " words have " + row.getKey() + " points, " + expected.size()
                        + " should, among them " + expected.get(0);
            }
        }
        return words.size() == right.scores() ? "" : words.size() + " scores instead of " + right.scores();
    }
}
