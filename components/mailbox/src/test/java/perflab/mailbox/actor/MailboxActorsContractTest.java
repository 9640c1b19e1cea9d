package perflab.mailbox.actor;

import org.junit.jupiter.api.Nested;
import perflab.mailbox.LinkedMailbox;

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
    class SharedHandler extends OfThisComponent {
        SharedHandler() {
            super(ThreadKind.VIRTUAL, AskStyle.SHARED_HANDLER);
        }
    }
}
