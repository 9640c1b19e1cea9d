package perflab.queues.modes;

import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import perflab.queues.Crew;
import perflab.queues.Pipeline;
import perflab.queues.Shape;
import perflab.queues.pipelines.DirectLoop;
import perflab.queues.scrabble.HashBonus;
import perflab.queues.scrabble.Results;
import perflab.queues.scrabble.Scrabble;
import perflab.queues.words.WordLists;

/** A mode with its values set: plays one run after the other, each with a source and a result of its own. */
public final class Game implements AutoCloseable {

    private final Values values;
    private final int processors = Runtime.getRuntime().availableProcessors();
    private final List<String> words;
    private final Scrabble scrabble;
    private final Results right;
    private final Background background;

    /** Reads the words, finds out by the direct loop what is right, and starts the other load. */
    public Game(Values values) {
        this.values = values;
        List<String> all = WordLists.shakespeare();
        int limit = values.number(Knob.WORDS);
        words = limit == 0 ? all : all.subList(0, Math.min(limit, all.size()));
        scrabble = new Scrabble(
                WordLists.dictionary(), new HashBonus(values.text(Knob.SUFFIX), values.number(Knob.NUM_HASH)));
        right = new Results(values.number(Knob.BEST));
        new DirectLoop().run(words.iterator(), word -> score(word, right), new Shape(1, 1));
        background = Background.start(processors * values.number(Knob.BACKGROUND));
    }

    /** What a pipeline with this crew is asked for. */
    public Shape shape(Crew crew) {
        int asked = values.number(Knob.WORKERS);
        int workers = asked == 0 ? crew.workers(processors) : asked;
        int size = values.number(Knob.SIZE);
        if (values.number(Knob.SLEEP) == 0) {
            return new Shape(workers, size == 0 ? Shape.USUAL_QUEUE_SIZE : size);
        }
        Shape within = Shape.within(workers, values.number(Knob.SOFT));
        return size == 0 ? within : within.withQueueSize(size);
    }

    /**
     * Plays one run.
     *
     * @throws HardLimitException if the pipeline has let the source run ahead too far
     */
    public Outcome play(Pipeline pipeline, Shape shape) throws Exception {
        Results results = new Results(values.number(Knob.BEST));
        Tally tally = new Tally();
        Outstanding outstanding = new Outstanding(values.number(Knob.SOFT), values.number(Knob.SLEEP));
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Feed feed = new Feed(words, values.number(Knob.PAUSE_MS), outstanding);
        long cpuBefore = Cpu.ofProcess();
        long othersBefore = background.cpuNs();
        long startNs = System.nanoTime();

        Burners burners = Burners.start(processors * values.number(Knob.BURNERS), values.number(Knob.BURN_HASHES));
        try {
            pipeline.run(feed, word -> take(word, results, tally, outstanding, failure), shape);
        } catch (Exception e) {
            // A library may have wrapped what the source threw, or hidden it behind an exception of its own.
            outstanding.requireWithinLimit();
            throw e;
        }
        burners.await();

        long ns = System.nanoTime() - startNs;
        long cpu = Cpu.ofProcess() - cpuBefore;
        long others = background.cpuNs() - othersBefore;
        outstanding.requireWithinLimit();
        if (failure.get() != null) {
            throw new IllegalStateException("a word could not be scored", failure.get());
        }
        return new Outcome(ns, tally.words(), results)
                .count(Outcome.CPU, cpu - others - burners.cpuNs())
                .count(Outcome.OTHERS, others)
                .count(Outcome.FAIRNESS, tally.fairnessPpm(shape.workers()))
                .count(Outcome.OVERRUNS, outstanding.overruns());
    }

    /** The scorer: a failure is kept for the end, because no pipeline is asked to cope with one. */
    private void take(
            String word, Results results, Tally tally, Outstanding outstanding, AtomicReference<Throwable> failure) {
        try {
            score(word, results);
        } catch (RuntimeException | Error e) {
            failure.compareAndSet(null, e);
        }
        outstanding.scored();
        tally.add();
    }

    private void score(String word, Results results) {
        int points = scrabble.score(word);
        if (points != Scrabble.NOTHING) {
            results.add(points, word);
        }
    }

    public int words() {
        return words.size();
    }

    /**
     * Compares an outcome with the direct loop's.
     *
     * @return what is wrong with it, empty if nothing is
     */
    public String fault(Outcome outcome) {
        return outcome.scored() == words.size()
                ? outcome.results().differenceFrom(right)
                : outcome.scored() + " words were scored, " + words.size() + " given";
    }

    @Override
    public void close() {
        background.close();
    }
}
