package perflab.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DescribeTest {

    private final Fixture fixture = new Fixture();

    @SuppressWarnings("unchecked") // the shape of the JSON is what the test asserts
    private List<Map<String, Object>> list(Object json) {
        return (List<Map<String, Object>>) json;
    }

    @Test
    void describeIsOneObjectOfVersionOne() throws IOException {
        assertEquals(0, fixture.run("describe"));
        assertEquals(1, fixture.text.lines().count());
        assertEquals(1, fixture.last().get("protocol"));
        assertEquals("fixture", fixture.last().get("component"));
        assertEquals(
                System.getProperty("java.runtime.version"),
                ((Map<?, ?>) fixture.last().get("runtime")).get("version"));
    }

    @Test
    void aScenarioTellsItsOperationMetricsAndParameters() throws IOException {
        fixture.run("describe");
        Map<String, Object> counting = list(fixture.last().get("scenarios")).getFirst();
        assertEquals("a count", counting.get("operation"));
        assertEquals("rate", counting.get("metric"));
        assertEquals("higher", counting.get("better"));
        assertEquals(
                List.of(Map.of("name", "odd", "of", "counter:odd/op", "unit", "odd counts/count", "better", "lower")),
                counting.get("metrics"));
        List<Map<String, Object>> parameters = list(counting.get("parameters"));
        assertEquals(1, parameters.getFirst().get("min"));
        assertEquals(10, parameters.getFirst().get("max"));
        assertEquals("how far a count goes", parameters.getFirst().get("help"));
        assertEquals(
                List.of("plain", "throwing", "void", "idle"),
                parameters.getLast().get("choices"));
        assertFalse(parameters.get(2).containsKey("min"), "a flag has no bounds");
    }

    @Test
    void aVariantTellsItsRoleAndWhatItSupports() throws IOException {
        fixture.run("describe");
        List<Map<String, Object>> variants = list(fixture.last().get("variants"));
        assertEquals("before", variants.get(0).get("role"));
        assertEquals(List.of("counting", "summing"), variants.get(0).get("scenarios"));
        assertEquals(List.of("counting"), variants.get(1).get("scenarios"));
    }
}
