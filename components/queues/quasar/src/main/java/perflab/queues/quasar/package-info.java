/**
 * The bench program of the variants that run on Java 11 alone. Quasar 0.8.0 instruments the classes of its fibers by an agent that
 * fails on later JVMs, and the labkit is compiled for Java 21; so this program speaks the part of the bench protocol
 * ({@code docs/protocol.md}) that {@code run} and {@code contract} need by itself. The game is the same, from {@code queues-core}.
 *
 * <p>It also plays RxJava, with the agent and without: the report says that the agent slows the others down.
 */
package perflab.queues.quasar;
