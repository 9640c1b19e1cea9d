package perflab.bench;

/** What all samples of a run add up to. */
final class Totals {

    private int samples;
    private double ops;
    private double ns;

    void add(double sampleOps, double sampleNs) {
        samples++;
        ops += sampleOps;
        ns += sampleNs;
    }

    int samples() {
        return samples;
    }

    double ops() {
        return ops;
    }

    double ns() {
        return ns;
    }
}
