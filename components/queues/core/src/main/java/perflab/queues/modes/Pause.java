package perflab.queues.modes;

final class Pause {

    private Pause() {}

    /** An interrupt ends the source, and with it the run. */
    static void sleep(int ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the source slept", e);
        }
    }
}
