/** The rules of the game, as pure functions, and the one thing that is shared: where the results go. */
package perflab.queues.scrabble;
