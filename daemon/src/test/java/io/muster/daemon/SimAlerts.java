package io.muster.daemon;

import io.muster.daemon.alert.AlertMessage;
import io.muster.daemon.alert.AlertMessage.Alert;
import io.muster.daemon.alert.Receiver;
import io.muster.daemon.config.AlertSettings;
import io.muster.daemon.config.Fsd;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.state.InventoryState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** An Alertmanager, which sends all of its alerts again and again to some daemon. In the end each alert that fires has its hold. */
final class SimAlerts {
    private static final int ALERTS = 4;
    private static final long MILLI = 1_000_000;
    private static final AlertSettings SETTINGS =
            new AlertSettings("alerts", "instance", "hw", "{alertname}", new Fsd(3600));

    private final SimCluster cluster;
    private final SplittableRandom random;
    private final Principal by = new Principal(600, "alertmanager", 8);
    private final boolean[] firing = new boolean[ALERTS];

    SimAlerts(SimCluster cluster) {
        this.cluster = cluster;
        this.random = cluster.simulation().choices().split();
    }

    void start() {
        send();
    }

    private static String host(int alert) {
        return "node" + 4 * alert;
    }

    private void send() {
        int changed = random.nextInt(3 * ALERTS);
        if (cluster.isBusy() && changed < ALERTS) {
            firing[changed] = !firing[changed];
        }
        List<Alert> alerts = new ArrayList<>();
        for (int i = 0; i < ALERTS; i++) {
            Map<String, String> labels = Map.of("instance", host(i) + ":9100", "alertname", "Alert" + i);
            alerts.add(new Alert("a" + i, firing[i], labels, labels, 0));
        }
        SimDaemon to = cluster.someDaemon(random);
        to.ask(
                cluster.delay(random),
                (core, process) -> new Receiver(core.inventory(), process.core(), outcome -> {}, SETTINGS)
                        .receive(new AlertMessage(alerts, 0), by, report -> {
                            if (report.refusal() != null) {
                                cluster.forget(to);
                            }
                        }));
        cluster.simulation().after(MILLI * (500 + random.nextInt(1500)), this::send);
    }

    /** Whether the holds of this state are those of the alerts. */
    boolean agree(InventoryState state) {
        for (int i = 0; i < ALERTS; i++) {
            String holder = "alerts:a" + i;
            Idset held = state.holds().matching(state.holds().held(), holder, hold -> hold != null);
            Idset ranks = state.resources().ranksOf(host(i));
            ranks = ranks.subtract(state.membership().absent(ranks));
            if (firing[i] ? !ranks.subtract(held).isEmpty() : !held.isEmpty()) {
                return false;
            }
        }
        return true;
    }
}
