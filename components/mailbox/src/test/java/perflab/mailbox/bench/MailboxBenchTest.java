package perflab.mailbox.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The program as a whole: every variant in every scenario, briefly, and plug-ins good and bad. */
class MailboxBenchTest {

    private static final List<String> VARIANTS = List.of(
            "resizable",
            "linked",
            "mpsc-published",
            "jctools-blocking",
            "jctools-mpsc",
            "jctools-xadd",
            "jctools-array",
            "agrona",
            "transfer-queue",
            "mpsc-repaired",
            "mpsc-xadd");

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

    static Stream<List<String>> runs() {
        return VARIANTS.stream()
                .flatMap(variant -> Stream.of(
                        List.of("burst", variant, "--param", "messages=6400"),
                        List.of("burst", variant, "--param", "messages=640", "--param", "producers=64"),
                        List.of("burst", variant, "--param", "consumer=platform", "--param", "work=10"),
                        List.of("wakeup", variant),
                        List.of("wakeup-burst", variant),
                        List.of("idle", variant, "--param", "actors=20"),
                        List.of("ask", variant, "--param", "questions=640"),
                        List.of(
                                "ask",
                                variant,
                                "--param",
                                "askers=4",
                                "--param",
                                "outstanding=16",
                                "--param",
                                "capacity=2"),
                        List.of("offer-poll", variant)));
    }

    @ParameterizedTest
    @MethodSource("runs")
    void everyVariantValidatesInEveryScenario(List<String> run) {
        String[] more = run.subList(2, run.size()).toArray(String[]::new);
        assertEquals(0, measure(run.get(0), run.get(1), more), printed);
        assertTrue(printed.lines().toList().getLast().contains("\"passed\":true"), printed);
    }

    @Test
    void theSourceOfEachVariantIsThere() {
        assertEquals(0, run("describe"));
        for (String type : List.of(
                "ResizableMailbox",
                "LinkedMailbox",
                "MpscPublishedMailbox",
                "MpscRepairedMailbox",
                "MpscXaddMailbox",
                "peer/JctoolsBlockingMailbox",
                "peer/BareQueues",
                "peer/TransferMailbox")) {
            String source = "src/main/java/perflab/mailbox/" + type + ".java";
            assertTrue(printed.contains("\"source\":\"" + source + "\""), printed);
            assertTrue(Files.exists(Path.of(source)), source);
        }
    }

    @Test
    void aPauseWhoseEndsAreSwappedIsAUsageError() {
        assertEquals(2, measure("wakeup", "linked", "--param", "min-gap-us=10", "--param", "max-gap-us=5"));
        assertTrue(printed.contains("'min-gap-us' cannot be 10"), printed);
    }

    @Test
    void aReadersMailboxIsDescribedCheckedAndMeasured(@TempDir Path folder) throws IOException {
        String jar = PlugInJar.withOffer(folder, "MyMailbox", "return queue.offer(e);")
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
        String jar = PlugInJar.withOffer(folder, "TwiceMailbox", twice).toString();
        assertEquals(4, measure("burst", "twice-mailbox", "--plugin", jar, "--param", "messages=6400"));
        assertTrue(printed.contains("\"kind\":\"validation\""), printed);
        assertEquals(4, run("contract", "--plugin", jar));
        assertTrue(printed.contains("came in place of"), printed);
    }

    @Test
    void aMailboxThatDropsIsFoundByTheContract(@TempDir Path folder) throws IOException {
        String drops = "return offers % 100 == 0 || queue.offer(e);";
        String jar = PlugInJar.withOffer(folder, "DroppingMailbox", drops).toString();
        assertEquals(4, run("contract", "--plugin", jar));
        assertTrue(printed.contains("came in place of"), printed);
    }

    @Test
    void aMailboxThatReordersIsNoAnswerInAWakeUpEither(@TempDir Path folder) throws IOException {
        String reorders = "if (offers % 7 == 0) { E other = queue.poll(); queue.offer(e); return other == null ||"
                + " queue.offer(other); } return queue.offer(e);";
        String jar = PlugInJar.withOffer(folder, "MixedMailbox", reorders).toString();
        assertEquals(4, measure("wakeup-burst", "mixed-mailbox", "--plugin", jar));
        assertTrue(printed.contains("out of order"), printed);
    }
}
