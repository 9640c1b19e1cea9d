package perflab.queues.modes;

/** A parameter of a mode; the default depends on the mode. */
public enum Knob {
    SUFFIX("suffix", "words that end so are hashed: the large tasks; empty: all words"),
    NUM_HASH("num-hash", 0, 1_000_000, "SHA-256 hashes of each such word"),
    WORDS("words", 0, 1_000_000, "how many words are played, from the first on; 0: all"),
    PAUSE_MS("pause-ms", 0, 1_000, "latency of the source: ms of sleep before each word"),
    SIZE(
            "size",
            0,
            1 << 20,
            "words that each queue holds; 0: 256, or what a soft limit that is active leaves room for"),
    SOFT("soft", 1, 1 << 20, "soft limit of words under way; active if sleep is not 0"),
    SLEEP("sleep", 0, 1_000_000, "how often the source yields before it sleeps 1 ms and then exceeds the soft limit"),
    BURNERS("burners", 0, 16, "CPU-burning tasks per processor, started and timed together with the words"),
    BURN_HASHES("burn-hashes", 1, 100_000_000, "SHA-256 hashes that each of those tasks computes"),
    BEST("best", 0, 10_000, "how many of the best scores the result keeps; 0: all"),
    WORKERS("workers", 0, 1_024, "threads that score, where a pipeline can choose; 0: as the report's"),
    BACKGROUND("background", 0, 16, "other load of the machine: threads per processor that compute all the time");

    private final String key;
    private final boolean text;
    private final long min;
    private final long max;
    private final String help;

    Knob(String key, String help) {
        this(key, true, 0, 0, help);
    }

    Knob(String key, long min, long max, String help) {
        this(key, false, min, max, help);
    }

    Knob(String key, boolean text, long min, long max, String help) {
        this.key = key;
        this.text = text;
        this.min = min;
        this.max = max;
        this.help = help;
    }

    public String key() {
        return key;
    }

    public boolean isText() {
        return text;
    }

    public long min() {
        return min;
    }

    public long max() {
        return max;
    }

    public String help() {
        return help;
    }
}
