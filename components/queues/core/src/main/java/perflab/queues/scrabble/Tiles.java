package perflab.queues.scrabble;

/** The English edition's letters: what each is worth, and how many there are. */
final class Tiles {

    static final int BLANKS = 2;

    //                                   a  b  c  d  e  f  g  h  i  j  k  l  m  n  o  p  q   r  s  t  u  v  w  x  y  z
    private static final int[] POINTS = {1, 3, 3, 2, 1, 4, 2, 4, 1, 8, 5, 1, 3, 1, 1, 3, 10, 1, 1, 1, 1, 4, 4, 8, 4, 10
    };
    private static final int[] COUNTS = {9, 2, 2, 4, 12, 2, 3, 2, 9, 1, 1, 4, 2, 6, 8, 2, 1, 6, 4, 6, 4, 2, 2, 1, 2, 1};

    private Tiles() {}

    /** Of a letter, with 0 for an a. */
    static int points(int letter) {
        return POINTS[letter];
    }

    /** How many tiles there are with a letter, with 0 for an a. */
    static int available(int letter) {
        return COUNTS[letter];
    }
}
