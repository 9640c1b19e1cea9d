/**
 * Shakespeare plays Scrabble over queues: each of his words is scored by the rules of the game, and a pipeline says who scores
 * which word when.
 *
 * <pre>
 *   words.WordLists -> modes.Feed -> Pipeline -> scrabble.Scrabble -> scrabble.Results
 *                        |  the source              |
 *                        +---- modes.Outstanding ---+     words under way, when the mode limits them
 * </pre>
 *
 * What each operation of the report's benchmark does is described in {@code components/queues/README.md}; the rules
 * here are written from that description.
 */
package perflab.queues;
