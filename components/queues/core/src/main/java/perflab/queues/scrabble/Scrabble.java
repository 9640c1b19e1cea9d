package perflab.queues.scrabble;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * What a word is worth: twice the points of its letters and of its best one once more, and fifty for seven letters. A letter
 * counts as often as there are tiles with it; for what is missing there are two blanks, which are worth nothing.
 */
public final class Scrabble {

    /** The points of a word that cannot be laid; any other has more. */
    public static final int NOTHING = 0;

    private static final int ALL_TILES = 7;
    private static final int FOR_ALL_TILES = 50;

    private final Set<String> dictionary;
    private final HashBonus bonus;

    /**
     * Creates the rules of a game.
     *
     * @param dictionary the words that count, of the letters a to z
     * @param bonus points on top of the game's
     */
    public Scrabble(Set<String> dictionary, HashBonus bonus) {
        this.dictionary = dictionary;
        this.bonus = bonus;
    }

    /** The points of a word, or {@link #NOTHING}. */
    public int score(String word) {
        if (!dictionary.contains(word)) {
            return NOTHING;
        }
        Map<Integer, Integer> counts = letters(word);
        return blanksNeeded(counts) > Tiles.BLANKS ? NOTHING : laid(word, counts) + bonus.of(word);
    }

    private static int laid(String word, Map<Integer, Integer> counts) {
        int points = 0;
        int best = 0;
        for (Map.Entry<Integer, Integer> entry : counts.entrySet()) {
            int letter = entry.getKey();
            points += Tiles.points(letter) * Math.min(entry.getValue(), Tiles.available(letter));
            best = Math.max(best, Tiles.points(letter));
        }
        return 2 * (points + best) + (word.length() == ALL_TILES ? FOR_ALL_TILES : 0);
    }

    private static int blanksNeeded(Map<Integer, Integer> counts) {
        int missing = 0;
        for (Map.Entry<Integer, Integer> entry : counts.entrySet()) {
            missing += Math.max(0, entry.getValue() - Tiles.available(entry.getKey()));
        }
        return missing;
    }

    /**
     * How often each letter is in a word, with 0 for an a. A hash map, because upstream counts in one: an array takes a
     * fraction of the time, and the less a word takes, the more a hand-over weighs in what is measured.
     */
    private static Map<Integer, Integer> letters(String word) {
        Map<Integer, Integer> counts = new LinkedHashMap<>();
        for (int i = 0; i < word.length(); i++) {
            counts.merge(word.charAt(i) - 'a', 1, Integer::sum);
        }
        return counts;
    }
}
