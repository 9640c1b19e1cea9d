package perflab.queues;

/** How many workers a pipeline has unless the run says so, as the report's implementations had them. */
public enum Crew {
    /** The caller, and nobody else. */
    ALONE {
        @Override
        public int workers(int processors) {
            return 1;
        }
    },
    /** One thread reads the source and does not score: it has a processor, the workers have the others. */
    BESIDE_THE_PRODUCER {
        @Override
        public int workers(int processors) {
            return Math.max(1, processors - 1);
        }
    },
    /** Whoever reads scores as well, or hardly runs. */
    ALL_PROCESSORS {
        @Override
        public int workers(int processors) {
            return processors;
        }
    };

    public abstract int workers(int processors);
}
