package io.muster.daemon.config;

import io.muster.inventory.axis.Hold;
import io.muster.inventory.state.Brake;
import java.util.ArrayList;
import java.util.List;

/** Reads {@code [[brake]]}, the limits on the hosts that programs drain. */
final class Brakings {
    private static final Fsd DAY = new Fsd(86_400);
    /** The share of the hosts that alerts drain in a day at most, unless a brake covers them. */
    private static final double ALERTS_PERCENT = 5;

    private Brakings() {}

    /** @param alerts the first part of the holder of each alert's hold; "" if alerts are refused */
    static List<Brake> read(ConfigTable top, String alerts) {
        List<Brake> brakes = new ArrayList<>();
        top.tables(Key.BRAKE.key()).forEach(table -> brakes.add(read(table)));
        if (!alerts.isEmpty() && brakes.stream().noneMatch(brake -> brake.covers(alerts + ":"))) {
            brakes.add(new Brake(alerts + ":*", ALERTS_PERCENT, 0, DAY.seconds()));
        }
        return List.copyOf(brakes);
    }

    private static Brake read(ConfigTable brake) {
        brake.refuseUnknown(List.of("holder", "hosts", "window"));
        for (String key : List.of("holder", "hosts", "window")) {
            if (!brake.has(key)) {
                brake.problem(key, "is missing: a brake has a holder, hosts and a window");
            }
        }
        String holder = brake.get("holder", "*", node -> {
            String text = ConfigTable.textOf(node);
            String name = text.replaceFirst("\\*$", "");
            String fault = text.equals("*") ? null : Hold.holderFault(name);
            ConfigTable.require(fault == null, "expected a holder, or the beginning of holders and *: " + fault);
            return text;
        });
        double percent = brake.get("hosts", 0.0, node -> node.isNumber() ? 0.0 : percent(node.asText()));
        int hosts =
                percent > 0 || !brake.json("hosts").isNumber() ? 0 : brake.integer("hosts", 0, 0, Integer.MAX_VALUE);
        Fsd window = brake.duration("window", DAY);
        if (!(window.seconds() >= 1 && window.seconds() <= 30 * DAY.seconds())) {
            brake.problem("window", "expected 1s to 30d");
        }
        return new Brake(holder, percent, hosts, window.seconds());
    }

    private static double percent(String text) {
        boolean isPercent = text.matches("\\d{1,3}(\\.\\d{1,6})?%");
        double percent = isPercent ? Double.parseDouble(text.substring(0, text.length() - 1)) : 0;
        ConfigTable.require(
                percent > 0 && percent <= 100,
                "expected a number of hosts without quotation marks, or a share above \"0%\" and up to \"100%\"");
        return percent;
    }
}
