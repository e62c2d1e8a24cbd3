package io.muster.it.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.idset.Idset;
import io.muster.it.cast.HonestClient;
import io.muster.it.cast.RecordingAdmin;
import io.muster.it.harness.DaemonProcess;
import io.muster.it.harness.Peer;
import io.muster.it.harness.Tool;
import io.muster.protocol.operation.Operation;
import io.muster.protocol.operation.Operations;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.testing.SchedulerModel;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Control;
import io.muster.protocol.wire.Credentials;
import io.muster.protocol.wire.EventMessage;
import io.muster.protocol.wire.Header;
import io.muster.protocol.wire.Json;
import io.muster.protocol.wire.Request;
import io.muster.protocol.wire.Response;
import io.muster.testing.Needs;
import io.muster.testing.SeedSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Peers that break every rule. Meanwhile an honest client must be served; afterwards the daemon has no more files open than before, has
 * stayed within its memory, and has not filled its log.
 */
@Timeout(900)
@Tag("once")
class HostileTest {
    private static final int MOST_CONNECTIONS = 1000;
    /** The heap that is set below, as much for buffers outside it, and the memory that a JVM itself needs. */
    private static final long MOST_MEGABYTES = 64 + 64 + 96;

    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private static final int NOBODY = 65534;

    private static final String[] SMALL = {
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "-Dio.netty.leakDetection.level=advanced",
        "-Dio.netty.leakDetection.samplingInterval=8",
        "-Xmx64m",
        "-XX:MaxDirectMemorySize=64m"
    };

    private static final int DEPLOYED_MAGIC = 0x1200eeff;

    /** The default size limit of a guest's message. */
    private static final int LARGEST = 1 << 20;

    private static final String LET_GO = "WARN peer: peer=.* closed: ";
    private static final String PAST_LIMIT = "WARN peer: .* is past a limit, ";

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    private DaemonProcess daemon;
    private HonestClient honest;
    private Path socket;
    private int filesBefore;
    private Duration usual;
    private long started;

    @BeforeEach
    void start() throws Exception {
        DaemonProcess.Setup setup = DaemonProcess.Setup.in(
                        directory,
                        "acquire = \"shared\"",
                        "max-connections = " + MOST_CONNECTIONS,
                        "max-frame = \"1MiB\"",
                        RecordingAdmin.resources())
                .jvm(SMALL);
        socket = setup.socket();
        daemon = setup.start().expect(LET_GO, "WARN peer: denied topic=");
        honest = HonestClient.at(daemon);
        honest.awaitAnswers(50);
        usual = honest.slowest();
        started = System.nanoTime();
        filesBefore = daemon.openFiles();
    }

    @AfterEach
    void checkThatNothingIsLeft() throws Exception {
        try (DaemonProcess ending = daemon) {
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(daemon.openFiles())
                            .as("open files, the honest client's among them")
                            .isLessThanOrEqualTo(filesBefore));
            assertThat(daemon.peakMegabytes())
                    .as("megabytes resident at the peak")
                    .isLessThan(MOST_MEGABYTES);
            honest.finish();
            assertServed(honest, usual);
            assertComplaintsAreFew(daemon);
            assertThat(daemon.output().lines().stream()
                            .filter(line -> !line.contains(" INFO inventory: "))
                            .count())
                    .as("lines of log, less those of changes")
                    .isLessThan(1000);
            ending.stop();
        }
    }

    /** Far more than noise: a client that waits for a hostile peer waits a minute, or for ever. */
    private static void assertServed(HonestClient honest, Duration usual) {
        assertThat(honest.slowest())
                .as("slowest request; before, it was %s", usual)
                .isLessThan(usual.multipliedBy(10).plusSeconds(30));
    }

    private void assertComplaintsAreFew(DaemonProcess of) {
        long seconds = Duration.ofNanos(System.nanoTime() - started).toSeconds();
        assertThat(of.output().lines().stream().filter(line -> line.contains(" closed: ")))
                .as("one user's lines in %d seconds: 20 at once, then one each three seconds", seconds)
                .hasSizeLessThanOrEqualTo((int) (21 + seconds / 3));
    }

    @Test
    void garbageEndsItsConnection() throws Exception {
        Random random = SeedSource.random(7);
        for (int i = 0; i < 300; i++) {
            byte[] garbage = new byte[8 + random.nextInt(4096)];
            random.nextBytes(garbage);
            try (Peer peer = Peer.welcomed(socket)) {
                peer.fits(ByteBuffer.wrap(garbage));
                assertThat(peer.isClosed()).isTrue();
            }
        }
    }

    @Test
    void randomBytesInAWellFormedFrameAreRefusedOrEndTheConnection() throws Exception {
        Random random = SeedSource.random(8);
        for (int i = 0; i < 300; i++) {
            byte[] body = new byte[20 + random.nextInt(4096)];
            random.nextBytes(body);
            ByteBuffer frame = ByteBuffer.allocate(8 + body.length)
                    .putInt(DEPLOYED_MAGIC)
                    .putInt(8 + body.length)
                    .put(body)
                    .flip();
            sendAndEnd(frame);
        }
    }

    @Test
    void requestsWithAFewWrongBytesAreAnsweredOrEndTheConnection() throws Exception {
        Random random = SeedSource.random(9);
        for (int i = 0; i < 10; i++) {
            for (Operation<?, ?> method : Operations.all()) {
                boolean streams = method.kind() == Operation.Kind.STREAM && !method.isChange();
                byte[] frame = new byte[Peer.frame(request(method, streams)).remaining()];
                Peer.frame(request(method, streams)).get(frame);
                for (int wrong = 1 + random.nextInt(8); wrong > 0; wrong--) {
                    frame[random.nextInt(frame.length)] ^= (byte) (1 + random.nextInt(255));
                }
                sendAndEnd(ByteBuffer.wrap(frame));
            }
        }
    }

    /** A request with one target digit, so that no change of a single byte turns it into the target of the honest client. */
    private static Request request(Operation<?, ?> method, boolean streams) {
        String json = streams ? "" : "{\"targets\": \"0\", \"reason\": \"a fan\", \"up\": 3, \"name\": \"size\"}";
        return Peer.request(method.topic(), json, streams ? Header.STREAMING : 0, 1);
    }

    /**
     * Sends bytes and ends the output. The bytes may be the beginning of a message, or a message without a response, so the daemon may
     * close the connection only at the end of the output.
     */
    private void sendAndEnd(ByteBuffer bytes) throws IOException {
        try (Peer peer = Peer.welcomed(socket)) {
            peer.fits(bytes);
            peer.endSending();
            assertThat(peer.isClosed()).isTrue();
        }
    }

    @Test
    void invalidLengthsEndTheConnectionBeforeTheBodyArrives() throws Exception {
        for (int magic : new int[] {0x1200eeff, 0xffee0012}) {
            for (int length : new int[] {0, 1, 7, 0xffffffff, 0x80000000, 0x7fffffff, (1 << 20) + 1}) {
                try (Peer peer = Peer.welcomed(socket)) {
                    peer.send(
                            ByteBuffer.allocate(8).putInt(magic).putInt(length).flip());
                    assertThat(peer.isClosed()).as("%x %x", magic, length).isTrue();
                }
            }
        }
    }

    @Test
    void unfinishedFramesUseLittleMemoryAndDelayNoOthers() throws Exception {
        ByteBuffer whole = Peer.frame(Peer.request("resource.status", "", 0, 1));
        List<Peer> peers = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            Peer peer = Peer.welcomed(socket);
            peers.add(peer);
            peer.send(whole.duplicate().limit(1 + i % (whole.limit() - 1)));
        }
        honest.awaitAnswers(20);
        close(peers);
    }

    private static void close(List<Peer> peers) throws IOException {
        for (Peer peer : peers) {
            peer.close();
        }
    }

    @Test
    void aRequestThatArrivesByteByByteIsAnswered() throws Exception {
        ByteBuffer frame = Peer.frame(Peer.request("resource.status", "", 0, 1));
        try (Peer peer = Peer.welcomed(socket)) {
            for (int i = 0; i < frame.limit(); i++) {
                peer.send(frame.duplicate().position(i).limit(i + 1));
                if (i % 10 == 0) {
                    honest.awaitAnswers(1);
                }
            }
            assertThat(receive(peer).errnum()).isZero();
        }
    }

    private static Response receive(Peer peer) throws IOException {
        return Objects.requireNonNull(peer.receive(), "the connection has ended");
    }

    @Test
    void tenThousandConnectionsInSuccessionAreAccepted() throws Exception {
        for (int i = 0; i < 10_000; i++) {
            try (Peer peer = Peer.connect(socket)) {
                if (i % 2 == 0) {
                    assertThat(peer.welcome()).isZero();
                }
            }
        }
    }

    @Test
    void connectionsBeyondTheLimitAreRefusedAndNoOthers() throws Exception {
        List<Peer> peers = new ArrayList<>();
        int turnedAway = 0;
        for (int i = 0; i < MOST_CONNECTIONS + 500; i++) {
            peers.add(Peer.connect(socket));
        }
        for (Peer peer : peers) {
            int errno = peer.welcome();
            assertThat(errno).isIn(0, Errno.EAGAIN.value());
            turnedAway += errno == 0 ? 0 : 1;
        }
        assertThat(turnedAway)
                .as("beyond the limit, of which the honest client has one")
                .isEqualTo(501);
        close(peers);
        await().atMost(PATIENCE).until(() -> {
            try (Peer peer = Peer.connect(socket)) {
                return peer.welcome() == 0;
            }
        });
    }

    /** A daemon that belongs to another user treats root as a guest. */
    @Test
    @Needs("root")
    void theMemoryForUnfinishedRequestsOfAThousandGuestsIsBounded() throws Exception {
        surviveAThousand((peer, i) -> peer.send(unfinished()));
    }

    private static ByteBuffer unfinished() {
        return ByteBuffer.allocate(LARGEST - 1)
                .putInt(DEPLOYED_MAGIC)
                .putInt(LARGEST)
                .clear();
    }

    @Test
    void theMemoryForUnfinishedRequestsOfTheOwnerIsBounded() throws Exception {
        List<Peer> peers = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            peers.add(Peer.welcomed(socket));
            try {
                peers.get(i).send(unfinished());
            } catch (IOException closed) {
                assertThat(peers.get(i).isGone()).isTrue();
            }
        }
        honest.awaitAnswers(20);
        int gone = 0;
        for (Peer peer : peers) {
            gone += peer.isGone() ? 1 : 0;
        }
        assertThat(gone)
                .as("closed, with a megabyte each and room for a quarter of the heap")
                .isGreaterThan(50);
        close(peers);
    }

    @Test
    @Needs("root")
    void theMemoryForUnreadResponsesToAThousandGuestsIsBounded() throws Exception {
        ByteBuffer echo =
                Peer.frame(Peer.request("resource.ping", "{\"x\": \"" + "x".repeat(LARGEST / 2) + "\"}", 0, 1));
        ByteBuffer question = Peer.frame(Peer.request("resource.status", "", 0, 1));
        surviveAThousand((peer, i) -> {
            if (i % 2 == 0) {
                peer.send(echo.duplicate());
            }
            boolean more = true;
            while (more) {
                more = peer.fits(question.duplicate());
            }
        });
    }

    private interface Attack {
        void by(Peer peer, int number) throws IOException;
    }

    private void surviveAThousand(Attack attack) throws Exception {
        List<Peer> peers = new ArrayList<>();
        try (DaemonProcess other = someoneElses(directory).expect(LET_GO, PAST_LIMIT)) {
            HonestClient guest = HonestClient.guestOf(other);
            guest.awaitAnswers(50);
            Duration before = guest.slowest();
            for (int i = 0; i < 1000; i++) {
                Peer peer = Peer.welcomed(other.socket());
                peers.add(peer);
                try {
                    attack.by(peer, i);
                } catch (IOException letGo) {
                    assertThat(peer.isGone()).isTrue();
                }
            }
            guest.awaitAnswers(50);
            int gone = 0;
            for (Peer peer : peers) {
                gone += peer.isGone() ? 1 : 0;
            }
            boolean refused = other.output().lines().stream().anyMatch(line -> line.contains(" is past a limit, "));
            assertThat(gone)
                    .as("peers let go, for what is held of a megabyte each, if their requests were not refused")
                    .isGreaterThan(refused ? 0 : 400);
            assertThat(other.peakMegabytes())
                    .as("megabytes resident at the peak")
                    .isLessThan(MOST_MEGABYTES);
            guest.finish();
            assertServed(guest, before);
            assertComplaintsAreFew(other);
        } finally {
            close(peers);
        }
    }

    @Test
    void theMemoryForRequestsOfAHundredClientsThatNeverReadIsBounded() throws Exception {
        ByteBuffer question = Peer.frame(Peer.request("resource.status", "", 0, 1));
        List<Peer> peers = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            peers.add(Peer.welcomed(socket));
        }
        for (Peer peer : peers) {
            try {
                for (int asked = 0; asked < 5000; asked++) {
                    assertThat(peer.sendWithoutBlocking(question.duplicate())).isTrue();
                }
            } catch (IOException closed) {
                assertThat(peer.isGone()).isTrue();
            }
        }
        honest.awaitAnswers(20);
        close(peers);
    }

    @Test
    void schedulersThatDoNotReadCatchUpWhenTheyRead() throws Exception {
        List<Peer> peers = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            peers.add(Peer.welcomed(socket).send(Peer.acquire(1)));
        }
        honest.awaitAnswers(300);
        Peer last = peers.remove(0);
        close(peers);
        SchedulerModel follower = new SchedulerModel();
        follower.receive(json(receive(last)));
        honest.finish();
        Idset up = Idset.parse(daemon.ask("resource.state").path("up").asText());
        while (!follower.up().equals(up)) {
            follower.receive(json(receive(last)));
        }
        last.close();
        filesBefore--;
    }

    private static ObjectNode json(Response response) throws IOException {
        assertThat(response.errnum()).isZero();
        return Json.parse(Objects.requireNonNull(response.payload()));
    }

    @Test
    void responsesEventsAndControlMessagesFromAPeerAreIgnored() throws Exception {
        Request request = Peer.acquire(9);
        Credentials owner = new Credentials(0, Credentials.OWNER);
        try (Peer peer = Peer.welcomed(socket)) {
            for (int i = 0; i < 1000; i++) {
                peer.send(
                        Response.success(request, owner, Json.EMPTY_OBJECT),
                        new EventMessage(Header.UNSET, "resource.drain", Bytes.EMPTY, i),
                        new Control(Header.UNSET, i, i));
            }
            peer.send(Peer.request("resource.ping", "{}", 0, 5));
            assertThat(receive(peer).matchtag()).isEqualTo(5);
        }
    }

    @Test
    void aMatchtagOfAnOpenStreamCannotBeReused() throws Exception {
        try (Peer peer = Peer.welcomed(socket)) {
            peer.send(Peer.acquire(1));
            assertThat(receive(peer).errnum()).isZero();
            for (int i = 0; i < 1000; i++) {
                peer.send(Peer.acquire(1));
                Response response = receive(peer);
                while (response.errnum() == 0) {
                    response = receive(peer);
                }
                assertThat(response.errnum()).isEqualTo(Errno.EPROTO.value());
            }
        }
    }

    @Test
    void streamsBeyondTheLimitAreRefusedAndTheOthersEndWithTheConnection() throws Exception {
        int refused = 0;
        try (Peer peer = Peer.welcomed(socket)) {
            peer.send(Peer.request("resource.offline", "{\"targets\": \"0\"}", 0, 5000));
            assertThat(receive(peer).errnum()).isZero();
            for (int tag = 1; tag <= 4200; tag++) {
                peer.send(Peer.request("resource.monitor-waitup", "{\"up\": " + RecordingAdmin.RANKS + "}", 0, tag));
            }
            for (int i = 0; i < 4200 - 4096; i++) {
                refused += receive(peer).errnum() == Errno.EAGAIN.value() ? 1 : 0;
            }
        }
        assertThat(refused).isEqualTo(4200 - 4096);
        try (Peer peer = Peer.welcomed(socket)) {
            for (int tag = 1; tag <= 200; tag++) {
                Response answer;
                do { // the daemon may not have ended the former connection yet
                    peer.send(Peer.acquire(tag));
                    answer = receive(peer);
                    while (answer.matchtag() != tag) { // an update of an earlier stream
                        answer = receive(peer);
                    }
                } while (answer.errnum() == Errno.EAGAIN.value());
            }
            assertThat(streams()).isGreaterThanOrEqualTo(200);
        }
        await().atMost(PATIENCE).until(() -> streams() == 0);
    }

    private int streams() throws IOException {
        return daemon.ask("resource.stats-get").path("acquire-streams").asInt();
    }

    /** A daemon that belongs to another user treats root as a guest; here root claims to be the owner. */
    @Test
    @Needs("root")
    void credentialsComeFromTheSocketAndNotFromTheMessage() throws Exception {
        try (DaemonProcess other = someoneElses(directory).expect("WARN peer: denied topic=")) {
            Path door = directory.resolve("other/sock");
            try (Peer guest = Peer.welcomed(door)) {
                for (Credentials claim : List.of(
                        Credentials.UNSET,
                        new Credentials(NOBODY, Credentials.OWNER),
                        new Credentials(NOBODY, 0),
                        new Credentials(0, Credentials.OWNER | Credentials.ADMIN | Credentials.LOCAL),
                        new Credentials(Credentials.USERID_UNKNOWN, 0xffffffff))) {
                    assertThat(errnum(guest, claim, "resource.drain", "{\"targets\": \"0\"}"))
                            .isEqualTo(Errno.EPERM.value());
                    assertThat(errnum(guest, claim, "resource.acquire", "")).isEqualTo(Errno.EPERM.value());
                    assertThat(errnum(guest, claim, "resource.journal", "")).isEqualTo(Errno.EPERM.value());
                    assertThat(errnum(guest, claim, "resource.status", "")).isZero();
                }
            }
            assertThat(other.ask("resource.state").path("up").asText()).isEqualTo("0-63");
            other.stop(); // its log is complete then
            assertThat(other.output().lines())
                    .filteredOn(line -> line.contains("denied"))
                    .as("once for each topic")
                    .hasSize(3);
        }
    }

    private static int errnum(Peer peer, Credentials claim, String topic, String json) throws IOException {
        int flags = json.isEmpty() && !topic.endsWith("status") ? Header.STREAMING : 0;
        peer.send(Peer.request(topic, json, flags, 1).with(claim));
        return receive(peer).errnum();
    }

    private static DaemonProcess someoneElses(Path parent) throws Exception {
        Path home = Files.createDirectory(parent.resolve("other"));
        DaemonProcess.Setup setup = DaemonProcess.Setup.in(
                        home, RecordingAdmin.resources(), "[access]", "allow-guest-user = true")
                .jvm(SMALL)
                .copyJars()
                .wrapper("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups");
        Tool.run("chown", "-R", NOBODY + ":" + NOBODY, home.toString());
        Tool.run("chmod", "0755", parent.toString(), home.toString());
        return setup.start();
    }
}
