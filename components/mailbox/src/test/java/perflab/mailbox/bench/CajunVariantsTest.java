package perflab.mailbox.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Cajun's variants where Cajun cannot be loaded; where it can, tests/runner/test_published_cajun.py runs them. */
class CajunVariantsTest {

    private String printed = "";

    private int run(String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int exit = MailboxBench.bench().run(args, new PrintStream(out, true, StandardCharsets.UTF_8));
        printed = out.toString(StandardCharsets.UTF_8);
        return exit;
    }

    @ParameterizedTest
    @ValueSource(strings = {"cajun", "cajun-mpsc", "cajun-logging"})
    void onAnotherJvmTheyAreMissingAndSayWhatTheyNeed(String variant) {
        assertEquals(3, run("run", "--scenario", "burst", "--variant", variant));
        assertTrue(printed.contains("\"kind\":\"missing\""), printed);
        assertTrue(printed.contains("only on a JVM 21 with --enable-preview"), printed);
    }

    @Test
    void aMailboxAloneIsNotToBeHad() {
        assertEquals(2, run("run", "--scenario", "offer-poll", "--variant", "cajun"));
        assertTrue(printed.contains("does not support scenario 'offer-poll'"), printed);
    }

    @Test
    void whatCajunFixesByItselfCannotBeAskedFor() {
        for (String param : List.of("poll-ms=5", "consumer=platform", "batch-size=2", "yield=on", "capacity=5")) {
            assertEquals(2, run("run", "--scenario", "burst", "--variant", "cajun", "--param", param), param);
        }
    }
}
