package io.muster.daemon;

import io.muster.daemon.config.Config;
import io.muster.daemon.config.Environment;
import io.muster.daemon.config.LedgerSettings;
import io.muster.daemon.core.WallClock;
import io.muster.daemon.etcd.EtcdAccess;
import io.muster.daemon.etcd.EtcdLedger;
import io.muster.daemon.etcd.EtcdSettings;
import io.muster.daemon.journal.Journal;
import io.muster.daemon.journal.disk.LocalDisk;
import io.muster.daemon.ledger.Leader;
import io.muster.daemon.ledger.Ledger;
import io.muster.daemon.ledger.LedgerListener;
import io.muster.daemon.ledger.Role;
import io.muster.daemon.machine.Machine;
import io.muster.daemon.metrics.Meter;
import io.muster.daemon.metrics.Metrics;
import io.muster.inventory.level.Level;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Opens the ledger on etcd, and the local copy below it, as a configuration says. */
final class SharedLedger {
    private SharedLedger() {}

    static EtcdLedger open(
            Config config, Environment environment, LedgerListener telemetry, Recovered recovered, Executor executor)
            throws IOException {
        LedgerListener warnings = new LedgerListener() {
            @Override
            public void warning(String sentence) {
                telemetry.warning(sentence);
            }

            @Override
            public void broken(Throwable bug) {
                telemetry.broken(bug);
            }
        };
        Journal journal = recovered.openCopy(config.storage(), environment.uid(), warnings, executor);
        boolean opened = false;
        try {
            EtcdLedger ledger = new EtcdLedger(
                    settings(config, environment, recovered.clock()),
                    journal,
                    LocalDisk.existing(config.storage().stateDir()),
                    recovered.lastEvent(),
                    telemetry,
                    executor);
            opened = true;
            return ledger;
        } finally {
            if (!opened) {
                journal.close();
            }
        }
    }

    /**
     * The attributes that name the daemon that makes changes: {@code muster.role}, {@code muster.leader} with the URIs of
     * the leader, {@code muster.term}, and {@code muster.seq}, {@code muster.lag} and {@code muster.age} of the state that
     * this daemon shows. None with a ledger of files.
     */
    static Map<String, String> attributes(Ledger ledger) {
        Role role = ledger.role();
        if (role == null) {
            return Map.of();
        }
        Leader leader = role.leader();
        return Map.of(
                "muster.role",
                role.term() == 0 ? "standby" : "leader",
                "muster.leader",
                leader == null ? "" : String.join(" ", leader.uris()),
                "muster.term",
                Long.toString(role.term()),
                "muster.seq",
                Long.toString(ledger.durableSeq()),
                "muster.lag",
                Long.toString(role.lag()),
                "muster.age",
                String.format(Locale.ROOT, "%.3f", role.age()));
    }

    /** Returns why the newest format level may not be written yet: a daemon that shares the ledger does not read it. Asks the ledger. */
    static @Nullable String upgradeRefusal(Ledger ledger) throws IOException {
        List<Leader> behind = ledger.members().stream()
                .filter(member -> member.level() < Level.NEWEST.number())
                .toList();
        String all = behind.stream()
                .map(member -> member.member() + " on " + member.host() + " (muster " + member.version()
                        + ") reads format levels up to " + member.level())
                .collect(Collectors.joining(", "));
        return behind.isEmpty()
                ? null
                : all + ": install muster " + Level.NEWEST.needs()
                        + " or later there and restart the daemon, or stop it;"
                        + " every daemon that shares the ledger must read format level " + Level.NEWEST.number();
    }

    /** Binds the meters that show the leader; a daemon with a ledger of files leads, without a term. */
    static void bind(Metrics metrics, Ledger ledger) {
        gauge(metrics, Meter.LEDGER_LEADS, ledger, 1, role -> role.term() == 0 ? 0 : 1);
        gauge(metrics, Meter.LEDGER_TERM, ledger, 0, Role::term);
        gauge(metrics, Meter.LEDGER_LAG, ledger, 0, Role::lag);
        gauge(metrics, Meter.LEDGER_AGE, ledger, 0, Role::age);
    }

    private static void gauge(Metrics metrics, Meter meter, Ledger ledger, int alone, ToDoubleFunction<Role> value) {
        metrics.gauge(meter, () -> {
            Role role = ledger.role();
            return role == null ? alone : value.applyAsDouble(role);
        });
    }

    private static EtcdSettings settings(Config config, Environment environment, WallClock clock) {
        LedgerSettings ledger = config.ledger();
        return new EtcdSettings(
                EtcdAccess.of(ledger),
                ledger.prefix(),
                new Leader(
                        ledger.member(),
                        Machine.REAL.newId(),
                        environment.hostname(),
                        ProcessHandle.current().pid(),
                        ledger.uris(),
                        Build.version(),
                        Level.NEWEST.number()),
                ledger.ttl().toDuration(),
                ledger.patience().toDuration(),
                ledger.allowOld(),
                ledger.compact(),
                config.storage().snapshotEvery(),
                clock,
                Machine.REAL);
    }
}
