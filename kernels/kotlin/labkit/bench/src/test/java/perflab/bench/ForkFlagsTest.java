package perflab.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ForkFlagsTest {

    private static final String AGENT = "-agentpath:/lib/profiler.so=start,event=cpu";

    @Test
    void anAgentFromTheEnvironmentIsNotHandedOnTwice() {
        assertEquals(
                List.of("-Xmx1g"),
                ForkFlags.without(List.of(AGENT, "-Xmx1g"), Map.of("JAVA_TOOL_OPTIONS", AGENT + "  -Dunknown=1")));
    }

    @Test
    void anAgentFromTheCommandLineIsHandedOn() {
        assertEquals(List.of(AGENT), ForkFlags.without(List.of(AGENT), Map.of()));
    }

    @Test
    void aFlagGivenInBothPlacesStaysOnce() {
        assertEquals(
                List.of("-Xmx1g"),
                ForkFlags.without(List.of("-Xmx1g", "-Xmx1g"), Map.of("JDK_JAVA_OPTIONS", "-Xmx1g")));
    }
}
