package perflab.mailbox.technique;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import perflab.mailbox.LinkedMailbox;
import perflab.mailbox.actor.ActorRef;
import perflab.mailbox.actor.AskStyle;
import perflab.mailbox.actor.MailboxActors;
import perflab.mailbox.actor.PollLoop;
import perflab.mailbox.actor.ThreadKind;

class ActorPoolTest {

    private static final long LIMIT_S = 20;

    private final ActorPool pool = new ActorPool(
            new MailboxActors(LinkedMailbox::new, PollLoop.UNTIMED, ThreadKind.VIRTUAL, AskStyle.PROMISE));

    @AfterEach
    void close() {
        pool.close();
    }

    private Thread threadOf(ActorRef<BlockingQueue<Thread>> actor) throws InterruptedException {
        BlockingQueue<Thread> answer = new LinkedBlockingQueue<>();
        assertTrue(actor.tell(answer));
        return answer.poll(LIMIT_S, TimeUnit.SECONDS);
    }

    private final Consumer<BlockingQueue<Thread>> nameYourThread = answer -> answer.add(Thread.currentThread());

    @Test
    void aStoppedActorIsLentAgain() throws InterruptedException {
        ActorRef<BlockingQueue<Thread>> first = pool.spawn(nameYourThread);
        Thread thread = threadOf(first);
        first.close();
        assertFalse(first.isAlive());
        assertSame(thread, threadOf(pool.spawn(nameYourThread)));
    }

    @Test
    void twoAtOnceAreTwo() throws InterruptedException {
        Thread first = threadOf(pool.spawn(nameYourThread));
        assertNotSame(first, threadOf(pool.spawn(nameYourThread)));
    }

    @Test
    void stoppingTwiceLendsOnce() throws InterruptedException {
        ActorRef<BlockingQueue<Thread>> first = pool.spawn(nameYourThread);
        first.stop();
        first.close();
        assertNotSame(threadOf(pool.spawn(nameYourThread)), threadOf(pool.spawn(nameYourThread)));
    }

    @Test
    void aLateMessageOfAnEarlierLeaseIsDropped() throws InterruptedException {
        List<String> handled = new CopyOnWriteArrayList<>();
        ActorRef<String> earlier = pool.spawn(handled::add);
        earlier.tell("in time");
        earlier.close();
        CountDownLatch end = new CountDownLatch(1);
        ActorRef<String> later = pool.spawn(message -> {
            handled.add("later: " + message);
            end.countDown();
        });
        earlier.tell("too late");
        later.tell("mine");
        assertTrue(end.await(LIMIT_S, TimeUnit.SECONDS));
        assertEquals(List.of("in time", "later: mine"), handled);
    }

    @Test
    void anActorWhoseHandlerThrewIsNotLentAgain() throws InterruptedException {
        ActorRef<String> broken = pool.spawn(message -> {
            throw new IllegalStateException(message);
        });
        broken.tell("break");
        broken.close();
        assertTrue(threadOf(pool.spawn(nameYourThread)).isAlive());
    }
}
