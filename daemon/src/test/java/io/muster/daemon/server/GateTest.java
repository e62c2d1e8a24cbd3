package io.muster.daemon.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.daemon.RunningDaemon;
import io.muster.daemon.config.Access;
import io.muster.daemon.config.Accounts;
import io.muster.daemon.config.Listen;
import io.muster.protocol.rpc.Errno;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GateTest {
    private static final String GUESTS = "max-connections = 8\n[access]\nallow-guest-user = true\n";

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
    void guestsCannotKeepOthersOut() throws Exception {
        int uid = RunningDaemon.uid();
        try (RunningDaemon daemon = RunningDaemon.start(directory, GUESTS, uid + 1)) {
            for (int i = 0; i < 4; i++) {
                assertThat(connect()).isZero();
            }
            assertThat(connect()).isEqualTo(Errno.EAGAIN.value());
            daemon.reconfigure("admins = [\"" + uid + "\"]\n" + GUESTS);
            for (int i = 0; i < 4; i++) {
                assertThat(connect()).as("there is room for admins").isZero();
            }
            assertThat(connect()).as("but not without end").isEqualTo(Errno.EAGAIN.value());
        } finally {
            for (SocketChannel peer : open) {
                peer.close();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 1", "3, 2", "8, 4", "20, 16", "64, 60", "160, 150", "8192, 7680"})
    void aSixteenthIsNotForGuestsAndAtLeastAFew(int most, int guests) {
        assertThat(limits(most).maxGuests()).isEqualTo(guests);
    }

    private static Listen limits(int most) {
        return new Listen(Path.of("/nowhere"), null, 1 << 20, 1 << 16, most);
    }

    @Test
    void aNameThatWasNotFoundIsLookedUpAgain() {
        List<Runnable> lookups = new ArrayList<>();
        Access access = new Access(true, false, List.of(), List.of());
        Admission admission = Admission.of(1, access, new Accounts(), name -> {});
        Gate gate = new Gate(admission, limits(10), Runnable::run, lookup -> {
            lookups.add(lookup);
            lookup.run();
        });
        List<String> names = new ArrayList<>();
        for (int uid : new int[] {0, 0, 2_000_000_000, 2_000_000_000}) {
            gate.rights(
                    uid, 0, rights -> names.add(Objects.requireNonNull(rights).user()));
        }
        assertThat(names).containsExactly("root", "root", "2000000000", "2000000000");
        assertThat(lookups)
                .as("root's name is known, the other's may still be found")
                .hasSize(3);
    }
}
