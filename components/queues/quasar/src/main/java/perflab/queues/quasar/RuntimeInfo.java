package perflab.queues.quasar;

import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.Map;

/** What this program runs on. */
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
