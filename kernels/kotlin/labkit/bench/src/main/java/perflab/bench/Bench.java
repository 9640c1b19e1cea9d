package perflab.bench;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A component's bench program.
 *
 * <pre>{@code
 * Bench.<Design>of("mailbox")
 *     .scenario(new OwnClockScenario<>(spec, Burst::new))
 *     .variant(new Variant<>("linked", Role.AFTER, "LinkedBlockingQueue", "src/main/java/...", design))
 *     .plugins(Mailbox.class, mailboxes -> new Design(mailboxes, ...))
 *     .main(args);
 * }</pre>
 *
 * @param <S> the subject: what a variant hands to a scenario
 */
public final class Bench<S> {

    static final int PROTOCOL_VERSION = 1;

    private final String component;
    private final List<Scenario<S>> scenarios = new ArrayList<>();
    private final List<Variant<S>> variants = new ArrayList<>();
    private final List<Check<S>> contract = new ArrayList<>();
    private Plugins<?, S> plugins;

    private Bench(String component) {
        this.component = component;
    }

    public static <S> Bench<S> of(String component) {
        return new Bench<>(component);
    }

    public Bench<S> scenario(Scenario<S> scenario) {
        scenarios.add(scenario);
        return this;
    }

    public Bench<S> variant(Variant<S> variant) {
        variants.add(variant);
        return this;
    }

    /** What every variant has to keep, for the {@code contract} command. */
    public Bench<S> contract(List<Check<S>> checks) {
        contract.addAll(checks);
        return this;
    }

    /**
     * Takes in variants of the reader's own.
     *
     * @param service the interface that a plug-in's class implements
     * @param adapter makes a subject of a source of fresh instances
     */
    public <I> Bench<S> plugins(Class<I> service, Function<Supplier<I>, S> adapter) {
        plugins = new Plugins<>(service, adapter);
        return this;
    }

    /** Runs the program and ends the process with its exit status. */
    public void main(String[] args) {
        PrintStream protocol = System.out;
        // Whatever a library or a plug-in prints must not end up between the lines of the protocol.
        System.setOut(System.err);
        System.exit(run(args, protocol));
    }

    /**
     * Runs one command and returns.
     *
     * @param out where the protocol's lines go
     * @return the exit status
     */
    public int run(String[] args, PrintStream out) {
        return CommandLines.execute(this, args, out);
    }

    /**
     * Looks a variant up; for the code that runs in a JMH fork.
     *
     * @param name the variant's name
     * @param plugin the path of a plug-in; empty for none
     * @throws UsageException if there is none
     */
    public Variant<S> variant(String name, String plugin) {
        return variants(plugin.isEmpty() ? null : Path.of(plugin)).stream()
                .filter(variant -> variant.name().equals(name))
                .findFirst()
                .orElseThrow(() -> UsageException.unknown("variant", name));
    }

    /** The component's variants, and those of the plug-in if there is one. */
    List<Variant<S>> variants(Path plugin) {
        if (plugin == null) {
            return List.copyOf(variants);
        }
        List<Variant<S>> all = new ArrayList<>(variants);
        for (Variant<S> yours : pluggedIn(plugin)) {
            if (all.stream().anyMatch(variant -> variant.name().equals(yours.name()))) {
                throw new UsageException("the plug-in's class " + yours.description() + " would be called '"
                        + yours.name() + "', and there is such a variant already: give it another name");
            }
            all.add(yours);
        }
        return all;
    }

    List<Variant<S>> pluggedIn(Path plugin) {
        if (plugins == null) {
            throw new UsageException("the component '" + component + "' takes no plug-ins");
        }
        return plugins.load(plugin);
    }

    Scenario<S> scenario(String name) {
        return scenarios.stream()
                .filter(scenario -> scenario.spec().name().equals(name))
                .findFirst()
                .orElseThrow(() -> UsageException.unknown("scenario", name));
    }

    List<String> scenarioNames() {
        return scenarios.stream().map(scenario -> scenario.spec().name()).toList();
    }

    List<Scenario<S>> scenarios() {
        return scenarios;
    }

    List<Check<S>> contract() {
        return contract;
    }

    String component() {
        return component;
    }
}
