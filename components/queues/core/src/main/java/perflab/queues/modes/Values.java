package perflab.queues.modes;

import java.util.EnumMap;
import java.util.Map;

/** The values of all knobs in one run. */
public final class Values {

    private final Map<Knob, Object> values;

    private Values(Map<Knob, Object> values) {
        this.values = values;
    }

    public static Values of(Map<Knob, Object> values) {
        return new Values(new EnumMap<>(values));
    }

    /** These values with another one for a knob. */
    public Values with(Knob knob, Object value) {
        Map<Knob, Object> changed = new EnumMap<>(values);
        changed.put(knob, value);
        return new Values(changed);
    }

    public int number(Knob knob) {
        return Math.toIntExact((Long) values.get(knob));
    }

    public String text(Knob knob) {
        return (String) values.get(knob);
    }
}
