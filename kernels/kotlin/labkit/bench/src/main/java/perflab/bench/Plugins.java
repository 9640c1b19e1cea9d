package perflab.bench;

import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * How a component takes in variants of the reader's own.
 *
 * @param service the interface that a plug-in implements
 * @param adapter makes a subject of a source of fresh instances
 * @param <I> the type of the interface
 * @param <S> the type of the subject
 */
record Plugins<I, S>(Class<I> service, Function<Supplier<I>, S> adapter) {

    /**
     * Loads the variants in a plug-in.
     *
     * @throws UsageException if the file is no plug-in for this component
     */
    List<Variant<S>> load(Path jar) {
        if (!Files.isReadable(jar)) {
            throw new UsageException("no plug-in can be read at '" + jar + "'");
        }
        // Never closed: the classes of a plug-in are loaded as they are used, until the process ends.
        URLClassLoader loader = new URLClassLoader(new URL[] {url(jar)}, service.getClassLoader());
        try {
            List<Variant<S>> variants = ServiceLoader.load(service, loader).stream()
                    .filter(provider -> provider.type().getClassLoader() == loader)
                    .map(provider -> variant(provider, jar))
                    .toList();
            if (variants.isEmpty()) {
                throw new UsageException(
                        "the plug-in '" + jar + "' names no implementation",
                        List.of("a jar with META-INF/services/" + service.getName()));
            }
            return variants;
        } catch (ServiceConfigurationError | LinkageError e) {
            throw new UsageException("the plug-in '" + jar + "' does not load: " + e.getMessage());
        }
    }

    /** {@code MyMailbox} to {@code my-mailbox}, {@code HTTPMailbox2} to {@code http-mailbox2}. */
    static String kebabCase(String className) {
        return className
                .replaceAll("(\\p{Lower}|\\d)(\\p{Upper})", "$1-$2")
                .replaceAll("(\\p{Upper})(\\p{Upper}\\p{Lower})", "$1-$2")
                .replace('_', '-')
                .toLowerCase(Locale.ROOT);
    }

    private Variant<S> variant(ServiceLoader.Provider<I> provider, Path jar) {
        Class<? extends I> type = provider.type();
        return new Variant<>(
                kebabCase(type.getSimpleName()),
                Role.YOURS,
                type.getName(),
                jar.toString(),
                adapter.apply(provider::get));
    }

    private static URL url(Path jar) {
        try {
            return jar.toUri().toURL();
        } catch (MalformedURLException e) {
            throw new UncheckedIOException(e);
        }
    }
}
