package perflab.mailbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Runs jcstress over the mailboxes, briefly, and judges both ways: a defect that is known must be found, and a mailbox that
 * claims to have none must show none. {@code -Dstress.mode=full} does so for longer.
 */
@Tag("stress")
class StressTest {

    private static final long LIMIT_MIN = 40;

    /** Quick: about a minute in all; full: about ten. */
    private static final boolean FULL = "full".equals(System.getProperty("stress.mode"));

    /** The last column of a line such as {@code .......... [OK] perflab.mailbox.AnnounceStress.Repaired}. */
    private static final Pattern VERDICT = Pattern.compile("\\[(OK|FAILED)] perflab\\.mailbox\\.(\\S+)");

    private static final Map<String, String> VERDICTS = new HashMap<>();

    @BeforeAll
    static void runAll(@TempDir Path folder) throws IOException, InterruptedException {
        List<String> command = List.of(
                ProcessHandle.current().info().command().orElseThrow(),
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                "org.openjdk.jcstress.Main",
                "-v",
                "-t",
                "perflab.mailbox",
                "-iters",
                FULL ? "10" : "1",
                "-time",
                FULL ? "4000" : "2000",
                "-f",
                "1",
                "-fsm",
                "1",
                // more processors than these add nothing to two actors; pinning is not allowed everywhere
                "-c",
                "2",
                "-af",
                "NONE",
                "-sc",
                "false",
                "-jvmArgs",
                "-XX:-TieredCompilation");
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        String printed = new String(process.getInputStream().readAllBytes());
        if (!process.waitFor(LIMIT_MIN, TimeUnit.MINUTES)) {
            process.destroyForcibly();
        }
        Matcher verdict = VERDICT.matcher(printed);
        while (verdict.find()) {
            // several configurations of one test: one failure is a failure
            VERDICTS.merge(verdict.group(2), verdict.group(1), (one, other) -> one.equals("FAILED") ? one : other);
        }
        assertFalse(VERDICTS.isEmpty(), "jcstress ran nothing: " + printed);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "LostWakeupStress.PublishedTake",
                "LostWakeupStress.ResizableTake",
                "AnnounceStress.RepairedWithoutItsFence",
                "lab.SleepStress.AnnouncedBesideTheWord"
            })
    void aForbiddenLossIsFound(String test) {
        assertEquals("FAILED", VERDICTS.get(test));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "LostWakeupStress.RepairedTake",
                "AnnounceStress.Repaired",
                "AnnounceStress.RepairedAtTheEndOfAChunk",
                "lab.SleepStress.Consumer",
                "lab.SleepStress.Producer",
                "lab.DeliveryStress.InTurn",
                "lab.CloseStress.Offers",
                "lab.CloseStress.Take",
                "lab.CloseStress.OfferToFull",
                "lab.WaitStress.Take",
                "lab.WaitStress.OfferToFull"
            })
    void noLossIsFound(String test) {
        assertEquals("OK", VERDICTS.get(test));
    }
}
