package io.muster.daemon.config;

import io.muster.inventory.axis.Hold;

/**
 * The settings for the alerts that a Prometheus Alertmanager sends.
 *
 * @param holder first part of the holder of each alert's hold; "" if alerts are refused
 * @param label name of the label that has the host
 * @param category word that begins the reason of each hold; "" for none
 * @param reason text of the reason, in which {@code {NAME}} stands for the label or annotation of this name
 * @param grace how long a hold lasts after the last message of the Alertmanager
 */
public record AlertSettings(String holder, String label, String category, String reason, Fsd grace) {
    private static final Fsd DEFAULT_GRACE = new Fsd(6 * 3600);
    private static final String WORD = "[A-Za-z_][A-Za-z0-9_]{0,63}";
    /** Leaves room for a colon and a fingerprint within the length of a holder. */
    private static final int LONGEST_HOLDER = 32;

    static AlertSettings read(ConfigTable alerts) {
        return new AlertSettings(
                alerts.get("holder", "", node -> holder(ConfigTable.textOf(node))),
                alerts.get("label", "instance", node -> {
                    ConfigTable.require(
                            ConfigTable.textOf(node).matches(WORD), "expected the name of a label, such as instance");
                    return node.textValue();
                }),
                alerts.get("class", "", node -> {
                    ConfigTable.require(
                            ConfigTable.textOf(node).matches("[A-Za-z0-9_.-]{0,32}"),
                            "expected a word of letters, digits and _.-");
                    return node.textValue();
                }),
                alerts.text("reason", "{alertname}: {summary}"),
                grace(alerts));
    }

    /** Returns whether a holder is that of alerts with this first part; "" if alerts are refused. */
    public static boolean isHolder(String family, String holder) {
        return !family.isEmpty() && (holder.equals(family) || holder.startsWith(family + ":"));
    }

    private static String holder(String name) {
        String fault = Hold.wordFault("holder", name, LONGEST_HOLDER);
        ConfigTable.require(fault == null, String.valueOf(fault));
        ConfigTable.require(
                !name.equals(Hold.SHARED), "\"" + Hold.SHARED + "\" is the holder of drains that name no holder");
        return name;
    }

    private static Fsd grace(ConfigTable alerts) {
        Fsd grace = alerts.duration("grace", DEFAULT_GRACE);
        if (grace.seconds() < 60 || grace.seconds() > 30 * 86_400) {
            alerts.problem("grace", "expected 1m to 30d");
            return DEFAULT_GRACE;
        }
        return grace;
    }
}
