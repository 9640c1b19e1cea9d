package perflab.bench;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The JVM flags that a JMH fork has to be given so that it runs with those of this process.
 *
 * <p>The JVM counts what it took from the environment among its own flags. A fork inherits the environment; given these
 * flags once more, it would load an agent twice, which profilers refuse.
 */
final class ForkFlags {

    private static final List<String> VARIABLES = List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS");

    private ForkFlags() {}

    static List<String> ofThisProcess() {
        return without(ManagementFactory.getRuntimeMXBean().getInputArguments(), System.getenv());
    }

    /** The flags less those that the environment holds; a flag given in both places stays once. */
    static List<String> without(List<String> flags, Map<String, String> environment) {
        List<String> left = new ArrayList<>(flags);
        for (String variable : VARIABLES) {
            for (String flag : environment.getOrDefault(variable, "").split("\\s+")) {
                left.remove(flag);
            }
        }
        return left;
    }
}
