package perflab.bench;

import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.Map;

/** What the bench program runs on. */
final class RuntimeInfo {

    private RuntimeInfo() {}

    static Map<String, Object> toJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", System.getProperty("java.vm.name"));
        json.put("version", System.getProperty("java.runtime.version"));
        json.put("flags", ManagementFactory.getRuntimeMXBean().getInputArguments());
        return json;
    }
}
