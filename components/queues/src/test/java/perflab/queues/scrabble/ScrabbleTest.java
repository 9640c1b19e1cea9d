package perflab.queues.scrabble;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import perflab.queues.words.WordLists;

/** The rules, on words whose points one can count, and on all of Shakespeare's. */
class ScrabbleTest {

    private static int score(String word) {
        return new Scrabble(Set.of(word), HashBonus.NONE).score(word);
    }

    @ParameterizedTest
    @CsvSource({
        "aa, 6", // 2 x (1 + 1 + 1)
        "qi, 42", // 2 x (10 + 1 + 10)
        "jazz, 58", // 2 x (8 + 1 + 10 + 10): one z is a blank
        "pizzazz, 0", // four z, one tile and two blanks
        "zephyrs, 118",
        "equinox, 116",
        "jezebel, 120",
        "quickly, 120"
    })
    void aWordsPoints(String word, int points) {
        assertEquals(points, score(word));
    }

    @Test
    void twoBlanksAreEnoughAndThreeAreNot() {
        assertEquals(2 * (5 + 5), score("kkk"));
        assertEquals(Scrabble.NOTHING, score("kkkk"));
    }

    @Test
    void onlyWordsOfTheDictionaryCount() {
        assertEquals(Scrabble.NOTHING, new Scrabble(Set.of("word"), HashBonus.NONE).score("words"));
    }

    /** The report's own best words. */
    @Test
    void shakespearesBestWordsAreTheReports() {
        Scrabble scrabble = new Scrabble(WordLists.dictionary(), HashBonus.NONE);
        Results results = new Results(3);
        for (String word : WordLists.shakespeare()) {
            int points = scrabble.score(word);
            if (points != Scrabble.NOTHING) {
                results.add(points, word);
            }
        }
        assertEquals(List.of(120, 118, 116), results.points());
        assertEquals(List.of("jezebel", "quickly"), results.with(120));
        assertEquals(List.of("zephyrs"), results.with(118));
        assertEquals(List.of("equinox"), results.with(116));
    }

    @Test
    void theFirstHundredWordsAreAsMixedAsAll() {
        Scrabble scrabble = new Scrabble(WordLists.dictionary(), HashBonus.NONE);
        long playable = WordLists.shakespeare().subList(0, 100).stream()
                .filter(word -> scrabble.score(word) != Scrabble.NOTHING)
                .count();
        assertTrue(playable > 40 && playable < 80, playable + " of 100, where all have 61 of 100");
    }
}
