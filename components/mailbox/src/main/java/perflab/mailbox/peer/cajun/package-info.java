/**
 * Cajun 0.7.0, the only release of the report's library that was ever published, behind the actor system of this
 * component.
 *
 * <p>Its {@code IdStrategy}, without which no actor gets a name, is compiled with string templates: a preview feature
 * of Java 21 that later releases have withdrawn. So it runs on a JVM 21 with {@code --enable-preview} and on no other
 * one; {@code component.toml} gives these variants such a runtime, and puts Cajun's jars before the bench program on
 * its class path. Compiled against is the rest of its API, which any newer compiler can read.
 *
 * <p>The order of Cajun's own jars matters. The jar {@code cajun} holds old copies of classes that {@code
 * cajun-mailbox} has repaired, and comes first where a build tool resolves the published dependency; so it does here.
 */
package perflab.mailbox.peer.cajun;
