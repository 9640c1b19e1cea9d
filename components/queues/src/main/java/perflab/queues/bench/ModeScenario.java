package perflab.queues.bench;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import perflab.bench.Better;
import perflab.bench.OwnClockScenario;
import perflab.bench.Parameter;
import perflab.bench.Parameters;
import perflab.bench.ScenarioSpec;
import perflab.queues.modes.Knob;
import perflab.queues.modes.Mode;
import perflab.queues.modes.Outcome;
import perflab.queues.modes.Values;

/**
 * A mode: one operation scores all its words, as in the report. Its headline is the mean; the median and the worst stand beside it, because the
 * report would rather have been based on the worst.
 */
final class ModeScenario {

    private ModeScenario() {}

    static OwnClockScenario<Design> of(Mode mode) {
        ScenarioSpec.Builder builder = ScenarioSpec.of(mode.key(), mode.title(), "a run: every word of the mode scored")
                .headline("time", "ns/run", Better.LOWER)
                .metric("runs", "rate", "runs/s", Better.HIGHER)
                .metric("median", "p50", "ns/run", Better.LOWER)
                .metric("worst", "max", "ns/run", Better.LOWER)
                .metric("cpu", "counter:" + Outcome.CPU + "/op", "ns/run", Better.LOWER)
                .metric("others", "counter:" + Outcome.OTHERS + "/ns", "processors", Better.HIGHER)
                .metric("fairness", "counter:" + Outcome.FAIRNESS + "/op", "ppm, by thread", Better.HIGHER)
                .metric("overruns", "counter:" + Outcome.OVERRUNS + "/op", "overruns/run", Better.LOWER);
        mode.defaults().forEach((knob, value) -> builder.parameter(parameter(knob, value)));
        return new OwnClockScenario<>(
                builder.build(),
                (design, setting) -> new Play(design, values(mode, setting.parameters()), setting.checks()));
    }

    private static Parameter parameter(Knob knob, Object defaultValue) {
        return knob.isText()
                ? Parameter.ofChoice(knob.key(), (String) defaultValue, List.of(), knob.help())
                : Parameter.ofInt(knob.key(), (Long) defaultValue, knob.min(), knob.max(), knob.help());
    }

    private static Values values(Mode mode, Parameters parameters) {
        Map<Knob, Object> values = new EnumMap<>(Knob.class);
        for (Knob knob : mode.defaults().keySet()) {
            values.put(
                    knob, knob.isText() ? parameters.getString(knob.key()) : (Object) parameters.getLong(knob.key()));
        }
        return Values.of(values);
    }
}
