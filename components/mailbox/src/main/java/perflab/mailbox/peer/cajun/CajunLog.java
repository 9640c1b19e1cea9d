package perflab.mailbox.peer.cajun;

/**
 * What is behind Cajun's log. The logging library reads its configuration once in a process, so this has to be chosen
 * before anything of Cajun's is loaded.
 *
 * <p>The two lines in the life of an actor are the smaller part of what a log costs. Cajun also asks for a logger of
 * its own for each actor, at any level. Logback keeps every logger for good and searches its siblings one by one before
 * it makes the next, so each actor that ever lived makes spawning slower.
 */
enum CajunLog {

    /** No logging library behind the interface: no lines, and no loggers to keep. */
    OFF {
        @Override
        void choose() {
            System.setProperty("slf4j.provider", "org.slf4j.helpers.NOP_FallbackServiceProvider");
        }
    },

    /** Logback, which Cajun brings along, and the configuration in Cajun's jar, but for where the lines go. */
    AS_PUBLISHED {
        @Override
        void choose() {
            // By name: another peer's dependencies bring a provider of no log.
            System.setProperty("slf4j.provider", "ch.qos.logback.classic.spi.LogbackServiceProvider");
            System.setProperty("logback.configurationFile", "perflab/mailbox/peer/cajun/logback-as-published.xml");
        }
    };

    abstract void choose();
}
