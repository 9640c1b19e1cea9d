package perflab.mailbox.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import javax.tools.ToolProvider;
import perflab.mailbox.Mailbox;

/** Compiles a reader's mailbox into a plug-in, as a notebook does. */
final class PluginJar {

    private PluginJar() {}

    /** A mailbox around a LinkedBlockingQueue whose offer is the given statements; the message is {@code e}. */
    static Path withOffer(Path folder, String className, String offer) throws IOException {
        String source = """
                import java.util.Collection;
                import java.util.concurrent.LinkedBlockingQueue;
                import java.util.concurrent.TimeUnit;

                public class %s<E> implements perflab.mailbox.Mailbox<E> {
                    private final LinkedBlockingQueue<E> queue = new LinkedBlockingQueue<>();
                    private int offers;
                    public synchronized boolean offer(E e) { offers++; %s }
                    public E poll(long timeout, TimeUnit unit) throws InterruptedException { return queue.poll(timeout, unit); }
                    public E take() throws InterruptedException { return queue.take(); }
                    public int drainTo(Collection<? super E> sink, int max) { return queue.drainTo(sink, max); }
                    public int size() { return queue.size(); }
                    public int capacity() { return Integer.MAX_VALUE; }
                }
                """.formatted(className, offer);
        Path file = Files.writeString(folder.resolve(className + ".java"), source);
        String interfaces = Path.of(classesOf(Mailbox.class)).toString();
        int exit = ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "-proc:none", "-cp", interfaces, "-d", folder.toString(), file.toString());
        assertEquals(0, exit, "the plug-in did not compile");
        Path jar = folder.resolve(className + ".jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
            out.putNextEntry(new JarEntry(className + ".class"));
            out.write(Files.readAllBytes(folder.resolve(className + ".class")));
            out.putNextEntry(new JarEntry("META-INF/services/" + Mailbox.class.getName()));
            out.write(className.getBytes());
        }
        return jar;
    }

    private static java.net.URI classesOf(Class<?> type) {
        try {
            return type.getProtectionDomain().getCodeSource().getLocation().toURI();
        } catch (java.net.URISyntaxException e) {
            throw new AssertionError(e);
        }
    }
}
