package perflab.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

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
}
