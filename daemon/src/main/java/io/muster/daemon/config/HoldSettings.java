package io.muster.daemon.config;

import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.Purpose;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a hold may be for: {@code [holds]}.
 *
 * @param classes names of the classes, in the order in which views list them
 */
public record HoldSettings(List<String> classes) {
    public static final HoldSettings DEFAULT = new HoldSettings(
            List.of("hardware", "software", "network", "facility", "maintenance", "test", "user", "unknown"));

    private static final int LONGEST = 32;

    /** A class is a label of metrics, so there are few. */
    private static final int MOST = 32;

    public HoldSettings {
        classes = List.copyOf(classes);
    }

    static HoldSettings read(ConfigTable holds) {
        return new HoldSettings(holds.get("classes", DEFAULT.classes(), node -> {
            List<String> names = ConfigTable.textsOf(node);
            ConfigTable.require(names.size() <= MOST, "expected at most " + MOST + " names");
            for (String name : names) {
                String fault = Hold.wordFault("class", name, LONGEST);
                ConfigTable.require(fault == null, String.valueOf(fault));
            }
            return names;
        }));
    }

    /** Returns what of a purpose is not configured, and what is, or null. */
    public @Nullable String fault(Purpose purpose) {
        String category = purpose.category();
        if (!category.isEmpty() && !classes.contains(category)) {
            return "there is no class \"" + category + "\": " + Key.known(category, classes) + " (holds.classes)";
        }
        if (purpose.isAttempt()) {
            return "no " + (purpose.check().isEmpty() ? "action" : "check") + " is configured: a hold cannot name one";
        }
        return null;
    }
}
