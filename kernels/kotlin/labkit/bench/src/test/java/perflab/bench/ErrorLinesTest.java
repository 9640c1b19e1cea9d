package perflab.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each way to fail is one line and an exit status of the protocol. */
class ErrorLinesTest {

    private static final String RUN = "run --scenario counting --variant four ";

    private final Fixture fixture = new Fixture();

    private String refused(String line) throws IOException {
        assertEquals(2, fixture.run(line.split(" ")), fixture.text);
        assertEquals(List.of("error"), fixture.types());
        assertEquals("usage", fixture.last().get("kind"));
        return (String) fixture.last().get("message");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            descrbe                                   | unknown command 'descrbe'
            run --scenario counting                   | Missing required option: '--variant=NAME'
            run --scenario cuonting --variant four    | unknown scenario 'cuonting'
            run --scenario counting --variant seven   | unknown variant 'seven'
            run --scenario summing --variant four     | variant 'four' does not support scenario 'summing'
            describe --plugin none.jar                | no plug-in can be read at 'none.jar'
            """)
    void whatTheCommandLineCannotBeIsRefusedInOneLine(String line, String message) throws IOException {
        assertEquals(message, refused(line));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--sampels=3",
                "--samples",
                "--samples=x",
                "--samples=0",
                "--warmup-ms=-1",
                "--seed=x",
                "--param=step",
                "--param stepp=1"
            })
    void anOptionThatCannotBeReadIsNamed(String option) throws IOException {
        String message = refused(RUN + option);
        assertTrue(message.contains(option.split("[ =]")[option.contains(" ") ? 1 : 0]), message);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "step=0", "step=11", "step=x", "step=", "step=1.5", "step=99999999999999999999",
                "ratio=-0.1", "ratio=NaN", "ratio=Infinity", "ratio=half", "fail=yes", "mode=plein"
            })
    void aParameterTakesWhatItAllows(String pair) throws IOException {
        String[] parts = pair.split("=", 2);
        assertEquals("parameter '" + parts[0] + "' cannot be '" + parts[1] + "'", refused(RUN + "--param " + pair));
    }

    @Test
    void noCommandNamesThem() throws IOException {
        assertEquals(2, fixture.run());
        assertEquals(List.of("describe", "run", "contract"), fixture.last().get("allowed"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            fail=true     | 4 | validation | counts are right: they are not
            mode=void     | 4 | void       | 1001 overruns, 1000 are allowed
            mode=throwing | 1 | internal   | java.lang.IllegalStateException: thrown on purpose
            """)
    void whatGoesWrongInARunHasItsKindAndStatus(String pair, int status, String kind, String message)
            throws IOException {
        assertEquals(status, fixture.run((RUN + "--param " + pair).split(" ")));
        assertEquals(List.of("start", "error"), fixture.types());
        assertEquals(Map.of("type", "error", "kind", kind, "message", message), fixture.last());
        assertTrue(fixture.counting.closed, "the experiment was left open");
    }

    @Test
    void aJarThatIsNoPluginSaysWhy(@TempDir Path folder) throws IOException {
        String service = "META-INF/services/" + Fixture.Tool.class.getName();
        for (String entry : List.of("nothing", service)) {
            Path jar = folder.resolve("wrong.jar");
            try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
                zip.putNextEntry(new ZipEntry(entry));
                zip.write("no.such.Class".getBytes());
            }
            refused("contract --plugin " + jar);
            assertTrue(fixture.text.contains(entry.equals(service) ? "no.such.Class" : service), fixture.text);
        }
    }

    @Test
    void helpIsNoError() throws IOException {
        assertEquals(0, fixture.run("run", "--help"));
        assertTrue(fixture.text.contains("--sample-ms"), fixture.text);
        assertFalse(fixture.text.contains("\"error\""), fixture.text);
    }
}
