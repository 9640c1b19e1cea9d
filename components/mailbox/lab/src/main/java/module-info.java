/**
 * A queue from many producers to one consumer: {@link perflab.mailbox.Mailbox}, without a bound in
 * {@link perflab.mailbox.lab.UnboundedMailbox}, with one in {@link perflab.mailbox.lab.BoundedMailbox}.
 */
module perflab.mailbox {
    exports perflab.mailbox;
    exports perflab.mailbox.lab;
}
