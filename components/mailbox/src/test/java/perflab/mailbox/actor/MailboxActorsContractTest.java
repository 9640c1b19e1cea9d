package perflab.mailbox.actor;

import static org.junit.jupiter.api.Assertions.assertFalse;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import perflab.mailbox.LinkedMailbox;
import perflab.mailbox.lab.UnboundedMailbox;

/** The component's own system, in each way of asking. */
class MailboxActorsContractTest {

    private abstract static class OfThisComponent extends ActorSystemContractTest {
        private final ThreadKind threads;
        private final AskStyle style;

        OfThisComponent(ThreadKind threads, AskStyle style) {
            this.threads = threads;
            this.style = style;
        }

        @Override
        ActorSystem start() {
            return new MailboxActors(LinkedMailbox::new, PollLoop.UNTIMED, threads, style);
        }

        /** The mailbox does not know that nobody will come. */
        @Override
        boolean acceptsAfterItsEnd() {
            return true;
        }

        @Override
        boolean failsQuestionsAfterItsEnd() {
            return false;
        }
    }

    @Nested
    class TemporaryActors extends OfThisComponent {
        TemporaryActors() {
            super(ThreadKind.VIRTUAL, AskStyle.TEMPORARY_ACTOR);
        }
    }

    @Nested
    class Promises extends OfThisComponent {
        Promises() {
            super(ThreadKind.PLATFORM, AskStyle.PROMISE);
        }
    }

    @Nested
    class OverAMailboxThatCloses extends OfThisComponent {
        OverAMailboxThatCloses() {
            super(ThreadKind.VIRTUAL, AskStyle.PROMISE);
        }

        @Override
        ActorSystem start() {
            return new MailboxActors(UnboundedMailbox::new, PollLoop.UNTIMED, ThreadKind.VIRTUAL, AskStyle.PROMISE);
        }

        @Override
        boolean acceptsAfterItsEnd() {
            return false;
        }

        @Override
        boolean failsQuestionsAfterItsEnd() {
            return true;
        }

        @Test
        void itRefusesWhenItsHandlerHasThrownToo() throws InterruptedException {
            try (ActorSystem system = start()) {
                ActorRef<Integer> actor = system.spawn(message -> {
                    throw new IllegalStateException("a handler that fails");
                });
                actor.tell(1);
                eventually(() -> !actor.isAlive());
                assertFalse(actor.tell(2));
            }
        }
    }

    @Nested
    class SharedHandler extends OfThisComponent {
        SharedHandler() {
            super(ThreadKind.VIRTUAL, AskStyle.SHARED_HANDLER);
        }
    }
}
