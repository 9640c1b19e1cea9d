package perflab.queues.scrabble;

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
        int[] counts = letters(word);
        return blanksNeeded(counts) > Tiles.BLANKS ? NOTHING : laid(word, counts) + bonus.of(word);
    }

    private static int laid(String word, int[] counts) {
        int points = 0;
        int best = 0;
        for (int letter = 0; letter < Tiles.LETTERS; letter++) {
            if (counts[letter] > 0) {
                points += Tiles.points(letter) * Math.min(counts[letter], Tiles.available(letter));
                best = Math.max(best, Tiles.points(letter));
            }
        }
        return 2 * (points + best) + (word.length() == ALL_TILES ? FOR_ALL_TILES : 0);
    }

    private static int blanksNeeded(int[] counts) {
        int missing = 0;
        for (int letter = 0; letter < Tiles.LETTERS; letter++) {
            missing += Math.max(0, counts[letter] - Tiles.available(letter));
        }
        return missing;
    }

    private static int[] letters(String word) {
        int[] counts = new int[Tiles.LETTERS];
        for (int i = 0; i < word.length(); i++) {
            counts[word.charAt(i) - 'a']++;
        }
        return counts;
    }
}
