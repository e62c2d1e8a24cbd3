package io.muster.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.muster.it.cast.RecordingAdmin;
import io.muster.it.harness.DaemonProcess;
import io.muster.it.harness.HttpListener;
import io.muster.it.harness.RelayProcess;
import io.muster.it.harness.Tool;
import io.muster.protocol.client.FluxClient;
import io.muster.testing.Needs;
import io.muster.testing.Ports;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs every attack at once, while an honest admin drains and undrains twice a second. {@code -Dmuster.siege.seconds=3600} runs longer, and
 * {@code -Dmuster.siege.attacks=ASK,CHURN} chooses attacks. In the second half, the test does not read the daemon's log.
 */
@Timeout(value = 3, unit = TimeUnit.HOURS)
@Needs({"root", "openssl"})
@Tag("long")
@Tag("siege")
class SiegeTest {
    private static final int SECONDS = Integer.getInteger("muster.siege.seconds", 30);
    private static final String ATTACKS = System.getProperty("muster.siege.attacks", "");
    private static final String NOBODY = "65534";
    private static final String GRANTED = "65533";
    private static final String DISTANT = "65532";
    private static final long PACE = TimeUnit.MILLISECONDS.toNanos(500);
    private static final Duration SLOWEST = Duration.ofSeconds(30);
    /** Attacks that need an owner's rights. */
    private static final Set<Siege.Attack> OWNERS =
            EnumSet.of(Siege.Attack.PIPELINE, Siege.Attack.CHANGES, Siege.Attack.ACQUIRE);

    /** Attacks of a user who may follow and hold, and who has stolen a token. */
    private static final Set<Siege.Attack> USERS =
            EnumSet.of(Siege.Attack.WAIT, Siege.Attack.REASONS, Siege.Attack.READERS);

    private static final Set<Siege.Attack> GUESTS = EnumSet.of(
            Siege.Attack.PIPELINE,
            Siege.Attack.ASK,
            Siege.Attack.DEAF,
            Siege.Attack.HALF,
            Siege.Attack.SEATS,
            Siege.Attack.HOSTLISTS,
            Siege.Attack.NONSENSE,
            Siege.Attack.CHURN);

    /** Attacks of a user of another host, who may follow, through the relay. */
    private static final Set<Siege.Attack> DISTANT_USERS = EnumSet.of(
            Siege.Attack.WAIT,
            Siege.Attack.ASK,
            Siege.Attack.DEAF,
            Siege.Attack.HALF,
            Siege.Attack.NONSENSE,
            Siege.Attack.CHURN);

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    @Test
    void anHonestAdminIsServedDuringAllAttacksAndLosesNoAnsweredChange() throws Exception {
        HttpListener http = new HttpListener(Ports.free());
        RelayProcess relay = new RelayProcess(directory.resolve("login1"));
        DaemonProcess.Setup setup = DaemonProcess.Setup.in(
                        directory,
                        "acquire = \"shared\"",
                        "metrics = \"127.0.0.1:0\"",
                        DaemonProcess.Setup.nodes("node[0-" + (Siege.HOSTS - 1) + "]"),
                        "[access]",
                        "allow-guest-user = true",
                        http.config(),
                        relay.config("rights = [\"read\", \"follow\", \"speak-for\"]"),
                        "[[grant]]\nwho = [\"" + GRANTED + "\"]\nrights = [\"follow\", \"hold\"]\nholder = \"health\"",
                        "[[grant]]\nwho = [\"" + RelayProcess.HOST + "/" + DISTANT + "\"]\nrights = [\"follow\"]")
                .copyJars();
        DaemonProcess daemon =
                setup.jvm("-XX:+UseSerialGC", "-Xms16m", "-Xmx1g").start().expect(" WARN ");
        try (daemon;
                relay;
                RecordingAdmin recorder = RecordingAdmin.at(daemon, 10)) {
            drainMany(daemon);
            recorder.write(RecordingAdmin.RANKS);
            serve("alone", daemon, recorder, 5);
            publish();
            relay.start("-XX:+UseSerialGC", "-Xmx64m", "-XX:MaxDirectMemorySize=64m");
            String token =
                    Files.readString(http.token(daemon, "stolen", "follow", "")).strip();
            Path socket = daemon.socket();
            String metrics = daemon.address("/").toString();
            List<Process> attackers = List.of(
                    attack("", socket, metrics, token, OWNERS),
                    attack(NOBODY, socket, metrics, token, GUESTS),
                    attack(GRANTED, socket, http.url(), token, USERS),
                    attack(DISTANT, relay.socket(), metrics, token, DISTANT_USERS));
            try {
                serve("besieged", daemon, recorder, SECONDS / 2);
                daemon.output().hold();
                serve("besieged, its log not read", daemon, recorder, SECONDS / 2);
                assertThat(attackers)
                        .as("see the files attackers* beside the log")
                        .allMatch(Process::isAlive);
                assertThat(relay.isAlive()).isTrue();
            } finally {
                daemon.output().release();
                for (Process attacker : attackers) {
                    attacker.getOutputStream().close();
                    attacker.waitFor();
                }
            }
            for (String uid : List.of("", NOBODY, GRANTED, DISTANT)) {
                assertThat(directory.resolve("attackers" + uid)).isEmptyFile();
            }
            recorder.check();
            daemon.stop();
            try (DaemonProcess second = setup.start().expect(" WARN ");
                    RecordingAdmin again = recorder.at(second)) {
                again.check();
            }
        }
    }

    /** Makes answers long: 3,000 ranks, none of them the honest admin's, are drained for 300 reasons. One rank is offline, and is waited for. */
    private static void drainMany(DaemonProcess daemon) throws IOException {
        try (FluxClient client = daemon.connect()) {
            client.rpc(
                    "resource.offline",
                    JsonNodeFactory.instance.objectNode().put("targets", Integer.toString(RecordingAdmin.RANKS + 2)));
            for (int i = 0; i < 3000; i++) {
                client.rpc(
                        "resource.drain", RecordingAdmin.drain(2 * RecordingAdmin.RANKS + 5 * i, "reason " + i % 300));
            }
        }
    }

    /**
     * Drains and undrains twice a second, and asks for the daemon's health. The time of a drain is counted from the moment when it was due,
     * so that it includes the time for which an earlier drain delayed it.
     */
    private static void serve(String when, DaemonProcess daemon, RecordingAdmin recorder, int seconds)
            throws Exception {
        HttpClient http = HttpClient.newHttpClient();
        HttpRequest probe = HttpRequest.newBuilder(daemon.address("/healthz"))
                .timeout(Duration.ofSeconds(10))
                .build();
        AtomicInteger healthy = new AtomicInteger();
        long[] took = new long[4 * seconds];
        long due = System.nanoTime();
        for (int i = 0; i < took.length; i += 2) {
            recorder.write(1);
            long drained = System.nanoTime();
            recorder.erase();
            took[i] = drained - due;
            took[i + 1] = System.nanoTime() - drained;
            http.sendAsync(probe, HttpResponse.BodyHandlers.ofString())
                    .thenAccept(answer -> healthy.addAndGet(answer.statusCode() == 200 ? 1 : 0));
            due += PACE;
            LockSupport.parkNanos(due - System.nanoTime());
        }
        Arrays.sort(took);
        System.out.printf(
                Locale.ROOT,
                "%s: a change took %.1f ms, p99 %.1f ms, at most %.1f ms; %d of %d health probes answered%n",
                when,
                took[took.length / 2] / 1e6,
                took[took.length * 99 / 100] / 1e6,
                took[took.length - 1] / 1e6,
                healthy.get(),
                took.length / 2);
        assertThat(Duration.ofNanos(took[took.length - 1])).as(when).isLessThan(SLOWEST);
    }

    /** Lets other users read the classes of the attackers. */
    private void publish() throws Exception {
        Path built = Path.of(
                Siege.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        Path classes = Tool.copy(built, directory.resolve("classes"));
        Tool.run(
                "chmod",
                "-R",
                "a+rX",
                classes.toString(),
                directory.resolve("jars").toString());
        Tool.run(
                "chmod",
                "0755",
                directory.toString(),
                directory.resolve("login1").toString());
    }

    /**
     * Runs attackers with a lower priority than the daemon, so that the daemon is measured and not the kernel.
     *
     * @param uid "" for the user that runs the test
     * @param http the URI of the endpoint that is attacked
     */
    private Process attack(String uid, Path socket, String http, String token, Set<Siege.Attack> attacks)
            throws IOException {
        List<String> command = new ArrayList<>(List.of("nice", "-n", "19"));
        if (!uid.isEmpty()) {
            command.addAll(List.of("setpriv", "--reuid=" + uid, "--regid=" + uid, "--clear-groups"));
        }
        command.addAll(List.of(Tool.jdk("java"), "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx256m"));
        command.addAll(List.of("-cp", directory.resolve("classes") + ":" + directory.resolve("jars") + "/*"));
        command.addAll(List.of(Siege.class.getName(), socket.toString(), http, token));
        for (Siege.Attack attack : attacks) {
            if (ATTACKS.isEmpty() || List.of(ATTACKS.split(",")).contains(attack.name())) {
                command.add(attack.name());
            }
        }
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("attackers" + uid).toFile())
                .start();
    }
}
