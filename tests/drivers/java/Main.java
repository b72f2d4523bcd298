import java.util.LinkedHashMap;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Runs the scenarios in order and reports each one to the launcher. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        Logger.getLogger("org.mongodb.driver").setLevel(Level.OFF);
        Map<String, Harness.Scenario> scenarios = new LinkedHashMap<>(Crud.first());
        scenarios.putAll(Ttl.scenarios());
        scenarios.putAll(Crud.scenarios());
        int failed = 0;
        try (Harness harness = new Harness(System.getenv("MAYFLY_URI"))) {
            for (Map.Entry<String, Harness.Scenario> entry : scenarios.entrySet()) {
                failed += report(entry.getKey(), entry.getValue(), harness);
            }
        }
        System.exit(failed == 0 ? 0 : 1);
    }

    private static int report(String name, Harness.Scenario scenario, Harness harness) {
        try {
            scenario.run(harness);
            System.out.println("ok " + name);
            return 0;
        } catch (RuntimeException error) {
            String where = "";
            for (StackTraceElement frame : error.getStackTrace()) {
                if (where.isEmpty() && (frame.getFileName() + "").matches("(Ttl|Crud)\\.java")) {
                    where = " at " + frame;
                }
            }
            System.out.println("not ok " + name + ": " + String.valueOf(error).replaceAll("\\s+", " ") + where);
            return 1;
        } finally {
            System.out.flush();
        }
    }
}
