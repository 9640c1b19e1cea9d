package perflab.queues.modes;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/** The report's use-cases, each a set of values for the same knobs. */
public enum Mode {
    FAST("Throughput: many small tasks"),

    ALL(
            "Heavy lifting: a hundred large tasks",
            set(Knob.SUFFIX, ""),
            set(Knob.NUM_HASH, 1_000L),
            set(Knob.WORDS, 100L)),

    BURN(
            "Waiting: a hundred small tasks with latency beside work for every processor",
            set(Knob.WORDS, 100L),
            set(Knob.PAUSE_MS, 1L),
            set(Knob.BURNERS, 1L)),

    COST("Mixed load: many small tasks and a few large ones", set(Knob.NUM_HASH, 1_000L)),

    DELAY("Back pressure: the source soon sleeps", set(Knob.SLEEP, 1L)),

    EFFORT("Back pressure: the source tries for longer before it sleeps", set(Knob.SLEEP, 10L));

    private final String title;
    private final Map<Knob, Object> defaults;

    @SafeVarargs
    Mode(String title, Map.Entry<Knob, Object>... own) {
        this.title = title;
        Map<Knob, Object> values = common();
        for (Map.Entry<Knob, Object> value : own) {
            values.put(value.getKey(), value.getValue());
        }
        this.defaults = Collections.unmodifiableMap(values);
    }

    private static Map.Entry<Knob, Object> set(Knob knob, Object value) {
        return Map.entry(knob, value);
    }

    private static Map<Knob, Object> common() {
        Map<Knob, Object> values = new EnumMap<>(Knob.class);
        values.put(Knob.SUFFIX, "ks");
        values.put(Knob.NUM_HASH, 0L);
        values.put(Knob.WORDS, 0L);
        values.put(Knob.PAUSE_MS, 0L);
        values.put(Knob.SIZE, 0L);
        values.put(Knob.SOFT, 32L);
        values.put(Knob.SLEEP, 0L);
        values.put(Knob.BURNERS, 0L);
        values.put(Knob.BURN_HASHES, 500_000L);
        values.put(Knob.BEST, 0L);
        values.put(Knob.WORKERS, 0L);
        values.put(Knob.BACKGROUND, 0L);
        return values;
    }

    public String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    public String title() {
        return title;
    }

    /** The value of every knob: a {@code String} or a {@code Long}. */
    public Map<Knob, Object> defaults() {
        return defaults;
    }
}
