package io.muster.daemon;

import io.muster.daemon.config.Config;
import io.muster.daemon.config.Key;
import io.muster.daemon.config.ListenAddress;
import io.muster.daemon.journal.Journal;
import io.muster.daemon.journal.disk.LocalDisk;
import io.muster.daemon.net.SocketFile;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;

/** Checks that the daemon can listen at the addresses of the configuration, before the daemon writes to the state directory. */
final class Addresses {
    private Addresses() {}

    /**
     * @throws io.muster.daemon.journal.disk.LockedException if another daemon uses the state directory, which may be why its addresses
     *     are in use
     * @throws IOException if one of the addresses cannot be used; the message names its key
     */
    static void requireFree(Config config) throws IOException {
        try {
            require(config);
        } catch (IOException inUse) {
            Path state = config.storage().stateDir();
            if (Files.isDirectory(state)) {
                LocalDisk.existing(state)
                        .lock(Journal.LOCK, InstantSource.system().instant())
                        .close();
            }
            throw inUse;
        }
    }

    private static void require(Config config) throws IOException {
        socket("muster.socket", config.listen().socket());
        Path admin = config.listen().adminSocket();
        if (admin != null) {
            socket("muster.admin-socket", admin);
        }
        for (ListenAddress address : config.addresses()) {
            String key = "[[listen]] " + address.kind().word();
            if (address.kind() == ListenAddress.Kind.HTTP_SOCKET) {
                socket(key, Path.of(address.address()));
            } else {
                port(key, address.inet());
            }
        }
        if (config.reporting().metrics().isPresent()
                && !config.effective().of(Key.METRICS).isDefault()) {
            port("muster.metrics", config.reporting().metrics().get());
        }
    }

    private static void socket(String key, Path path) throws IOException {
        try {
            SocketFile.requireUnused(path);
        } catch (IOException e) {
            throw new IOException(key + ": " + e.getMessage(), e);
        }
    }

    private static void port(String key, InetSocketAddress address) throws IOException {
        try (ServerSocket trial = new ServerSocket()) {
            trial.setReuseAddress(true);
            trial.bind(address);
        } catch (IOException e) {
            String shown = address.getAddress().getHostAddress() + ":" + address.getPort();
            throw new IOException(key + ": cannot listen on " + shown + ": " + e.getMessage(), e);
        }
    }
}
