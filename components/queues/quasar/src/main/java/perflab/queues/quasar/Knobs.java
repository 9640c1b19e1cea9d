package perflab.queues.quasar;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import perflab.queues.modes.Knob;
import perflab.queues.modes.Mode;
import perflab.queues.modes.Values;

/** A mode's knobs, bound to the texts of {@code --param}. */
final class Knobs {

    private final Map<Knob, Object> values;

    private Knobs(Map<Knob, Object> values) {
        this.values = values;
    }

    /** Checks what was given against what the mode declares. */
    static Knobs bind(String scenario, Map<String, String> params) {
        Mode mode = Arrays.stream(Mode.values())
                .filter(each -> each.key().equals(scenario))
                .findFirst()
                .orElseThrow(() -> usage(
                        "unknown scenario '" + scenario + "'",
                        Arrays.stream(Mode.values()).map(Mode::key).collect(Collectors.toList())));
        Map<Knob, Object> values = new EnumMap<>(mode.defaults());
        params.forEach((key, text) -> {
            Knob knob = named(key);
            values.put(knob, knob.isText() ? text : (Object) number(knob, text));
        });
        return new Knobs(values);
    }

    private static Knob named(String key) {
        return Arrays.stream(Knob.values())
                .filter(knob -> knob.key().equals(key))
                .findFirst()
                .orElseThrow(() -> usage(
                        "unknown parameter '" + key + "'",
                        Arrays.stream(Knob.values()).map(Knob::key).collect(Collectors.toList())));
    }

    private static Long number(Knob knob, String text) {
        Failure notAllowed = usage(
                "parameter '" + knob.key() + "' cannot be '" + text + "'",
                List.of("a whole number from " + knob.min() + " to " + knob.max()));
        try {
            long number = Long.parseLong(text);
            if (number < knob.min() || number > knob.max()) {
                throw notAllowed;
            }
            return number;
        } catch (NumberFormatException e) {
            throw notAllowed;
        }
    }

    private static Failure usage(String message, List<String> allowed) {
        return new Failure(Failure.USAGE, message, allowed);
    }

    Values values() {
        return Values.of(values);
    }

    Map<String, Object> toJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        values.forEach((knob, value) -> json.put(knob.key(), value));
        return json;
    }
}
