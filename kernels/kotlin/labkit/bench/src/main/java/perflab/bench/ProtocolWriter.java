package perflab.bench;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.util.Map;

/** Writes JSON Lines, each as soon as it is complete. */
final class ProtocolWriter {

    private final PrintStream out;

    ProtocolWriter(PrintStream out) {
        this.out = out;
    }

    /** A whole number without a fraction or an exponent, anything else as it is. */
    static Number shortest(double value) {
        if (value == Math.rint(value) && Math.abs(value) <= 0x1p53) {
            return (long) value;
        }
        return value;
    }

    /** What the bench program runs on. */
    static Map<String, Object> runtime() {
        return Map.of(
                "name", System.getProperty("java.vm.name"),
                "version", System.getProperty("java.runtime.version"),
                "flags", ManagementFactory.getRuntimeMXBean().getInputArguments());
    }

    void line(Map<String, ?> object) {
        try {
            out.println(JSON.std.asString(object));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        out.flush();
    }
}
