package perflab.queues.bench;

import perflab.bench.Checks;
import perflab.bench.Experiment;
import perflab.bench.Sample;
import perflab.bench.VoidException;
import perflab.queues.Pipeline;
import perflab.queues.Shape;
import perflab.queues.modes.Game;
import perflab.queues.modes.HardLimitException;
import perflab.queues.modes.Outcome;
import perflab.queues.modes.Values;

/** One pipeline, and a run for each repetition, whose result is compared with the direct loop's when the clock has stopped. */
final class Play implements Experiment {

    private final Checks checks;
    private final Pipeline pipeline;
    private final Game game;
    private final Shape shape;

    Play(Design design, Values values, Checks checks) {
        this.checks = checks;
        pipeline = design.pipelines().get(); // before the game, whose background load would slow its start
        game = new Game(values);
        shape = game.shape(design.crew());
    }

    @Override
    public void repeat(Sample sample) throws Exception {
        Outcome outcome = play();
        String fault = game.fault(outcome);
        checks.require("every run has the direct loop's result", fault.isEmpty(), () -> fault);
        sample.add(1, outcome.ns());
        sample.latency(outcome.ns());
        outcome.counters().forEach(sample::count);
    }

    private Outcome play() throws Exception {
        try {
            return game.play(pipeline, shape);
        } catch (HardLimitException broken) {
            // What the report calls a missing result with a score of zero: the variant is void in this mode.
            throw new VoidException(broken.getMessage());
        }
    }

    @Override
    public void close() {
        game.close();
        pipeline.close();
    }
}
