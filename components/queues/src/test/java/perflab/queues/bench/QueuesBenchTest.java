package perflab.queues.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import perflab.bench.Variant;
import perflab.queues.modes.Mode;

/** The program as a whole: every pipeline in every mode agrees with the direct loop, and one that does not is no answer. */
class QueuesBenchTest {

    /** Every mode, with parameters that make a run short. */
    private static final Map<Mode, List<String>> RUNS = Map.of(
            Mode.FAST, List.of("", "words=3000 workers=5 size=2 background=1 best=3"),
            Mode.ALL, List.of("num-hash=50"),
            Mode.BURN, List.of("words=20 burn-hashes=1000"),
            Mode.COST, List.of("num-hash=20"),
            Mode.DELAY, List.of("words=1000"),
            Mode.EFFORT, List.of("words=1000 soft=8"));

    private String printed = "";

    private int run(String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int exit = QueuesBench.bench().run(args, new PrintStream(out, true, StandardCharsets.UTF_8));
        printed = out.toString(StandardCharsets.UTF_8);
        return exit;
    }

    private int measure(String scenario, String variant, String params, String... more) {
        Stream<String> common = Stream.of("run", "--scenario", scenario, "--variant", variant);
        Stream<String> brief = Stream.of("--warmup-ms", "0", "--sample-ms", "20", "--samples", "1");
        Stream<String> knobs = Arrays.stream(params.split(" "))
                .filter(param -> !param.isEmpty())
                .flatMap(param -> Stream.of("--param", param));
        return run(Stream.of(common, brief, knobs, Stream.of(more))
                .flatMap(words -> words)
                .toArray(String[]::new));
    }

    static Stream<Arguments> runs() {
        return RUNS.entrySet().stream()
                .flatMap(mode -> RunnableVariants.all()
                        .flatMap(variant -> mode.getValue().stream()
                                .map(params -> Arguments.of(mode.getKey().key(), variant.name(), params))));
    }

    @ParameterizedTest
    @MethodSource("runs")
    void everyVariantHasTheDirectLoopsResult(String scenario, String variant, String params) {
        assertEquals(0, measure(scenario, variant, params), printed);
        assertTrue(printed.lines().toList().getLast().contains("\"passed\":true"), printed);
    }

    @Test
    void noModeIsForgottenHere() {
        assertEquals(Mode.values().length, RUNS.size());
    }

    @Test
    void theSourceOfEachVariantIsThere() {
        for (Variant<Design> variant : Variants.all()) {
            assertTrue(Files.exists(Path.of(variant.source())), variant.source());
        }
    }

    /** The report: Stream8 typically fails the hard limit for scenarios with back pressure. */
    @Test
    void streamsAreVoidUnderBackPressure() {
        for (Mode mode : List.of(Mode.DELAY, Mode.EFFORT)) {
            assertEquals(4, measure(mode.key(), "streams", ""));
            String last = printed.lines().toList().getLast();
            assertTrue(last.contains("\"kind\":\"void\""), last);
            assertTrue(last.contains("breaks the hard limit"), last);
        }
    }

    @Test
    void aReadersPipelineIsDescribedCheckedAndMeasured(@TempDir Path folder) throws IOException {
        String jar =
                PluginJar.handling(folder, "MyPipeline", "scorer.accept(word);").toString();
        assertEquals(0, run("describe", "--plugin", jar));
        assertTrue(printed.contains("\"name\":\"my-pipeline\",\"role\":\"yours\""), printed);
        assertEquals(0, run("contract", "--plugin", jar), printed);
        assertEquals(0, measure("fast", "my-pipeline", "", "--plugin", jar), printed);
    }

    @Test
    void aPipelineThatLosesOrRepeatsWordsIsNoAnswer(@TempDir Path folder) throws IOException {
        String loses = "if (!word.endsWith(\"ly\")) scorer.accept(word);";
        String jar = PluginJar.handling(folder, "LosingPipeline", loses).toString();
        assertEquals(4, measure("fast", "losing-pipeline", "", "--plugin", jar));
        assertTrue(printed.contains("words were scored, 23233 given"), printed);
        String repeats = "scorer.accept(word); if (word.length() == 1) scorer.accept(word);";
        jar = PluginJar.handling(folder, "RepeatingPipeline", repeats).toString();
        assertEquals(4, run("contract", "--plugin", jar));
        assertTrue(printed.contains("one of them 2 times"), printed);
    }
}
