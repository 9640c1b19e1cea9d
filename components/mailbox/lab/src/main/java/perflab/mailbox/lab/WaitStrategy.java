package perflab.mailbox.lab;

/**
 * What the consumer of a mailbox does while there is nothing to receive. None of them loses a wake-up; they differ in how soon a
 * message is answered, and in what the wait costs those who have work.
 */
public enum WaitStrategy {

    /** Spins as long as that has paid off of late, see {@link SpinBudget}, then parks: an idle mailbox takes no processor. */
    ADAPTIVE(false),

    /** Parks at once: leaves the processors to the producers, and costs a park and a wake-up whenever it has caught up. */
    BLOCKING(false),

    /** Looks again and again, and yields in between: never parks, and takes a processor that nobody else wants. */
    YIELDING(true),

    /** Looks again and again: answers soonest, and takes a processor of its own, of virtual threads a carrier. */
    SPINNING(true);

    private final boolean busy;

    WaitStrategy(boolean busy) {
        this.busy = busy;
    }

    /** Whether the consumer never goes to sleep, so that no producer ever has to wake it. */
    boolean isBusy() {
        return busy;
    }
}
