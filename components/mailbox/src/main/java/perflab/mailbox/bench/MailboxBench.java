package perflab.mailbox.bench;

import perflab.bench.Bench;
import perflab.bench.Check;
import perflab.mailbox.Mailbox;
import perflab.mailbox.MailboxFactory;
import perflab.mailbox.contract.MailboxContract;

public final class MailboxBench {

    private MailboxBench() {}

    public static void main(String[] args) {
        bench().main(args);
    }

    @SuppressWarnings("rawtypes") // the class literal of a generic interface names its raw type
    static Bench<Design> bench() {
        Bench<Design> bench = Bench.<Design>of("mailbox")
                .contract(MailboxContract.checks().stream()
                        .map(MailboxBench::onDesign)
                        .toList())
                .plugins(Mailbox.class, instances -> Design.pluggedIn(instances::get));
        Scenarios.all().forEach(bench::scenario);
        Variants.all().forEach(bench::variant);
        return bench;
    }

    private static Check<Design> onDesign(Check<MailboxFactory> check) {
        return new Check<>(
                check.name(), design -> check.body().run(design.mailboxes().orElseThrow()));
    }
}
