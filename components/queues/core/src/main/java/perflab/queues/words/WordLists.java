package perflab.queues.words;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;

/** What Shakespeare wrote, and what the board accepts. */
public final class WordLists {

    /** Any fixed number: it decides which words are the first hundred, which two of the modes play with. */
    private static final long ORDER = 1616;

    private WordLists() {}

    /** The words that count, of two to eight letters. */
    public static Set<String> dictionary() {
        return new HashSet<>(read("dictionary.txt"));
    }

    /**
     * The distinct words of the plays, in an order that is no order and always the same. Upstream has that of a hash set; the
     * lists' own is the alphabet's, in which the first hundred words are not like the others.
     */
    public static List<String> shakespeare() {
        List<String> words = read("shakespeare.txt");
        Collections.shuffle(words, new Random(ORDER));
        return Collections.unmodifiableList(words);
    }

    private static List<String> read(String name) {
        InputStream resource = WordLists.class.getResourceAsStream(name);
        if (resource == null) {
            throw new IllegalStateException("the word list " + name + " is not in the jar");
        }
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(resource, StandardCharsets.US_ASCII))) {
            return lines.lines().collect(Collectors.toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
