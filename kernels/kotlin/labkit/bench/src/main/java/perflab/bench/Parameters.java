package perflab.bench;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The values of a scenario's parameters in one run: those given, and the defaults of the others. */
public final class Parameters {

    private final Map<String, Object> values;

    private Parameters(Map<String, Object> values) {
        this.values = values;
    }

    /**
     * Binds the texts of {@code --param} to what a scenario declares.
     *
     * @throws UsageException if a name is not declared or a value not allowed
     */
    static Parameters bind(List<Parameter> declared, Map<String, String> given) {
        Map<String, Object> values = new LinkedHashMap<>();
        for (Parameter parameter : declared) {
            String text = given.get(parameter.name());
            values.put(parameter.name(), text == null ? parameter.defaultValue() : parameter.parse(text));
        }
        for (String name : given.keySet()) {
            if (!values.containsKey(name)) {
                throw UsageException.unknown("parameter", name);
            }
        }
        return new Parameters(values);
    }

    public int getInt(String name) {
        return Math.toIntExact(getLong(name));
    }

    public long getLong(String name) {
        return (Long) value(name);
    }

    public double getDouble(String name) {
        return (Double) value(name);
    }

    public boolean getBoolean(String name) {
        return (Boolean) value(name);
    }

    public String getString(String name) {
        return (String) value(name);
    }

    /** What {@link Parameter#ofEnum} declares. */
    public <E extends Enum<E>> E getEnum(String name, Class<E> type) {
        return Enum.valueOf(type, getString(name).toUpperCase(Locale.ROOT));
    }

    private Object value(String name) {
        Object value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("the scenario declares no parameter '" + name + "'");
        }
        return value;
    }

    Map<String, Object> toJson() {
        return values;
    }
}
