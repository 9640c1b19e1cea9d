package perflab.queues.modes;

/** A pipeline has let the source run ahead of it too often: its run is void. */
public final class HardLimitException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    HardLimitException(int softLimit, int overruns) {
        super("breaks the hard limit: more than " + overruns + " times the source had to give a word while " + softLimit
                + " or more were not scored yet");
    }
}
