/**
 * The Bench half of the JVM labkit: what a component's bench program uses to speak the bench protocol, version 1
 * ({@code docs/protocol.md}).
 *
 * <pre>
 *   component              labkit                                        perflab
 *   Bench.of("mailbox") -> describe | run | contract | --help  -> JSON, one object a line, on standard output
 *     scenarios              RunCommand (own clock)
 *     variants               JmhRunner  (one JMH fork)
 * </pre>
 *
 * Nothing here computes a statistic over samples: a sample leaves as operations, nanoseconds, counters and percentiles,
 * and {@code perflab} judges it.
 */
package perflab.bench;
