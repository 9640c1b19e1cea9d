package perflab.mailbox.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import perflab.bench.Variant;

/** The libraries' actor systems in every scenario that they support, briefly. */
class PeerSystemsBenchTest {

    /** Parameters that make a scenario short, or hard; without an entry it runs as it is. */
    private static final Map<String, List<String>> PARAMETERS = Map.of(
            "burst", List.of("messages=6400", "producers=64"),
            "ask", List.of("questions=640", "askers=4", "outstanding=16"),
            "idle", List.of("actors=20"),
            "spawn", List.of("actors=20"));

    private static Stream<Variant<Design>> systems() {
        return Variants.peers().stream()
                .filter(variant -> variant.subject().mailboxes().isEmpty());
    }

    static Stream<Arguments> runs() {
        return systems()
                .flatMap(variant ->
                        variant.scenarios().stream().map(scenario -> Arguments.of(variant.name(), scenario)));
    }

    private static int run(ByteArrayOutputStream out, List<String> args) {
        return MailboxBench.bench()
                .run(args.toArray(String[]::new), new PrintStream(out, true, StandardCharsets.UTF_8));
    }

    private static List<String> briefly(String variant, String scenario, List<String> parameters) {
        List<String> args = new ArrayList<>(List.of("run", "--scenario", scenario, "--variant", variant));
        args.addAll(List.of("--warmup-ms", "0", "--sample-ms", "20", "--samples", "1"));
        parameters.forEach(parameter -> args.addAll(List.of("--param", parameter)));
        return args;
    }

    @ParameterizedTest
    @MethodSource("runs")
    void everySystemValidatesInItsScenarios(String variant, String scenario) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        List<String> args = briefly(variant, scenario, PARAMETERS.getOrDefault(scenario, List.of()));
        assertEquals(0, run(out, args), out::toString);
        assertTrue(
                out.toString(StandardCharsets.UTF_8).lines().toList().getLast().contains("\"passed\":true"));
    }

    /** More messages than there is room for: refused and tried again, or waited for. */
    @ParameterizedTest
    @ValueSource(strings = {"disruptor", "pekko-bounded", "kotlin-channel-bounded"})
    void aBoundedSystemLosesNothing(String variant) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        assertEquals(0, run(out, briefly(variant, "burst", List.of("messages=6400", "capacity=16"))), out::toString);
    }

    @ParameterizedTest
    @ValueSource(strings = {"consumer=platform", "poll-ms=1", "yield=on", "batch-size=5"})
    void aSystemsOwnLoopTakesNoOtherParameter(String parameter) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        assertEquals(2, run(out, briefly("kotlin-channel", "burst", List.of(parameter))), out::toString);
    }

    @Test
    void aDisruptorCanBeAskedForTheThreadThatItHas() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        assertEquals(0, run(out, briefly("disruptor", "wakeup", List.of("consumer=platform"))), out::toString);
    }

    static Stream<Variant<Design>> variants() {
        return Variants.peers().stream();
    }

    @ParameterizedTest
    @MethodSource("variants")
    void theSourceOfEachPeerIsThere(Variant<Design> variant) {
        assertTrue(Files.exists(Path.of(variant.source())), variant.source());
    }
}
