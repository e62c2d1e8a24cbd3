package io.muster.it.harness;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.muster.daemon.etcd.EtcdCluster;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.client.Options;
import io.muster.protocol.rpc.RpcException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Daemons that share a ledger on etcd, each with a directory of its own. */
public final class LedgerDaemons implements AutoCloseable {
    /** The shortest {@code ledger.ttl}. */
    public static final Duration TTL = Duration.ofSeconds(2);

    /** Options with a short timeout, so that a client soon connects to another daemon if one does not answer. */
    public static final Options IMPATIENT =
            Options.DEFAULT.withTimeout(Duration.ofSeconds(1)).withAttempts(1, Duration.ZERO);

    /** The warnings and errors of a daemon when another daemon or a member of etcd fails. */
    private static final String[] CONSEQUENCES = {
        "this daemon does not lead any more",
        "changes are refused",
        "the daemon starts with the state that it had when it stopped",
        "the snapshot at seq [0-9]+ was not written",
        "etcd does not answer: the last snapshot is not written to it",
        "etcd was not compacted",
        "the last write was cut short by a crash",
    };

    private final List<DaemonProcess.Setup> setups;
    private final List<@Nullable DaemonProcess> daemons;

    /** @param setups one for each daemon; none is started */
    public LedgerDaemons(List<DaemonProcess.Setup> setups) {
        this.setups = List.copyOf(setups);
        this.daemons = new ArrayList<>(Collections.nCopies(setups.size(), null));
    }

    /**
     * The setup of a daemon whose ledger is on etcd.
     *
     * @param more TOML of the section {@code muster} and of further sections
     */
    public static DaemonProcess.Setup setup(Path directory, EtcdCluster etcd, String... more) throws IOException {
        Files.createDirectories(directory);
        String ledger = "[ledger]\nkind = \"etcd\"\nallow-old-etcd = true\nendpoints = " + etcd.toml() + "\nmember = \""
                + directory.getFileName() + "\"\nuris = [\"local://" + directory.resolve("sock") + "\"]\nttl = \""
                + TTL.toSeconds() + "s\"\ncompact = true\n" // else a member loads hundreds of MB when it starts again
                + etcd.login();
        return DaemonProcess.Setup.in(directory, String.join("\n", more), ledger);
    }

    public int size() {
        return setups.size();
    }

    public DaemonProcess start(int i) {
        DaemonProcess daemon = setups.get(i).start().expect(CONSEQUENCES);
        daemons.set(i, daemon);
        return daemon;
    }

    public DaemonProcess get(int i) {
        return Objects.requireNonNull(daemons.get(i), "daemon " + i + " does not run");
    }

    public void kill(int i) {
        take(i).kill();
    }

    public void stop(int i) {
        take(i).stop();
    }

    private DaemonProcess take(int i) {
        DaemonProcess daemon = get(i);
        daemons.set(i, null);
        return daemon;
    }

    public String uri(int i) {
        return "local://" + setups.get(i).socket();
    }

    public List<String> uris() {
        return setups.stream().map(setup -> "local://" + setup.socket()).toList();
    }

    public Path stateDir(int i) {
        return setups.get(i).stateDir();
    }

    /** Runs {@code muster ledger} with the configuration of the first daemon, and returns its output. */
    public String ledger(String verb) {
        String jars = Jars.classPath();
        return Tool.run(
                Tool.jdk("java"),
                "-cp",
                jars,
                "io.muster.cli.Muster",
                "ledger",
                verb,
                "-c",
                setups.get(0).write().toString());
    }

    /** An attribute of a daemon; "" if the daemon does not answer. */
    public String attribute(int i, String name) {
        try (FluxClient client = FluxClient.connect(uri(i), IMPATIENT)) {
            return attribute(client, name);
        } catch (IOException | RpcException e) {
            return "";
        }
    }

    public static String attribute(FluxClient client, String name) throws IOException {
        return client.rpc("attr.get", JsonNodeFactory.instance.objectNode().put("name", name))
                .path("value")
                .asText();
    }

    /** Waits until a daemon leads, and returns its index. */
    public int awaitLeader() {
        return await().atMost(Output.PATIENCE).until(this::leader, i -> i >= 0);
    }

    private int leader() {
        for (int i = 0; i < size(); i++) {
            if (daemons.get(i) != null && attribute(i, "muster.role").equals("leader")) {
                return i;
            }
        }
        return -1;
    }

    /** Waits until every daemon shows the same last event, and returns its seq. */
    public long awaitAgreement() {
        String seq = await().atMost(Output.PATIENCE).until(this::agreed, agreed -> !agreed.isEmpty());
        return Long.parseLong(seq);
    }

    /** The seq of the last event that every daemon shows; "" if they differ or one does not answer. */
    private String agreed() {
        String first = attribute(0, "muster.seq");
        for (int i = 0; i < size(); i++) {
            if (!attribute(i, "muster.lag").equals("0")
                    || !attribute(i, "muster.seq").equals(first)) {
                return "";
            }
        }
        return first;
    }

    /** Kills every daemon that runs, also one that was stopped with SIGSTOP. */
    @Override
    public void close() {
        for (int i = 0; i < size(); i++) {
            if (daemons.get(i) != null) {
                kill(i);
            }
        }
    }
}
