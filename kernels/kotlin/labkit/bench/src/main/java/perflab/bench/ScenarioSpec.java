package perflab.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a scenario tells about itself in {@code describe}.
 *
 * @param name the name after {@code --scenario}
 * @param title a short heading
 * @param operation what one operation is
 * @param unit the headline's unit
 * @param better which direction of the headline is an improvement
 * @param metric the headline's expression
 * @param metrics further metrics
 * @param parameters what a run can set
 */
public record ScenarioSpec(
        String name,
        String title,
        String operation,
        String unit,
        Better better,
        String metric,
        List<Metric> metrics,
        List<Parameter> parameters) {

    public ScenarioSpec {
        metrics = List.copyOf(metrics);
        parameters = List.copyOf(parameters);
    }

    /** Begins a description: its name, its title, and what one operation is. */
    public static Builder of(String name, String title, String operation) {
        return new Builder(name, title, operation);
    }

    Map<String, Object> toJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", name);
        json.put("title", title);
        json.put("operation", operation);
        json.put("unit", unit);
        json.put("better", better.protocolName());
        json.put("metric", metric);
        json.put("metrics", metrics.stream().map(Metric::toJson).toList());
        json.put("parameters", parameters.stream().map(Parameter::toJson).toList());
        return json;
    }

    /** Collects a scenario's description. */
    public static final class Builder {

        private final String name;
        private final String title;
        private final String operation;
        private String metric;
        private String unit;
        private Better better;
        private final List<Metric> metrics = new ArrayList<>();
        private final List<Parameter> parameters = new ArrayList<>();

        private Builder(String name, String title, String operation) {
            this.name = name;
            this.title = title;
            this.operation = operation;
        }

        /** The metric that comparisons use unless another one is asked for. */
        public Builder headline(String of, String unit, Better better) {
            this.metric = of;
            this.unit = unit;
            this.better = better;
            return this;
        }

        public Builder metric(String metricName, String of, String metricUnit, Better metricBetter) {
            metrics.add(new Metric(metricName, of, metricUnit, metricBetter));
            return this;
        }

        public Builder parameter(Parameter parameter) {
            parameters.add(parameter);
            return this;
        }

        public ScenarioSpec build() {
            if (metric == null) {
                throw new IllegalStateException("scenario '" + name + "' has no headline");
            }
            return new ScenarioSpec(name, title, operation, unit, better, metric, metrics, parameters);
        }
    }
}
