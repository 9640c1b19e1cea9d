package perflab.bench;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.util.Map;

/** Writes JSON Lines, each as soon as it is complete. */
final class ProtocolWriter {

    private final PrintStream out;

    ProtocolWriter(PrintStream out) {
        this.out = out;
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
