package perflab.mailbox.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import perflab.mailbox.Mailbox;

/** The module of the lab's mailbox, as a program finds it that has nothing else of this project. */
class TakeHomeTest {

    private static final Path SOURCES = Path.of("lab/src/main/java");

    @TempDir
    Path folder;

    @Test
    void dependsOnNothingButTheBase() {
        ModuleDescriptor module =
                ModuleFinder.of(classes()).find("perflab.mailbox").orElseThrow().descriptor();
        assertEquals(
                Set.of("java.base"),
                module.requires().stream().map(ModuleDescriptor.Requires::name).collect(Collectors.toSet()));
        assertEquals(
                Set.of("perflab.mailbox", "perflab.mailbox.lab"),
                module.exports().stream().map(ModuleDescriptor.Exports::source).collect(Collectors.toSet()));
    }

    @Test
    void theProgramOfItsReadmeRuns() throws IOException, InterruptedException {
        Matcher program = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(Path.of("lab/README.md")));
        program.find();
        Files.createDirectories(folder.resolve("home"));
        Files.writeString(folder.resolve("module-info.java"), "module home { requires perflab.mailbox; }");
        Files.writeString(folder.resolve("home/Home.java"), """
                package home;

                import java.util.concurrent.TimeUnit;
                import perflab.mailbox.lab.BoundedMailbox;

                public final class Home {
                    public static void main(String[] args) throws InterruptedException {
                        new Home().run();
                    }

                    void handle(String message) {
                        System.out.println("handled " + message);
                    }

                    void run() throws InterruptedException {
                        %s
                        consumer.join();
                    }
                }
                """.formatted(program.group(1)));
        run(
                "javac",
                "-Xlint:all",
                "-Werror",
                "--module-path",
                classes().toString(),
                folder.resolve("module-info.java").toString(),
                folder.resolve("home/Home.java").toString());
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--module-path",
                        classes() + ":" + folder,
                        "--module",
                        "home/home.Home")
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes());
        assertEquals(0, process.waitFor(), said);
        assertEquals("handled one\n", said);
    }

    @Test
    void everythingPublicIsDocumented() {
        run(
                "javadoc",
                "-quiet",
                "-Xdoclint:all",
                "-Werror",
                "-d",
                folder.toString(),
                "--module-source-path",
                "perflab.mailbox=" + SOURCES,
                "--module",
                "perflab.mailbox");
    }

    /** Where the classes of the module are: a folder or a jar. */
    private static Path classes() {
        return Path.of(URI.create(Mailbox.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toString()));
    }

    private static void run(String tool, String... arguments) {
        StringWriter said = new StringWriter();
        PrintWriter out = new PrintWriter(said);
        int status = ToolProvider.findFirst(tool).orElseThrow().run(out, out, arguments);
        assertEquals(0, status, () -> tool + " " + List.of(arguments) + "\n" + said);
    }
}
