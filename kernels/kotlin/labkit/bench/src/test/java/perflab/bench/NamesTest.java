package perflab.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NamesTest {

    @ParameterizedTest
    @CsvSource({
        "MyMailbox, my-mailbox",
        "Mailbox, mailbox",
        "HTTPMailbox, http-mailbox",
        "Mpsc2Mailbox, mpsc2-mailbox",
        "My_Mailbox, my-mailbox",
        "A, a",
        "ABTest, ab-test",
    })
    void aClassBecomesAVariantInKebabCase(String className, String variant) {
        assertEquals(variant, Names.kebabCase(className));
    }

    @ParameterizedTest
    @CsvSource({"brust, burst", "bursts, burst", "linkd, linked", "BURST, "})
    void aSlipOfTheFingerFindsItsName(String typed, String meant) {
        assertEquals(Optional.ofNullable(meant), Names.nearest(typed, List.of("burst", "linked", "wakeup")));
    }

    @Test
    void theNearestOfSeveralWins() {
        assertEquals(Optional.of("wakeup"), Names.nearest("wakeups", List.of("wake", "wakeup", "wakeup-burst")));
    }
}
