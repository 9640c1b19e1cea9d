package perflab.queues.quasar;

import java.io.PrintStream;
import java.util.List;
import picocli.CommandLine;

/** The program: two commands, {@code run} and {@code contract}. */
public final class QuasarBench {

    private QuasarBench() {}

    public static void main(String[] args) {
        PrintStream protocol = System.out;
        // Whatever a library prints must not end up between the lines of the protocol.
        System.setOut(System.err);
        System.exit(execute(args, new Lines(protocol)));
    }

    private static int execute(String[] args, Lines lines) {
        CommandLine commands = new CommandLine(new Program());
        commands.addSubcommand(new RunCommand(lines));
        commands.addSubcommand(new ContractCommand(lines));
        commands.setParameterExceptionHandler((problem, rest) -> fail(
                lines,
                new Failure(Failure.USAGE, problem.getMessage(), List.of("run --help and contract --help tell"))));
        commands.setExecutionExceptionHandler((problem, command, parsed) -> fail(lines, problem));
        return commands.execute(args);
    }

    private static int fail(Lines lines, Exception problem) {
        Failure failure = problem instanceof Failure
                ? (Failure) problem
                : new Failure(Failure.INTERNAL, problem.toString(), List.of());
        if (failure != problem) {
            problem.printStackTrace();
        }
        lines.write(failure.toJson());
        return failure.exitStatus();
    }

    @CommandLine.Command(
            name = "queues-quasar",
            description = "Speaks the bench protocol, version 1: run and contract.")
    private static final class Program implements Runnable {
        @Override
        public void run() {
            throw new Failure(Failure.USAGE, "no command was given", List.of("run", "contract"));
        }
    }
}
