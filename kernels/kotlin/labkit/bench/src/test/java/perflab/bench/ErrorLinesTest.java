package perflab.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each way to fail is one line and an exit status of the protocol. */
class ErrorLinesTest {

    private final Fixture fixture = new Fixture();

    private static String[] run(String... more) {
        return concat("run --scenario counting --variant four".split(" "), more);
    }

    private static String[] concat(String[] first, String[] second) {
        return Stream.concat(Arrays.stream(first), Arrays.stream(second)).toArray(String[]::new);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            run --scenario cuonting --variant four  | unknown scenario 'cuonting'                        | counting, summing
            run --scenario counting --variant seven | unknown variant 'seven'                            | three, four
            run --scenario summing --variant four   | variant 'four' does not support scenario 'summing' | counting
            """)
    void anUnknownNameNamesAll(String line, String message, String allowed) throws IOException {
        assertUsage(message, allowed, line.split(" "));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            step=0                    | a whole number from 1 to 10
            step=11                   | a whole number from 1 to 10
            step=x                    | a whole number from 1 to 10
            step=                     | a whole number from 1 to 10
            step=1.5                  | a whole number from 1 to 10
            step=99999999999999999999 | a whole number from 1 to 10
            ratio=-0.1                | a number from 0.0 to 1.0
            ratio=NaN                 | a number from 0.0 to 1.0
            ratio=Infinity            | a number from 0.0 to 1.0
            ratio=half                | a number from 0.0 to 1.0
            fail=yes                  | true or false
            mode=plein                | plain, throwing, void
            """)
    void aValueThatIsNotAllowedNamesWhatIs(String pair, String allowed) throws IOException {
        String[] parts = pair.split("=", 2);
        assertUsage("parameter '" + parts[0] + "' cannot be '" + parts[1] + "'", allowed, run("--param", pair));
    }

    @Test
    void anUnknownParameterNamesAll() throws IOException {
        assertUsage("unknown parameter 'stepp'", "step, ratio, fail, mode", run("--param", "stepp=1"));
    }

    @Test
    void countsOutOfTheirRangeAreRefused() throws IOException {
        assertUsage("--samples cannot be 0", "a whole number of at least 1", run("--samples", "0"));
        assertUsage("--warmup-ms cannot be -1", "a whole number of at least 0", run("--warmup-ms", "-1"));
    }

    private void assertUsage(String message, String allowed, String... args) throws IOException {
        assertEquals(2, fixture.run(args));
        assertEquals(1, fixture.text.lines().count(), fixture.text);
        List<String> names = allowed.startsWith("a ") ? List.of(allowed) : List.of(allowed.split(", "));
        assertEquals(Map.of("type", "error", "kind", "usage", "message", message, "allowed", names), fixture.last());
    }

    @ParameterizedTest
    @ValueSource(strings = {"--samples=x", "--seed=x", "--param=step", "--sampels=3", "--samples"})
    void whatCannotBeParsedIsAUsageErrorToo(String argument) throws IOException {
        assertEquals(2, fixture.run(run(argument)));
        assertEquals(List.of("error"), fixture.types());
        assertEquals("usage", fixture.last().get("kind"));
        assertTrue(fixture.last().get("allowed").toString().contains("--samples"), fixture.text);
    }

    @Test
    void anUnknownCommandIsNamed() throws IOException {
        assertEquals(2, fixture.run("descrbe"));
        assertEquals("unknown command 'descrbe'", fixture.last().get("message"));
    }

    @Test
    void noCommandNamesThem() throws IOException {
        assertEquals(2, fixture.run());
        assertTrue(fixture.last().get("allowed").toString().contains("describe, run, contract"), fixture.text);
    }

    @Test
    void aMissingOptionIsNamed() throws IOException {
        assertEquals(2, fixture.run("run", "--scenario", "counting"));
        assertTrue(fixture.last().get("message").toString().contains("--variant"), fixture.text);
    }

    @Test
    void aFailedValidationEndsTheRunWithStatusFour() throws IOException {
        assertEquals(4, fixture.run(run("--param", "fail=true")));
        assertEquals(List.of("start", "error"), fixture.types());
        assertEquals(
                Map.of("type", "error", "kind", "validation", "message", "counts are right: they are not"),
                fixture.last());
        assertTrue(fixture.counting.closed, "the experiment was left open");
    }

    @Test
    void aBrokenRuleEndsTheRunWithAKindOfItsOwn() throws IOException {
        assertEquals(4, fixture.run(run("--param", "mode=void")));
        assertEquals(
                Map.of("type", "error", "kind", "void", "message", "1001 overruns, 1000 are allowed"), fixture.last());
        assertTrue(fixture.counting.closed, "the experiment was left open");
    }

    @Test
    void anythingThrownEndsTheRunWithStatusOne() throws IOException {
        assertEquals(1, fixture.run(run("--param", "mode=throwing")));
        assertEquals(List.of("start", "error"), fixture.types());
        assertEquals("internal", fixture.last().get("kind"));
        assertEquals(
                "java.lang.IllegalStateException: thrown on purpose",
                fixture.last().get("message"));
        assertTrue(fixture.counting.closed, "the experiment was left open");
    }

    @Test
    void aPluginThatIsNotThereIsAUsageError(@TempDir Path folder) throws IOException {
        String path = folder.resolve("none.jar").toString();
        assertEquals(2, fixture.run("describe", "--plugin", path));
        assertEquals("no plug-in can be read at '" + path + "'", fixture.last().get("message"));
    }

    @Test
    void aJarWithoutAServiceIsAUsageError(@TempDir Path folder) throws IOException {
        Path jar = folder.resolve("empty.jar");
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
            zip.putNextEntry(new ZipEntry("nothing"));
        }
        assertEquals(2, fixture.run("describe", "--plugin", jar.toString()));
        assertEquals(
                List.of("a jar with META-INF/services/" + Fixture.Tool.class.getName()),
                fixture.last().get("allowed"));
    }

    @Test
    void aServiceThatNamesNoClassIsAUsageError(@TempDir Path folder) throws IOException {
        Path jar = folder.resolve("wrong.jar");
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
            zip.putNextEntry(new ZipEntry("META-INF/services/" + Fixture.Tool.class.getName()));
            zip.write("no.such.Class".getBytes());
        }
        assertEquals(2, fixture.run("contract", "--plugin", jar.toString()));
        assertTrue(fixture.last().get("message").toString().contains("no.such.Class"), fixture.text);
    }

    @Test
    void helpIsNoError() throws IOException {
        assertEquals(0, fixture.run("run", "--help"));
        assertTrue(fixture.text.contains("--sample-ms"), fixture.text);
        assertFalse(fixture.text.contains("\"error\""), fixture.text);
    }
}
