package io.muster.daemon.config;

import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.Purpose;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a hold may be for: {@code [holds]}.
 *
 * @param classes names of the classes, in the order in which views list them
 * @param checks names of the checks whose result may end a hold
 * @param actions names of the actions that a hold may ask for
 * @param reboots those of the actions that another boot id has to prove
 */
public record HoldSettings(List<String> classes, List<String> checks, List<String> actions, List<String> reboots) {
    public static final HoldSettings DEFAULT = new HoldSettings(
            List.of("hardware", "software", "network", "facility", "maintenance", "test", "user", "unknown"),
            List.of(),
            List.of(),
            List.of("reboot"));

    private static final int LONGEST = 32;

    /** A class is a label of metrics, so there are few. */
    private static final int MOST = 32;

    public HoldSettings {
        classes = List.copyOf(classes);
        checks = List.copyOf(checks);
        actions = List.copyOf(actions);
        reboots = List.copyOf(reboots);
    }

    static HoldSettings read(ConfigTable holds) {
        return new HoldSettings(
                names(holds, "classes", "class", DEFAULT.classes),
                names(holds, "checks", "check", DEFAULT.checks),
                names(holds, "actions", "action", DEFAULT.actions),
                names(holds, "reboots", "action", DEFAULT.reboots));
    }

    private static List<String> names(ConfigTable holds, String key, String noun, List<String> fallback) {
        return holds.get(key, fallback, node -> {
            List<String> names = ConfigTable.textsOf(node);
            ConfigTable.require(names.size() <= MOST, "expected at most " + MOST + " names");
            for (String name : names) {
                String fault = Hold.wordFault(noun, name, LONGEST);
                ConfigTable.require(fault == null, String.valueOf(fault));
            }
            return names;
        });
    }

    /** Returns what of a purpose is not configured, and what is, or null. */
    public @Nullable String fault(Purpose purpose) {
        String fault = fault("class", purpose.category(), classes, "holds.classes");
        return fault == null ? taskFault(purpose) : fault;
    }

    /** Returns which check or action of a purpose is not configured, and what is, or null. */
    public @Nullable String taskFault(Purpose purpose) {
        String fault = checkFault(purpose.check(), checks);
        return fault == null ? fault("action", purpose.action(), actions, "holds.actions") : fault;
    }

    /** Returns that a check is not one of those that are configured, or null. */
    public static @Nullable String checkFault(String check, List<String> checks) {
        return fault("check", check, checks, "holds.checks");
    }

    /** Returns whether another boot id has to prove an action. */
    public boolean needsBoot(String action) {
        return reboots.contains(action);
    }

    private static @Nullable String fault(String noun, String name, List<String> names, String key) {
        if (name.isEmpty() || names.contains(name)) {
            return null;
        }
        return "there is no " + noun + " \"" + name + "\": "
                + (names.isEmpty() ? "none is configured" : Key.known(name, names)) + " (" + key + ")";
    }
}
