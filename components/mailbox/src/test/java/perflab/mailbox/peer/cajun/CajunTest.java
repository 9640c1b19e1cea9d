package perflab.mailbox.peer.cajun;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import perflab.bench.MissingException;

/** On a JVM that cannot load it. On one that can, the bench program is run as a whole: tests/runner/test_published_cajun.py. */
class CajunTest {

    @ParameterizedTest
    @EnumSource
    void onAnotherJvmItSaysWhatItNeeds(Cajun cajun) {
        // Here it is on the class path, without its own dependencies and without --enable-preview.
        String said = assertThrows(MissingException.class, cajun::start).getMessage();
        assertTrue(said.contains("only on a JVM 21 with --enable-preview"), said);
    }
}
