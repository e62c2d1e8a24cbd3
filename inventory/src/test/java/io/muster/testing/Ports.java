package io.muster.testing;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/** Ports for servers that a test stops and starts again. */
public final class Ports {
    private static final int LOWEST = 10_000;
    private static final int HIGHEST = lowestOfConnections() - 1;

    /** Test JVMs that run at the same time begin at different ports. */
    private static final AtomicInteger NEXT =
            new AtomicInteger((int) (ProcessHandle.current().pid() * 97 % (HIGHEST - LOWEST)));

    private Ports() {}

    /**
     * Returns a free port that the kernel gives to no outgoing connection: it is still free when the server on it has ended. Returns each
     * port once.
     */
    public static int free() {
        for (int tries = LOWEST; tries <= HIGHEST; tries++) {
            int port = LOWEST + Math.floorMod(NEXT.getAndIncrement(), HIGHEST - LOWEST + 1);
            try (ServerSocket socket = new ServerSocket()) {
                socket.bind(new InetSocketAddress(port));
                return port;
            } catch (IOException taken) {
                // the next one
            }
        }
        throw new IllegalStateException("no port from " + LOWEST + " to " + HIGHEST + " is free");
    }

    private static int lowestOfConnections() {
        // Files.readString reads one byte first, and the kernel answers the second read of such a file with its end.
        try (InputStream range = Files.newInputStream(Path.of("/proc/sys/net/ipv4/ip_local_port_range"))) {
            String text = new String(range.readNBytes(1024), StandardCharsets.US_ASCII);
            return Integer.parseInt(text.split("\\s+", 2)[0]);
        } catch (IOException | NumberFormatException unknown) {
            return 32_768;
        }
    }
}
