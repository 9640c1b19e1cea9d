package perflab.mailbox;

import java.lang.reflect.Field;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.ReentrantLock;

/** The locks inside the JDK's blocking queues, so that a test can hold one at the decisive moment. */
final class Locks {

    private Locks() {}

    static ReentrantLock of(ArrayBlockingQueue<?> queue) {
        return (ReentrantLock) get(ArrayBlockingQueue.class, "lock", queue);
    }

    static ReentrantLock putLock(LinkedBlockingQueue<?> queue) {
        return (ReentrantLock) get(LinkedBlockingQueue.class, "putLock", queue);
    }

    static ReentrantLock takeLock(LinkedBlockingQueue<?> queue) {
        return (ReentrantLock) get(LinkedBlockingQueue.class, "takeLock", queue);
    }

    static Object get(Class<?> type, String field, Object object) {
        try {
            Field found = type.getDeclaredField(field);
            found.setAccessible(true);
            return found.get(object);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(type + " has changed", e);
        }
    }
}
