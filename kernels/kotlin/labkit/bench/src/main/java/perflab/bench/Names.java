package perflab.bench;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Names on the command line: how a plug-in's class is called there, and which name a misspelt one was meant to be. */
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
        return new UsageException(
                withSuggestion("unknown " + kind + " '" + name + "'", name, allowed), List.copyOf(allowed));
    }

    static String withSuggestion(String message, String name, Collection<String> allowed) {
        return nearest(name, allowed)
                .map(near -> message + ", did you mean '" + near + "'?")
                .orElse(message);
    }

    /** The allowed name with the fewest edits, if they are few enough for a slip of the finger. */
    static Optional<String> nearest(String name, Collection<String> allowed) {
        int tolerated = Math.max(2, name.length() / 3);
        return allowed.stream()
                .filter(candidate -> edits(name, candidate) <= tolerated)
                .min(Comparator.comparingInt(candidate -> edits(name, candidate)));
    }

    /** Levenshtein's distance, one row of the table at a time. */
    private static int edits(String from, String to) {
        int[] row = new int[to.length() + 1];
        for (int j = 0; j < row.length; j++) {
            row[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int substituted = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(substituted, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[to.length()];
    }
}
