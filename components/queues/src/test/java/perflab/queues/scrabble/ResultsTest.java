package perflab.queues.scrabble;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class ResultsTest {

    private static Results of(int kept, String... pointsAndWords) {
        Results results = new Results(kept);
        for (String each : pointsAndWords) {
            String[] parts = each.split(" ");
            results.add(Integer.parseInt(parts[0]), parts[1]);
        }
        return results;
    }

    @Test
    void onlyTheBestScoresAreKept() {
        Results results = of(2, "7 g", "9 i", "8 h", "7 gg", "9 ii");
        assertEquals(List.of(9, 8), results.points());
        assertEquals(List.of("i", "ii"), results.with(9));
    }

    @Test
    void theOrderOfEqualWordsDoesNotCount() {
        assertEquals("", of(Results.ALL, "7 g", "9 i", "7 gg").differenceFrom(of(Results.ALL, "7 gg", "7 g", "9 i")));
    }

    @Test
    void aLostADoubledAnExchangedAndAnAddedWordAreDifferences() {
        Results right = of(Results.ALL, "7 g", "7 gg", "9 i");
        assertEquals(
                "1 words have 7 points, 2 should, among them g",
                of(0, "7 g", "9 i").differenceFrom(right));
        assertEquals(
                "3 words have 7 points, 2 should, among them g",
                of(0, "7 g", "7 gg", "7 gg", "9 i").differenceFrom(right));
        assertEquals(
                "2 words have 7 points, 2 should, among them g",
                of(0, "7 g", "7 h", "9 i").differenceFrom(right));
        assertEquals("3 scores instead of 2", of(0, "7 g", "7 gg", "9 i", "1 a").differenceFrom(right));
    }
}
