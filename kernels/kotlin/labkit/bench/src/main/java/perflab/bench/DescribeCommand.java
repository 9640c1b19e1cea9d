package perflab.bench;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Prints one object: what can be measured here. */
@Command(name = "describe", mixinStandardHelpOptions = true, description = "Print what can be measured, as JSON.")
final class DescribeCommand implements Runnable {

    private final Bench<?> bench;
    private final ProtocolWriter writer;

    @Option(names = "--plugin", paramLabel = "PATH", description = "A jar with variants of your own.")
    private Path plugin;

    DescribeCommand(Bench<?> bench, ProtocolWriter writer) {
        this.bench = bench;
        this.writer = writer;
    }

    @Override
    public void run() {
        List<String> scenarioNames = bench.scenarioNames();
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("protocol", Bench.PROTOCOL_VERSION);
        json.put("component", bench.component());
        json.put("runtime", ProtocolWriter.runtime());
        json.put("timed_regions", true);
        json.put(
                "scenarios",
                bench.scenarios().stream()
                        .map(scenario -> scenario.spec().toJson())
                        .toList());
        json.put(
                "variants",
                bench.variants(plugin).stream()
                        .map(variant -> variant.toJson(scenarioNames))
                        .toList());
        writer.line(json);
    }
}
