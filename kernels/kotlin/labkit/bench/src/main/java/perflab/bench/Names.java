package perflab.bench;

import java.util.Collection;
import java.util.List;
import java.util.Locale;

/** Names on the command line. Python suggests what a misspelt one was meant to be. */
final class Names {

    private Names() {}

    /** {@code MyMailbox} to {@code my-mailbox}, {@code HTTPMailbox2} to {@code http-mailbox2}. */
    static String kebabCase(String className) {
        return className
                .replaceAll("(\\p{Lower}|\\d)(\\p{Upper})", "$1-$2")
                .replaceAll("(\\p{Upper})(\\p{Upper}\\p{Lower})", "$1-$2")
                .replace('_', '-')
                .toLowerCase(Locale.ROOT);
    }

    static UsageException unknown(String kind, String name, Collection<String> allowed) {
        return new UsageException("unknown " + kind + " '" + name + "'", List.copyOf(allowed));
    }
}
