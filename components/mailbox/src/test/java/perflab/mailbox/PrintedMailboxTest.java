package perflab.mailbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import perflab.mailbox.contract.Waiting;

/** The offer and the poll that the report prints as MpscMailbox's. */
class PrintedMailboxTest {

    private static final long WAIT_MS = 500;
    private static final long LIMIT_MS = 20_000;

    @TempDir
    private Path classes;

    /** The printed poll's names in scope, and its shape; the place of a declaration and of a clause are left open. */
    private static String poll(String declaration, String clause) {
        return """
                import java.util.concurrent.TimeUnit;
                abstract class Printed<T> {
                    java.util.Queue<T> queue;
                    java.util.concurrent.locks.Lock lock;
                    java.util.concurrent.locks.Condition notEmpty;
                    T poll(long timeout, TimeUnit unit) %s {
                        T message = queue.poll();
                        %s
                        lock.lock();
                        try {
                            while (nanos > 0 && (message = queue.poll()) == null) {
                                nanos = notEmpty.awaitNanos(nanos);
                            }
                        } finally {
                            lock.unlock();
                        }
                        return message;
                    }
                }
                """.formatted(clause, declaration);
    }

    /** The codes of javac's errors. */
    private List<String> errorsOf(String source) {
        JavaFileObject file =
                new SimpleJavaFileObject(URI.create("string:///Printed.java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return source;
                    }
                };
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        List<String> options = List.of("-proc:none", "-implicit:none", "-d", classes.toString());
        ToolProvider.getSystemJavaCompiler()
                .getTask(null, null, found, options, null, List.of(file))
                .call();
        return found.getDiagnostics().stream()
                .map(diagnostic -> diagnostic.getCode())
                .distinct()
                .toList();
    }

    @Test
    void thePrintedPollDoesNotCompile() {
        String declaration = "long nanos = unit.toNanos(timeout);";
        String clause = "throws InterruptedException";
        assertEquals(List.of("compiler.err.cant.resolve.location"), errorsOf(poll("", clause)));
        assertEquals(
                List.of("compiler.err.unreported.exception.need.to.catch.or.throw"), errorsOf(poll(declaration, "")));
        assertEquals(List.of(), errorsOf(poll(declaration, clause)));
    }

    @Test
    void thePrintedOfferLeavesAWaitingPollAsleepAndThePollReturnsNothing() throws Exception {
        PrintedMailbox<String> mailbox = new PrintedMailbox<>();
        try (Waiting<String> consumer = Waiting.on(() -> mailbox.poll(WAIT_MS, TimeUnit.MILLISECONDS))) {
            assertTrue(mailbox.offer("message"));
            assertNull(consumer.result(LIMIT_MS), "it was woken, or looked again after its wait");
        }
        assertEquals(1, mailbox.size());
        assertEquals("message", mailbox.poll(0, TimeUnit.MILLISECONDS));
    }
}
