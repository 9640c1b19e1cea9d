package perflab.mailbox.peer.cajun;

import com.cajunsystems.config.ThreadPoolFactory;

/** How its documentation says to configure an actor. */
enum CajunPreset {

    /** A virtual thread, and a LinkedMailbox for 10,000 messages. */
    DEFAULT(ThreadPoolFactory.WorkloadType.IO_BOUND),

    /** The preset for computation: a platform thread, and an MpscMailbox, which is unbounded and loses wake-ups. */
    CPU_BOUND(ThreadPoolFactory.WorkloadType.CPU_BOUND);

    private final ThreadPoolFactory.WorkloadType workload;

    CajunPreset(ThreadPoolFactory.WorkloadType workload) {
        this.workload = workload;
    }

    ThreadPoolFactory threads() {
        return new ThreadPoolFactory().optimizeFor(workload);
    }
}
