package perflab.mailbox.preset;

/** What an actor spends its time on. */
public enum Workload {
    IO_BOUND,
    CPU_BOUND,
    MIXED
}
