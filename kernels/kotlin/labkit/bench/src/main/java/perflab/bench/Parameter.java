package perflab.bench;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A parameter of a scenario.
 *
 * @param name the name after {@code --param}
 * @param type what its text is parsed as
 * @param defaultValue the value without {@code --param}
 * @param min inclusive lower bound, or null for none
 * @param max inclusive upper bound, or null for none
 * @param choices the allowed strings; empty for any
 * @param help one line for the reader, with the unit
 */
public record Parameter(
        String name, Type type, Object defaultValue, Number min, Number max, List<String> choices, String help) {

    /** How a value is written in the protocol. */
    public enum Type {
        INT,
        FLOAT,
        STRING,
        BOOL
    }

    public static Parameter ofInt(String name, long defaultValue, long min, long max, String help) {
        return new Parameter(name, Type.INT, defaultValue, min, max, List.of(), help);
    }

    public static Parameter ofFloat(String name, double defaultValue, double min, double max, String help) {
        return new Parameter(name, Type.FLOAT, defaultValue, min, max, List.of(), help);
    }

    public static Parameter ofBool(String name, boolean defaultValue, String help) {
        return new Parameter(name, Type.BOOL, defaultValue, null, null, List.of(), help);
    }

    public static Parameter ofChoice(String name, String defaultValue, List<String> choices, String help) {
        return new Parameter(name, Type.STRING, defaultValue, null, null, List.copyOf(choices), help);
    }

    /** A choice among the constants of an enum, by their names in lower case; read by {@link Parameters#getEnum}. */
    public static <E extends Enum<E>> Parameter ofEnum(String name, E defaultValue, String help) {
        E[] constants = defaultValue.getDeclaringClass().getEnumConstants();
        return ofChoice(
                name,
                nameOf(defaultValue),
                Arrays.stream(constants).map(Parameter::nameOf).toList(),
                help);
    }

    private static String nameOf(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    /**
     * Reads a value given on the command line.
     *
     * @throws UsageException if the text is not of the type, or the value is not allowed
     */
    Object parse(String text) {
        Object value = read(text);
        if (value == null) {
            throw new UsageException("parameter '" + name + "' cannot be '" + text + "'");
        }
        return value;
    }

    /** Null if the text is not of the type, or the value not allowed. */
    private Object read(String text) {
        try {
            return switch (type) {
                case INT -> bounded(Long.valueOf(text));
                case FLOAT -> bounded(Double.valueOf(text));
                case BOOL -> List.of("true", "false").contains(text) ? Boolean.valueOf(text) : null;
                case STRING -> choices.isEmpty() || choices.contains(text) ? text : null;
            };
        } catch (NumberFormatException e) {
            return null;
        }
    }

    private Number bounded(Number value) {
        // Not a number is in no range.
        return value.doubleValue() >= min.doubleValue() && value.doubleValue() <= max.doubleValue() ? value : null;
    }

    Map<String, Object> toJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", name);
        json.put("type", type.name().toLowerCase(Locale.ROOT));
        json.put("default", defaultValue);
        if (min != null) {
            json.put("min", min);
            json.put("max", max);
        }
        if (!choices.isEmpty()) {
            json.put("choices", choices);
        }
        json.put("help", help);
        return json;
    }
}
