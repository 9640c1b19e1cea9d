package perflab.queues.contract;

import java.util.List;
import java.util.function.Supplier;
import perflab.queues.Pipeline;
import perflab.queues.Shape;

/**
 * All promises. Each word once, from a source that only one thread reads at a time, whatever the numbers of words, workers and
 * slots.
 */
public final class Promises {

    private Promises() {}

    public static List<Promise> all() {
        return List.of(
                new Promise("a source without words ends the run", pipelines -> play(pipelines, 0, new Shape(1, 1))),
                new Promise("one word is scored", pipelines -> play(pipelines, 1, new Shape(2, 1))),
                new Promise("queues of one word are long enough", pipelines -> play(pipelines, 2_000, new Shape(2, 1))),
                new Promise("more workers than words", pipelines -> play(pipelines, 3, new Shape(8, 16))),
                new Promise("more workers than processors", pipelines -> play(pipelines, 2_000, new Shape(8, 64))),
                new Promise("one worker is enough", pipelines -> play(pipelines, 2_000, new Shape(1, 256))),
                new Promise("a pipeline can be run again", Promises::again),
                new Promise("a source that ends before the workers have begun loses nothing", Promises::brief),
                new Promise("a source that throws ends the run", Promises::throwing));
    }

    private static void play(Supplier<Pipeline> pipelines, int words, Shape shape) throws Exception {
        try (Pipeline pipeline = pipelines.get()) {
            run(pipeline, words, shape);
        }
    }

    private static void run(Pipeline pipeline, int words, Shape shape) throws Exception {
        Scored scored = new Scored();
        pipeline.run(Scored.guarded(words), scored, shape);
        Promise.require(scored.eachOnce(words), scored.evidence(words));
    }

    private static void again(Supplier<Pipeline> pipelines) throws Exception {
        try (Pipeline pipeline = pipelines.get()) {
            for (int i = 0; i < 20; i++) {
                run(pipeline, 100 + i, new Shape(2, 8));
            }
        }
    }

    private static void brief(Supplier<Pipeline> pipelines) throws Exception {
        try (Pipeline pipeline = pipelines.get()) {
            for (int i = 0; i < 200; i++) {
                run(pipeline, 1, new Shape(1 + i % 2, 8));
            }
        }
    }

    private static void throwing(Supplier<Pipeline> pipelines) throws Exception {
        try (Pipeline pipeline = pipelines.get()) {
            Exception seen = null;
            try {
                pipeline.run(Scored.throwingAfter(50), new Scored(), new Shape(2, 8));
            } catch (Exception thrown) {
                seen = thrown;
            }
            Promise.require(seen != null, "the run ended as if nothing had happened");
        }
    }
}
