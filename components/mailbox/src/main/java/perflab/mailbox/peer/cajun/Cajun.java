package perflab.mailbox.peer.cajun;

import perflab.bench.MissingException;
import perflab.mailbox.actor.ActorSystem;

/** The ways in which Cajun is measured. This class can be loaded where Cajun itself cannot. */
public enum Cajun {
    /** Its defaults: a virtual thread, and a LinkedMailbox for 10,000 messages. */
    DEFAULT,
    /** Its preset for computation: a platform thread, and an MpscMailbox, which is unbounded and loses wake-ups. */
    CPU_BOUND,
    /**
     * Its defaults, and it logs: through Logback, which Cajun brings along, with the configuration in Cajun's jar, but
     * for where the lines go.
     *
     * <p>The two lines in the life of an actor are the smaller part of what a log costs. Cajun also asks for a logger
     * of its own for each actor, at any level. Logback keeps every logger for good and searches its siblings one by one
     * before it makes the next, so each actor that ever lived makes spawning slower.
     */
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
        chooseLog();
        try {
            return new CajunActors(this == CPU_BOUND);
        } catch (LinkageError refused) {
            // Not on the class path, or there and of a class file version that this JVM refuses.
            throw new MissingException(NEEDS + ": here " + refused);
        }
    }

    /**
     * Chooses what is behind Cajun's log: unless it logs, nothing, so that there are no lines, and no loggers to keep.
     * By name, because another peer's dependencies bring a provider of no log. The logging library reads its
     * configuration once in a process, so this has to come before anything of Cajun's is loaded.
     */
    private void chooseLog() {
        System.setProperty(
                "slf4j.provider",
                this == LOGGING
                        ? "ch.qos.logback.classic.spi.LogbackServiceProvider"
                        : "org.slf4j.helpers.NOP_FallbackServiceProvider");
        if (this == LOGGING) {
            System.setProperty("logback.configurationFile", "perflab/mailbox/peer/cajun/logback-as-published.xml");
        }
    }
}
