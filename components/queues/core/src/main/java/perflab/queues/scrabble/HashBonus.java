package perflab.queues.scrabble;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * Points for nothing but work: what makes a word a large task. The word and a number behind it are hashed with SHA-256, for all
 * numbers below {@code times}; the 32 bytes are folded into one by exclusive or, and a hash whose byte, with its sign, is
 * below 32 gives a point. On average that are five points of eight hashes.
 */
public final class HashBonus {

    /** No work and no points. */
    public static final HashBonus NONE = new HashBonus("", 0);

    private static final int BELOW = 32;

    private final String suffix;
    private final int times;

    /**
     * Creates a rule.
     *
     * @param suffix which words are hashed: those that end so, all if it is empty
     */
    public HashBonus(String suffix, int times) {
        this.suffix = suffix;
        this.times = times;
    }

    int of(String word) {
        if (times == 0 || !word.endsWith(suffix)) {
            return 0;
        }
        MessageDigest sha256 = sha256();
        int points = 0;
        for (int i = 0; i < times; i++) {
            byte[] hash = sha256.digest((word + i).getBytes(StandardCharsets.US_ASCII));
            if (folded(hash) < BELOW) {
                points++;
            }
        }
        return points;
    }

    private static byte folded(byte[] hash) {
        byte folded = 0;
        for (byte octet : hash) {
            folded ^= octet;
        }
        return folded;
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }
}
