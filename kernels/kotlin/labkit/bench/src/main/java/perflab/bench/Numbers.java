package perflab.bench;

/** How a number is written. */
final class Numbers {

    private static final double LARGEST_EXACT_INTEGER = 0x1p53;

    private Numbers() {}

    /** A whole number without a fraction or an exponent, anything else as it is. */
    static Number shortest(double value) {
        if (value == Math.rint(value) && Math.abs(value) <= LARGEST_EXACT_INTEGER) {
            return (long) value;
        }
        return value;
    }
}
