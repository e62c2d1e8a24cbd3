package io.muster.daemon.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.daemon.RunningDaemon;
import io.muster.daemon.access.Accounts;
import io.muster.daemon.access.Admission;
import io.muster.daemon.access.Admissions;
import io.muster.daemon.access.Identity;
import io.muster.daemon.account.AccountBook;
import io.muster.daemon.config.Access;
import io.muster.daemon.config.Listen;
import io.muster.daemon.core.Aside;
import io.muster.daemon.core.HandDriven;
import io.muster.protocol.rpc.Errno;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GateTest {
    private static final String GUESTS = "max-connections = 8\n[access]\nallow-guest-user = true\n";

    private static final int STRANGER = 2_000_000_000;

    @TempDir
    private Path directory;

    private final List<SocketChannel> open = new ArrayList<>();

    /** @return the byte that the handshake sent */
    private int connect() throws IOException {
        SocketChannel peer = SocketChannel.open(StandardProtocolFamily.UNIX);
        open.add(peer);
        peer.connect(UnixDomainSocketAddress.of(directory.resolve("s")));
        ByteBuffer one = ByteBuffer.allocate(1);
        peer.read(one);
        return one.get(0);
    }

    @Test
    void guestsCannotUseAllConnections() throws Exception {
        int uid = RunningDaemon.uid();
        try (RunningDaemon daemon = RunningDaemon.start(directory, GUESTS, uid + 1)) {
            for (int i = 0; i < 4; i++) {
                assertThat(connect()).isZero();
            }
            assertThat(connect()).isEqualTo(Errno.EAGAIN.value());
            daemon.reconfigure(GUESTS + "[[grant]]\nwho = [\"" + uid + "\"]\nrights = [\"change\"]\n");
            for (int i = 0; i < 3; i++) {
                assertThat(connect()).as("there is room for admins").isZero();
            }
            assertThat(connect()).as("the last one is the owner's").isEqualTo(Errno.EAGAIN.value());
        } finally {
            for (SocketChannel peer : open) {
                peer.close();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 1", "3, 2", "8, 4", "20, 16", "64, 60", "160, 150", "8192, 7680"})
    void aSixteenthOfTheConnectionsIsReservedAndAtLeastAFew(int most, int guests) {
        assertThat(limits(most).maxGuests()).isEqualTo(guests);
    }

    private static Listen limits(int most) {
        return new Listen(Path.of("/nowhere"), null, 1 << 20, 1 << 16, most, Listen.OfUser.USUAL);
    }

    private final HandDriven core = new HandDriven(Instant.EPOCH);
    private final Deque<Runnable> questions = new ArrayDeque<>();
    private final List<String> names = new ArrayList<>();

    /** Returns a gate that reads files immediately; lookups in the name service wait until the test runs them. */
    private Gate gate() {
        Access access = new Access(true, false, List.of(), List.of());
        Admission admission = Admission.of(1, access, new Accounts(), name -> {});
        return new Gate(
                new Admissions(admission, core, new Aside(core, Runnable::run), new Aside(core, questions::add)),
                limits(10),
                AccountBook.ofHeap());
    }

    private void enter(Gate gate, int uid) {
        gate.rights(
                Identity.ofKernel(uid, 0, 0),
                rights -> names.add(Objects.requireNonNull(rights).user()));
        core.runReady();
    }

    private void ask() {
        while (!questions.isEmpty()) {
            questions.remove().run();
        }
        core.runReady();
    }

    @Test
    void connectionsThatWaitForANameLeaveTheReserveOfTheOwner() {
        Gate gate = gate();
        Identity stranger = Identity.ofKernel(STRANGER, 0, 0);
        int inside = 0;
        while (!gate.isFull(stranger)) {
            gate.enter(new EmbeddedChannel(), core);
            inside++;
        }
        assertThat(inside).isEqualTo(10 - limits(10).reservedForOwner()).isLessThan(10);
        assertThat(gate.isFull(Identity.ofKernel(1, 0, 0))).as("the owner").isFalse();
        gate.enter(new EmbeddedChannel(), core);
        assertThat(gate.isFull(Identity.ofKernel(1, 0, 0))).isEqualTo(inside + 1 == 10);
    }

    @Test
    void aUserWithoutANameIsLookedUpAgain() {
        Gate gate = gate();
        enter(gate, STRANGER);
        ask();
        assertThat(names).containsExactly("2000000000");
        enter(gate, STRANGER);
        assertThat(questions).as("it may be found now").hasSize(1);
        enter(gate, 0);
        enter(gate, 0);
        assertThat(names).containsExactly("2000000000", "root", "root");
        assertThat(questions).as("root's name is in a file, and known").hasSize(1);
    }

    @Test
    void aUserInAFileDoesNotWaitForLookupsOfOthers() {
        Gate gate = gate();
        for (int i = 0; i < 30; i++) {
            enter(gate, STRANGER + i);
        }
        enter(gate, 0);
        assertThat(names).as("no stranger's name is found yet").containsExactly("root");
    }

    @Test
    void eachConnectionOfAUserHasItsOwnPid() {
        Gate gate = gate();
        List<Integer> pids = new ArrayList<>();
        for (int pid = 11; pid < 14; pid++) {
            gate.rights(
                    Identity.ofKernel(0, 0, pid),
                    rights ->
                            pids.add(Objects.requireNonNull(rights).principal().pid()));
            if (pid == 12) {
                core.runReady();
            }
        }
        assertThat(pids).as("two wait for the name, the third finds it known").containsExactly(11, 12, 13);
    }

    @Test
    void manyConnectionsOfOneUserNeedOneLookup() {
        Gate gate = gate();
        for (int i = 0; i < 30; i++) {
            enter(gate, STRANGER);
        }
        assertThat(questions).hasSize(1);
        ask();
        assertThat(names).hasSize(30).containsOnly("2000000000");
    }

    @Test
    void aUserIsNamedByNumberIfTheNameServiceHangs() {
        Gate gate = gate();
        enter(gate, STRANGER);
        core.advance(Duration.ofSeconds(Admissions.PATIENCE_SECONDS).minusNanos(1), core::runReady);
        assertThat(names).isEmpty();
        core.advance(Duration.ofNanos(1), core::runReady);
        assertThat(names).containsExactly("2000000000");
        ask();
        assertThat(names).as("an answer that comes too late changes nothing").hasSize(1);
        assertThat(core.timers()).isZero();
    }

    @Test
    void aUserWhoIsNotAdmittedIsNotLookedUp() {
        Access access = new Access(false, false, List.of(), List.of());
        Admission admission = Admission.of(1, access, new Accounts(), name -> {});
        Aside never = new Aside(core, questions::add);
        new Gate(new Admissions(admission, core, never, never), limits(10), AccountBook.ofHeap())
                .rights(Identity.ofKernel(STRANGER, 0, 0), rights -> names.add(String.valueOf(rights)));
        assertThat(names).containsExactly("null");
        assertThat(questions).isEmpty();
    }
}
