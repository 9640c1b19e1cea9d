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
import org.junit.jupiter.params.provider.ValueSource;

/** Each way to fail is one line and an exit status of the protocol. */
class ErrorLinesTest {

    private final Fixture fixture = new Fixture();

    private void assertUsage(String message, List<String> allowed, String... args) throws IOException {
        assertEquals(2, fixture.run(args));
        assertEquals(1, fixture.text.lines().count(), fixture.text);
        assertEquals(Map.of("type", "error", "kind", "usage", "message", message, "allowed", allowed), fixture.last());
    }

    private static String[] run(String... more) {
        String[] args = new String[5 + more.length];
        System.arraycopy(new String[] {"run", "--scenario", "counting", "--variant", "four"}, 0, args, 0, 5);
        System.arraycopy(more, 0, args, 5, more.length);
        return args;
    }

    @Test
    void anUnknownScenarioNamesTheNearestAndAll() throws IOException {
        assertUsage(
                "unknown scenario 'cuonting', did you mean 'counting'?",
                List.of("counting", "summing"),
                "run",
                "--scenario",
                "cuonting",
                "--variant",
                "four");
    }

    @Test
    void anUnknownVariantNamesAll() throws IOException {
        assertUsage(
                "unknown variant 'seventeen'",
                List.of("three", "four"),
                "run",
                "--scenario",
                "counting",
                "--variant",
                "seventeen");
    }

    @Test
    void aScenarioThatTheVariantLacksNamesThoseItHas() throws IOException {
        assertUsage(
                "variant 'four' does not support scenario 'summing'",
                List.of("counting"),
                "run",
                "--scenario",
                "summing",
                "--variant",
                "four");
    }

    @Test
    void anUnknownParameterNamesTheNearestAndAll() throws IOException {
        assertUsage(
                "unknown parameter 'stepp', did you mean 'step'?",
                List.of("step", "ratio", "fail", "mode"),
                run("--param", "stepp=1"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "11", "x", "", "1.5", "99999999999999999999"})
    void aWholeNumberOutOfItsRangeNamesTheRange(String value) throws IOException {
        assertUsage(
                "parameter 'step' cannot be '" + value + "'",
                List.of("a whole number from 1 to 10"),
                run("--param", "step=" + value));
    }

    @ParameterizedTest
    @ValueSource(strings = {"-0.1", "1.1", "NaN", "Infinity", "half"})
    void aFractionOutOfItsRangeNamesTheRange(String value) throws IOException {
        assertUsage(
                "parameter 'ratio' cannot be '" + value + "'",
                List.of("a number from 0.0 to 1.0"),
                run("--param", "ratio=" + value));
    }

    @Test
    void aWordThatIsNoChoiceNamesTheChoices() throws IOException {
        assertUsage(
                "parameter 'mode' cannot be 'plein', did you mean 'plain'?",
                List.of("plain", "throwing", "void"),
                run("--param", "mode=plein"));
    }

    @Test
    void aFlagThatIsNeitherTrueNorFalseSaysSo() throws IOException {
        assertUsage("parameter 'fail' cannot be 'yes'", List.of("true or false"), run("--param", "fail=yes"));
    }

    @Test
    void zeroSamplesAreRefused() throws IOException {
        assertUsage("--samples cannot be 0", List.of("a whole number of at least 1"), run("--samples", "0"));
    }

    @Test
    void aNegativeWarmUpIsRefused() throws IOException {
        assertUsage("--warmup-ms cannot be -1", List.of("a whole number of at least 0"), run("--warmup-ms", "-1"));
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
    void anUnknownCommandNamesTheNearest() throws IOException {
        assertEquals(2, fixture.run("descrbe"));
        assertEquals(
                "unknown command 'descrbe', did you mean 'describe'?",
                fixture.last().get("message"));
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
