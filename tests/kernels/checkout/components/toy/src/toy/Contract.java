package toy;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ServiceLoader;

/** Loads a plug-in as a bench program does, and prints one line for each check: variant, name, outcome. */
public final class Contract {
    private Contract() {}

    public static void main(String[] args) throws Exception {
        URL[] plugin = {Path.of(args[0]).toUri().toURL()};
        for (Cup<Object> cup : load(new URLClassLoader(plugin))) {
            cup.put("first");
            cup.put("second");
            Object got = cup.get();
            boolean passed = "first".equals(got);
            System.out.println(cup.getClass().getSimpleName() + ";keeps the order;" + (passed ? "" : "got " + got));
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static Iterable<Cup<Object>> load(ClassLoader loader) {
        return (Iterable) ServiceLoader.load(Cup.class, loader);
    }
}
