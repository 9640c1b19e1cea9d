package perflab.bench;

import java.io.PrintStream;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Parses the arguments and turns every way to fail into one error line and its exit status. */
final class CommandLines {

    private CommandLines() {}

    static int execute(Bench<?> bench, String[] args, PrintStream out) {
        ProtocolWriter writer = new ProtocolWriter(out);
        CommandLine commands = new CommandLine(new Root());
        commands.getCommandSpec().name(bench.component() + "-bench");
        commands.addSubcommand(new DescribeCommand(bench, writer));
        commands.addSubcommand(new RunCommand<>(bench, writer));
        commands.addSubcommand(new ContractCommand<>(bench, writer));
        commands.setOut(new java.io.PrintWriter(out, true));
        commands.setParameterExceptionHandler((problem, rest) -> fail(writer, usage(problem)));
        commands.setExecutionExceptionHandler((problem, command, parsed) -> fail(writer, problem));
        // Virtual machine errors and what plug-ins may throw get past picocli, which only handles exceptions.
        try {
            return commands.execute(args);
        } catch (Throwable thrown) {
            return fail(writer, thrown);
        }
    }

    private static int fail(ProtocolWriter writer, Throwable thrown) {
        if (thrown instanceof BenchException known) {
            writer.line(BenchException.toJson(known.kind(), known.getMessage(), known.allowed()));
            return known.kind().exitStatus;
        }
        thrown.printStackTrace();
        writer.line(BenchException.toJson(BenchException.Kind.INTERNAL, thrown.toString(), List.of()));
        return BenchException.Kind.INTERNAL.exitStatus;
    }

    private static UsageException usage(ParameterException problem) {
        if (problem.getCause() instanceof UsageException precise) {
            return precise;
        }
        if (problem instanceof UnmatchedArgumentException unmatched) {
            String argument = unmatched.getUnmatched().getFirst();
            return UsageException.unknown(argument.startsWith("-") ? "option" : "command", argument);
        }
        return new UsageException(problem.getMessage());
    }

    /** The program itself: it only has commands. */
    @Command(mixinStandardHelpOptions = true, description = "Speaks the bench protocol, version 1.")
    private static final class Root implements Runnable {

        @Override
        public void run() {
            throw new UsageException("no command was given", List.of("describe", "run", "contract"));
        }
    }
}
