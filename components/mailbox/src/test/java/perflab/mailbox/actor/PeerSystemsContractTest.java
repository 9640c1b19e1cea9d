package perflab.mailbox.actor;

import kotlinx.coroutines.channels.Channel;
import org.junit.jupiter.api.Nested;
import perflab.mailbox.peer.ChannelActors;
import perflab.mailbox.peer.DisruptorActors;
import perflab.mailbox.peer.JoxActors;
import perflab.mailbox.peer.PekkoActors;

/** The libraries' systems, and in what they differ once an actor has ended. */
class PeerSystemsContractTest {

    /** The ring takes what fits into it, whether there is a processor or not. */
    @Nested
    class Disruptor extends ActorSystemContractTest {
        @Override
        ActorSystem start() {
            return new DisruptorActors(10_000);
        }

        @Override
        boolean acceptsAfterItsEnd() {
            return true;
        }

        @Override
        boolean failsQuestionsAfterItsEnd() {
            return false;
        }
    }

    /** Dead letters: a tell says nothing, an ask sees at once that the actor is gone. */
    private abstract static class Pekko extends ActorSystemContractTest {
        @Override
        boolean acceptsAfterItsEnd() {
            return true;
        }

        @Override
        boolean failsQuestionsAfterItsEnd() {
            return true;
        }
    }

    @Nested
    class PekkoUnbounded extends Pekko {
        @Override
        ActorSystem start() {
            return PekkoActors.unbounded();
        }
    }

    @Nested
    class PekkoBounded extends Pekko {
        @Override
        ActorSystem start() {
            return PekkoActors.bounded(10_000);
        }
    }

    /** The channel ends with the actor, and says so to both. */
    private abstract static class Channels extends ActorSystemContractTest {
        @Override
        boolean acceptsAfterItsEnd() {
            return false;
        }

        @Override
        boolean failsQuestionsAfterItsEnd() {
            return true;
        }
    }

    @Nested
    class Jox extends Channels {
        @Override
        ActorSystem start() {
            return new JoxActors();
        }
    }

    @Nested
    class UnlimitedChannels extends Channels {
        @Override
        ActorSystem start() {
            return new ChannelActors(Channel.UNLIMITED);
        }
    }

    @Nested
    class BoundedChannels extends Channels {
        @Override
        ActorSystem start() {
            return new ChannelActors(10_000);
        }
    }
}
