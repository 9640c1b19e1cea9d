package perflab.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PartsTest {

    private static final String AGENT = "-agentpath:/lib/profiler.so=start,event=cpu";

    @Test
    void anAgentFromTheEnvironmentIsNotHandedOnTwice() {
        assertEquals(
                List.of("-Xmx1g"),
                JmhRunner.forkFlags(List.of(AGENT, "-Xmx1g"), Map.of("JAVA_TOOL_OPTIONS", AGENT + "  -Dunknown=1")));
    }

    @Test
    void anAgentFromTheCommandLineIsHandedOn() {
        assertEquals(List.of(AGENT), JmhRunner.forkFlags(List.of(AGENT), Map.of()));
    }

    @Test
    void aFlagGivenInBothPlacesStaysOnce() {
        assertEquals(
                List.of("-Xmx1g"),
                JmhRunner.forkFlags(List.of("-Xmx1g", "-Xmx1g"), Map.of("JDK_JAVA_OPTIONS", "-Xmx1g")));
    }

    @ParameterizedTest
    @CsvSource({
        "MyMailbox, my-mailbox",
        "Mailbox, mailbox",
        "HTTPMailbox, http-mailbox",
        "Mpsc2Mailbox, mpsc2-mailbox",
        "My_Mailbox, my-mailbox",
        "A, a",
        "ABTest, ab-test",
    })
    void aClassBecomesAVariantInKebabCase(String className, String variant) {
        assertEquals(variant, Plugins.kebabCase(className));
    }
}
