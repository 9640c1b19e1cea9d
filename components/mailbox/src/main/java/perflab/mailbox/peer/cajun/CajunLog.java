package perflab.mailbox.peer.cajun;

/**
 * What becomes of Cajun's log lines, three in the life of an actor. Their library reads its configuration once in a process, so
 * this has to be chosen before anything of Cajun's is loaded.
 */
enum CajunLog {

    /** No logging library behind the interface. */
    OFF {
        @Override
        void choose() {
            System.setProperty("slf4j.provider", "org.slf4j.helpers.NOP_FallbackServiceProvider");
        }
    },

    /** Logback, and the configuration that lies in Cajun's jar, but for where the lines go. */
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
