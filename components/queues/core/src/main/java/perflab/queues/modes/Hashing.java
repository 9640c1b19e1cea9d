package perflab.queues.modes;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Work for a processor that touches next to no memory: a chain of SHA-256, each of the hash before it. */
final class Hashing {

    private final MessageDigest sha256 = sha256();
    private byte[] state = new byte[32];

    /** Computes so many hashes, and hands back something that depends on all of them. */
    byte compute(int hashes) {
        for (int i = 0; i < hashes; i++) {
            state = sha256.digest(state);
        }
        return state[0];
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }
}
