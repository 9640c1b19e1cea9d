package perflab.mailbox.peer.cajun;

import perflab.bench.MissingException;
import perflab.mailbox.actor.ActorSystem;

/** The ways in which Cajun is measured. This class can be loaded where Cajun itself cannot. */
public enum Cajun {
    /** Its defaults. */
    DEFAULT,
    /** Its preset for computation. */
    CPU_BOUND,
    /** Its defaults, and it logs. */
    LOGGING;

    private static final String NEEDS =
            "Cajun 0.7.0 runs only on a JVM 21 with --enable-preview and with target/cajun-lib on its class path; "
                    + "./lab measure starts it so";

    /**
     * Starts a system.
     *
     * @throws MissingException on a JVM that cannot load it
     */
    public ActorSystem start() {
        (this == LOGGING ? CajunLog.AS_PUBLISHED : CajunLog.OFF).choose();
        try {
            return new CajunActors(this == CPU_BOUND ? CajunPreset.CPU_BOUND : CajunPreset.DEFAULT);
        } catch (LinkageError refused) {
            // Not on the class path, or there and of a class file version that this JVM refuses.
            throw new MissingException(NEEDS + ": here " + refused);
        }
    }
}
