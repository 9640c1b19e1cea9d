package perflab.bench;

import java.util.Map;

/**
 * A named figure of a fork.
 *
 * @param name the metric's name
 * @param of an expression of the protocol, such as {@code counter:refused/op} or {@code p99}
 * @param unit the unit of the figure
 * @param better which direction is an improvement
 */
public record Metric(String name, String of, String unit, Better better) {

    Map<String, Object> toJson() {
        return Map.of("name", name, "of", of, "unit", unit, "better", better.protocolName());
    }
}
