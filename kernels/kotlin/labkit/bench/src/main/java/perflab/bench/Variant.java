package perflab.bench;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One implementation of the component.
 *
 * @param name the name after {@code --variant}
 * @param role what it stands for in the topic
 * @param description one line
 * @param source where its code is, relative to the component's folder
 * @param subject what it hands to scenarios
 * @param scenarios the names of the scenarios it supports; empty for all
 * @param <S> the type of the subject
 */
public record Variant<S>(String name, Role role, String description, String source, S subject, List<String> scenarios) {

    public Variant {
        scenarios = List.copyOf(scenarios);
    }

    /** A variant that supports every scenario. */
    public Variant(String name, Role role, String description, String source, S subject) {
        this(name, role, description, source, subject, List.of());
    }

    /** This variant in these scenarios alone. */
    public Variant<S> in(String... only) {
        return new Variant<>(name, role, description, source, subject, List.of(only));
    }

    /** Where a Java class's source is, from the component's folder. */
    public static String sourceOf(Class<?> type) {
        return "src/main/java/" + type.getName().replace('.', '/') + ".java";
    }

    boolean supports(String scenario) {
        return scenarios.isEmpty() || scenarios.contains(scenario);
    }

    Map<String, Object> toJson(List<String> allScenarios) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", name);
        json.put("role", role.protocolName());
        json.put("description", description);
        json.put("source", source);
        json.put("scenarios", allScenarios.stream().filter(this::supports).toList());
        return json;
    }
}
