package perflab.queues.quasar;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.util.Map;

/** The protocol's output: an object a line. */
final class Lines {

    private final PrintStream out;

    Lines(PrintStream out) {
        this.out = out;
    }

    void write(Map<String, ?> line) {
        try {
            out.println(JSON.std.asString(line));
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
