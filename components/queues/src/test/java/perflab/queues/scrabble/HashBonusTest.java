package perflab.queues.scrabble;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Work that shows in the score, so that nobody can leave it out. */
class HashBonusTest {

    @Test
    void itIsOnTopOfTheWordsOwnPoints() {
        int without = new Scrabble(Set.of("locks"), HashBonus.NONE).score("locks");
        HashBonus bonus = new HashBonus("ks", 100);
        assertEquals(without + bonus.of("locks"), new Scrabble(Set.of("locks"), bonus).score("locks"));
    }

    @Test
    void aPointForEachHashWhoseFoldedByteIsBelow32() throws Exception {
        int expected = 0;
        for (int i = 0; i < 200; i++) {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(("works" + i).getBytes(StandardCharsets.UTF_8));
            BigInteger folded = BigInteger.ZERO;
            for (byte octet : hash) {
                folded = folded.xor(BigInteger.valueOf(octet & 0xff));
            }
            expected += folded.byteValue() < 32 ? 1 : 0;
        }
        assertEquals(expected, new HashBonus("", 200).of("works"));
    }

    @Test
    void onlyWordsWithTheSuffixAreHashed() {
        assertEquals(0, new HashBonus("ks", 1_000).of("word"));
        assertEquals(0, new HashBonus("ks", 0).of("works"));
    }
}
