package io.muster.cli;

import io.muster.daemon.Relaying;
import io.muster.protocol.client.TlsServer;
import io.muster.protocol.tls.ClientFiles;
import java.nio.file.Path;
import java.util.List;

/** The part of {@code muster relay} that needs the libraries of the daemon. The launcher provides them if {@code --listen} is given. */
final class ServeRelay {
    private ServeRelay() {}

    static int run(Path socket, List<TlsServer> servers, ClientFiles files) {
        return Relaying.run(socket, servers, files);
    }
}
