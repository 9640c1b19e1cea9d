package perflab.queues.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import javax.tools.ToolProvider;
import perflab.queues.Pipeline;

/** Compiles a reader's pipeline into a plug-in, as a notebook does. */
final class PluginJar {

    private PluginJar() {}

    /** A loop whose body is the given statements; the word is {@code word}. */
    static Path handling(Path folder, String className, String statements) throws IOException {
        String source = """
                import java.util.Iterator;
                import java.util.function.Consumer;

                public class %s implements perflab.queues.Pipeline {
                    public void run(Iterator<String> words, Consumer<String> scorer, perflab.queues.Shape shape) {
                        while (words.hasNext()) { String word = words.next(); %s }
                    }
                }
                """.formatted(className, statements);
        Path file = Files.writeString(folder.resolve(className + ".java"), source);
        String classPath = classesOf(Pipeline.class).toString();
        int exit = ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "-proc:none", "-cp", classPath, "-d", folder.toString(), file.toString());
        assertEquals(0, exit, "the plug-in did not compile");
        Path jar = folder.resolve(className + ".jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
            out.putNextEntry(new JarEntry(className + ".class"));
            out.write(Files.readAllBytes(folder.resolve(className + ".class")));
            out.putNextEntry(new JarEntry("META-INF/services/" + Pipeline.class.getName()));
            out.write(className.getBytes());
        }
        return jar;
    }

    private static Path classesOf(Class<?> type) {
        try {
            return Path.of(
                    type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }
}
