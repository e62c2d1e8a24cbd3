package io.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.muster.cli.Shell.Result;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.daemon.RunningDaemon;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.client.ResponseStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Exit statuses that need a special setup: a daemon of another user, a broken disk, a scheduler that does not read. */
class ExitTest {
    private static final String RESOURCES = "[[resource.config]]\nhosts = \"n[0-4095]\"\ncores = \"0\"\n";

    @TempDir
    private Path directory;

    private static Result run(RunningDaemon daemon, String... arguments) {
        return new Shell().with("MUSTER_URI", daemon.uri()).run(arguments);
    }

    @Test
    void aGuestMayReadTheStatusAndIsDeniedOtherRequests() throws Exception {
        String guests = "[access]\nallow-guest-user = true\n" + RESOURCES;
        try (RunningDaemon daemon = RunningDaemon.start(directory, guests, RunningDaemon.uid() + 1)) {
            assertThat(run(daemon, "status", "-no", "state,nnodes"))
                    .isEqualTo(new Result(Exit.OK, "available 4096\n", ""));
            assertThat(run(daemon, "drain", "1", "x"))
                    .isEqualTo(new Result(
                            Exit.DENIED,
                            "",
                            "muster drain: Request requires owner credentials or the right \"change\" or \"hold\", which no"
                                    + " [[grant]] gives\n"));
            assertThat(run(daemon, "drain", "--dry-run", "1", "x").exit()).isEqualTo(Exit.DENIED);
            assertThat(run(daemon, "watch").exit()).isEqualTo(Exit.DENIED);
            assertThat(run(daemon, "acquire").err()).contains("the right \"acquire\"");
            assertThat(run(daemon, "acquire").exit()).isEqualTo(Exit.DENIED);
            assertThat(run(daemon, "why", "1").out()).contains("only admins may read the journal");
            assertThat(run(daemon, "status", "-no", "state").out()).isEqualTo("available\n");
        }
    }

    @Test
    void aUserWhoMayNotConnectExitsWithDenied() throws Exception {
        try (RunningDaemon daemon = RunningDaemon.start(directory, RESOURCES, RunningDaemon.uid() + 1)) {
            assertThat(run(daemon, "status"))
                    .isEqualTo(new Result(
                            Exit.DENIED,
                            "",
                            "muster status: " + daemon.uri().substring("local://".length())
                                    + " refused the connection: Operation not permitted\n  " + Failure.MAY_CONNECT
                                    + "\n"));
        }
    }

    @Test
    void anUnreadableFileIsNamedWithTheReason() {
        assertThat(Objects.requireNonNull(Run.failure(new AccessDeniedException("/etc/R")))
                        .sentence())
                .isEqualTo("/etc/R: permission denied");
        assertThat(Objects.requireNonNull(Run.failure(new NoSuchFileException("/etc/R")))
                        .sentence())
                .isEqualTo("/etc/R: no such file");
    }

    @Test
    void aDirectoryWithoutAJournalIsNeitherABackupNorAStateDirectory() throws Exception {
        Path empty = Files.createDirectory(directory.resolve("empty"));
        Path state = directory.resolve("state");
        assertThat(new Shell().run("restore", empty.toString(), "--state-dir", state.toString()))
                .isEqualTo(new Result(
                        Exit.ERROR,
                        "",
                        "muster restore: " + empty + " is not a backup: there is no directory journal in it\n"));
        assertThat(state).doesNotExist();
        assertThat(new Shell().run("journal", "verify", "--state-dir", empty.toString()))
                .isEqualTo(new Result(
                        Exit.ERROR,
                        "",
                        "muster journal verify: " + empty
                                + " is not a state directory: there is no directory journal in it\n"));
    }

    /** This test checks the exception directly, because root may run this test and file modes do not restrict root. */
    @Test
    void aConnectionThatTheModeOfTheSocketForbidsExitsWithDenied() {
        ConnectException kept = new ConnectException("cannot connect to /run/muster/muster.sock: Permission denied");
        kept.initCause(new SocketException("Permission denied"));
        Failure failure = Objects.requireNonNull(Run.failure(kept));
        assertThat(failure.exit()).isEqualTo(Exit.DENIED);
        assertThat(failure.advice()).contains("access.allow-guest-user");
        assertThat(Objects.requireNonNull(Run.failure(new ConnectException("nothing listens")))
                        .exit())
                .isEqualTo(Exit.UNREACHABLE);
    }

    @Test
    void aDaemonThatCannotWriteItsLedgerRefusesChangesAndAnswersQueries() throws Exception {
        try (RunningDaemon daemon = RunningDaemon.start(directory, RESOURCES)) {
            assertThat(run(daemon, "drain", "1", "kept").exit()).isZero();
            remove(daemon.stateDir());
            // The daemon detects the missing directory within seconds; a change that was answered earlier was written
            // before its answer.
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> run(daemon, "drain", "-ff", "1", "kept").exit() == Exit.READ_ONLY);
            Result refused = run(daemon, "drain", "2", "lost");
            assertThat(refused.exit()).as(refused.err()).isEqualTo(Exit.READ_ONLY);
            assertThat(refused.out()).isEmpty();
            assertThat(refused.err())
                    .startsWith("muster drain: ")
                    .endsWith(
                            "  the daemon cannot write its ledger and takes no changes; it continues to answer queries\n");
            assertThat(run(daemon, "undrain", "1").exit()).isEqualTo(Exit.READ_ONLY);
            Result status = run(daemon, "status", "-no", "state,reason,nnodes");
            assertThat(status.exit()).isZero();
            assertThat(status.out()).isEqualTo("available      4095\n  drained kept    1\n");
            assertThat(status.err()).startsWith("muster status: the daemon takes no changes: ");
        }
    }

    private static void remove(Path tree) throws Exception {
        try (Stream<Path> files = Files.walk(tree)) {
            for (Path file : files.sorted((a, b) -> b.compareTo(a)).collect(Collectors.toList())) {
                Files.delete(file);
            }
        }
    }

    @Test
    void drainWithWaitTimesOutIfASchedulerDoesNotRead() throws Exception {
        String even =
                IntStream.range(0, 2048).mapToObj(i -> Integer.toString(2 * i)).collect(Collectors.joining(","));
        try (RunningDaemon daemon = RunningDaemon.start(directory, RESOURCES);
                FluxClient scheduler = FluxClient.connect(daemon.uri());
                ResponseStream stream = scheduler.stream("resource.acquire", null)) {
            stream.next();
            assertThat(run(daemon, "drain", "--wait", "1", "x")).isEqualTo(new Result(Exit.OK, "", ""));
            // Each update has 10 kB; the scheduler reads none of them, so the buffer of the socket fills.
            for (int i = 0; i < 1000 && !run(daemon, "status", "--json").out().contains("\"behind\":true"); i++) {
                assertThat(run(daemon, i % 2 == 0 ? "drain" : "undrain", even).exit())
                        .isZero();
            }
            // The timeout also limits the change itself, so it is long enough for a busy machine.
            Result waited = run(daemon, "drain", "3", "x", "--wait", "--timeout", "5");
            assertThat(waited.exit()).isEqualTo(Exit.TIMED_OUT);
            assertThat(waited.err()).startsWith("muster: the change is made, but not yet sent to every scheduler");
            assertThat(run(daemon, "status", "3", "-no", "state").out()).isEqualTo("drained\n");
        }
    }

    @Test
    void aServerThatDoesNotAcceptConnectionsExitsWithUnreachable() throws Exception {
        Path path = directory.resolve("mute");
        try (ServerSocketChannel mute = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            mute.bind(UnixDomainSocketAddress.of(path));
            Result result = new Shell().run("status", "--uri", path.toString(), "--timeout", "0.2");
            assertThat(result.exit()).as(result.err()).isEqualTo(Exit.UNREACHABLE);
            assertThat(result.err()).startsWith("muster status: ");
        }
    }

    /** Streams are silent while nothing changes, so these verbs must distinguish a daemon that hangs from a stream without events. */
    @ParameterizedTest
    @ValueSource(strings = {"watch", "acquire", "history node1", "drain 1 x"})
    @Timeout(300)
    void aServerThatAcceptsAConnectionAndDoesNotAnswerExitsWithUnreachable(String verb) throws Exception {
        Path path = directory.resolve("hangs");
        try (ServerSocketChannel hangs = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            hangs.bind(UnixDomainSocketAddress.of(path));
            CompletableFuture<SocketChannel> accepted = CompletableFuture.supplyAsync(() -> welcome(hangs));
            List<String> line = new ArrayList<>(List.of(verb.split(" ")));
            line.addAll(List.of("--uri", path.toString(), "--timeout", "1"));
            Result result = new Shell().run(line.toArray(String[]::new));
            accepted.join().close();
            assertThat(result.exit()).as(result.err()).isEqualTo(Exit.UNREACHABLE);
            assertThat(result.err()).contains(path.toString()).contains("answer");
        }
    }

    private static SocketChannel welcome(ServerSocketChannel listener) {
        try {
            SocketChannel channel = listener.accept();
            channel.write(ByteBuffer.allocate(1));
            return channel;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
