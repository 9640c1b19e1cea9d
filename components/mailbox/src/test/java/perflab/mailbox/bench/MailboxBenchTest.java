package perflab.mailbox.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import perflab.bench.Variant;

/** The program as a whole: every variant in every scenario, briefly, and plug-ins good and bad. */
class MailboxBenchTest {

    /** Every scenario, with the parameters of its runs here. */
    private static final Map<String, List<String>> RUNS = Map.ofEntries(
            Map.entry(
                    "burst",
                    List.of("messages=6400", "messages=640 producers=64", "consumer=platform work=10 capacity=100")),
            Map.entry("throughput", List.of("window-ms=20 producers=3", "window-ms=10 work=10000 capacity=100")),
            Map.entry("wakeup", List.of("")),
            Map.entry("wakeup-burst", List.of("")),
            Map.entry("idle", List.of("actors=20")),
            Map.entry("single", List.of("")),
            Map.entry("batch", List.of("created=inside", "tasks=7 actors=3")),
            Map.entry("ask", List.of("questions=640", "askers=4 outstanding=16 capacity=2")),
            Map.entry("spawn", List.of("actors=50")),
            Map.entry("offer-poll", List.of("")));

    private String printed = "";

    private int run(String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int exit = MailboxBench.bench().run(args, new PrintStream(out, true, StandardCharsets.UTF_8));
        printed = out.toString(StandardCharsets.UTF_8);
        return exit;
    }

    private int measure(String scenario, String variant, String... more) {
        Stream<String> common = Stream.of(
                "run",
                "--scenario",
                scenario,
                "--variant",
                variant,
                "--warmup-ms",
                "0",
                "--sample-ms",
                "20",
                "--samples",
                "1");
        return run(Stream.concat(common, Stream.of(more)).toArray(String[]::new));
    }

    static Stream<Arguments> runs() {
        return RUNS.entrySet().stream()
                .flatMap(scenario -> Variants.all().stream()
                        .filter(variant -> supports(variant, scenario.getKey()) && runsHere(variant))
                        .flatMap(variant -> scenario.getValue().stream()
                                .filter(params -> !params.contains("consumer=") || hasOurLoop(variant))
                                .map(params -> Arguments.of(scenario.getKey(), variant.name(), params))));
    }

    /** Cajun needs a JVM of its own: {@link CajunVariantsTest}, tests/runner/test_published_cajun.py. */
    private static boolean runsHere(Variant<Design> variant) {
        return !variant.name().startsWith("cajun");
    }

    /** Other people's systems run their actors on what they choose. */
    private static boolean hasOurLoop(Variant<Design> variant) {
        return variant.subject().mailboxes().isPresent();
    }

    private static boolean supports(Variant<?> variant, String scenario) {
        return variant.scenarios().isEmpty() || variant.scenarios().contains(scenario);
    }

    @Test
    void onlyActorsThatPollHaveACostPerPoll() {
        assertEquals(0, measure("idle", "linked", "--param", "actors=20"), printed);
        assertTrue(printed.contains("\"poll_ns\":"), printed);
        assertEquals(0, measure("idle", "lab", "--param", "actors=20"), printed);
        assertFalse(printed.contains("\"poll_ns\":"), printed);
    }

    @ParameterizedTest
    @MethodSource("runs")
    void everyVariantValidatesInEveryScenario(String scenario, String variant, String params) {
        String[] more = Stream.of(params.split(" "))
                .filter(param -> !param.isEmpty())
                .flatMap(param -> Stream.of("--param", param))
                .toArray(String[]::new);
        assertEquals(0, measure(scenario, variant, more), printed);
        assertTrue(printed.lines().toList().getLast().contains("\"passed\":true"), printed);
    }

    /** More messages than there is room for. */
    @Test
    void aDisruptorThatIsFullLosesNothing() {
        assertEquals(0, measure("burst", "disruptor", "--param", "messages=6400", "--param", "capacity=16"), printed);
    }

    @ParameterizedTest
    @ValueSource(strings = {"consumer=platform", "poll-ms=1", "yield=on", "batch-size=5"})
    void aSystemsOwnLoopTakesNoParameterOfOurs(String parameter) {
        assertEquals(2, measure("burst", "kotlin-channel", "--param", parameter), printed);
    }

    @Test
    void aDisruptorCanBeAskedForTheThreadThatItHas() {
        assertEquals(0, measure("wakeup", "disruptor", "--param", "consumer=platform"), printed);
    }

    @Test
    void noScenarioIsForgottenHere() {
        assertEquals(0, run("describe"));
        Matcher described =
                Pattern.compile("\\{\"name\":\"([a-z-]+)\",\"title\"").matcher(printed);
        assertEquals(
                RUNS.keySet(), described.results().map(found -> found.group(1)).collect(Collectors.toSet()));
    }

    @Test
    void theSourceOfEachVariantIsThere() {
        for (Variant<Design> variant : Variants.all()) {
            assertTrue(Files.exists(Path.of(variant.source())), variant.source());
        }
    }

    @Test
    void aPauseWhoseEndsAreSwappedIsAUsageError() {
        assertEquals(2, measure("wakeup", "linked", "--param", "min-gap-us=10", "--param", "max-gap-us=5"));
        assertTrue(printed.contains("'min-gap-us' cannot be 10"), printed);
    }

    @Test
    void aScheduleOfTooManyMessagesIsAUsageError() {
        assertEquals(2, measure("throughput", "linked", "--param", "rate=10000000", "--param", "window-ms=500"));
        assertTrue(printed.contains("a whole number from 10 to 400"), printed);
    }

    @Test
    void aReadersMailboxIsDescribedCheckedAndMeasured(@TempDir Path folder) throws IOException {
        String jar = PluginJar.withOffer(folder, "MyMailbox", "return queue.offer(e);")
                .toString();
        assertEquals(0, run("describe", "--plugin", jar));
        assertTrue(printed.contains("\"name\":\"my-mailbox\",\"role\":\"yours\""), printed);
        assertEquals(0, run("contract", "--plugin", jar), printed);
        assertEquals(0, measure("burst", "my-mailbox", "--plugin", jar, "--param", "messages=6400"), printed);
        assertEquals(0, measure("offer-poll", "my-mailbox", "--plugin", jar), printed);
    }

    @Test
    void aMailboxThatDeliversTwiceIsNoAnswer(@TempDir Path folder) throws IOException {
        String twice = "if (offers % 100 == 0) queue.offer(e); return queue.offer(e);";
        String jar = PluginJar.withOffer(folder, "TwiceMailbox", twice).toString();
        assertEquals(4, measure("burst", "twice-mailbox", "--plugin", jar, "--param", "messages=6400"));
        assertTrue(printed.contains("\"kind\":\"validation\""), printed);
        assertEquals(4, measure("throughput", "twice-mailbox", "--plugin", jar));
        assertTrue(printed.contains("twice or out of its producer's order"), printed);
        assertEquals(4, run("contract", "--plugin", jar));
        assertTrue(printed.contains("came in place of"), printed);
    }

    @Test
    void aMailboxThatDropsIsFoundByTheContractAndAtAGivenRate(@TempDir Path folder) throws IOException {
        String drops = "return offers % 100 == 0 || queue.offer(e);";
        String jar = PluginJar.withOffer(folder, "DroppingMailbox", drops).toString();
        assertEquals(4, run("contract", "--plugin", jar));
        assertTrue(printed.contains("came in place of"), printed);
        assertEquals(4, measure("throughput", "dropping-mailbox", "--plugin", jar, "--param", "rate=64000"));
        assertTrue(printed.contains("every accepted message is handled: 6336 of 6400 were"), printed);
    }

    @Test
    void aMailboxThatReordersIsNoAnswerInAWakeUpEither(@TempDir Path folder) throws IOException {
        String reorders = "if (offers % 7 == 0) { E other = queue.poll(); queue.offer(e); return other == null ||"
                + " queue.offer(other); } return queue.offer(e);";
        String jar = PluginJar.withOffer(folder, "MixedMailbox", reorders).toString();
        assertEquals(4, measure("wakeup-burst", "mixed-mailbox", "--plugin", jar));
        assertTrue(printed.contains("out of order"), printed);
    }
}
