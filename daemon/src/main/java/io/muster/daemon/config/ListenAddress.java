package io.muster.daemon.config;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * An entry of {@code [[listen]]}: an address on which the daemon listens, beside the sockets of {@code [muster]}.
 *
 * @param address ADDRESS:PORT, or the path of the socket
 * @param certificate file with the daemon's certificate chain; null for {@link Kind#HTTP} and {@link Kind#HTTP_SOCKET}
 * @param key file with the private key of the certificate; null if there is no certificate
 */
public record ListenAddress(
        Kind kind,
        String address,
        @Nullable Path certificate,
        @Nullable Path key) {
    /** The protocol of the daemon at an address. */
    public enum Kind {
        /** Flux's wire protocol in TLS, for peers with a certificate. */
        TLS,
        /** The HTTP API in TLS. */
        HTTPS,
        /** The HTTP API on a loopback address. */
        HTTP,
        /** The HTTP API on a UNIX socket. */
        HTTP_SOCKET;

        public String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        boolean isEncrypted() {
            return this == TLS || this == HTTPS;
        }
    }

    private static final List<String> KEYS = List.of("tls", "https", "http", "http-socket", "certificate", "key");
    private static final String NOT_LOOPBACK =
            "is not a loopback address, and the wire would carry tokens in plain text:"
                    + " use https, or an address such as 127.0.0.1";

    /** Reads all entries. Sockets of {@code [muster]} must not be among them. */
    static List<ListenAddress> readAll(ConfigTable top, Listen sockets) {
        List<ListenAddress> all = new ArrayList<>();
        for (ConfigTable table : top.tables("listen")) {
            ListenAddress next = read(table);
            if (next == null) {
                continue;
            }
            Path path = Path.of(next.address);
            if (next.kind == Kind.HTTP_SOCKET
                    && (path.equals(sockets.socket()) || path.equals(sockets.adminSocket()))) {
                table.problem("http-socket", "is the same as a socket of [muster]");
            }
            if (all.stream().anyMatch(other -> other.address.equals(next.address) && !next.address.endsWith(":0"))) {
                table.problem(next.kind.word(), "another entry already listens on " + next.address);
            }
            all.add(next);
        }
        top.show("listen", all.stream().map(ListenAddress::toString).collect(Collectors.joining(", ")));
        return List.copyOf(all);
    }

    private static @Nullable ListenAddress read(ConfigTable table) {
        table.refuseUnknown(KEYS);
        List<Kind> kinds = List.of(Kind.values()).stream()
                .filter(kind -> table.has(kind.word()))
                .toList();
        if (kinds.size() != 1) {
            table.problem(
                    kinds.isEmpty() ? "tls" : kinds.get(1).word(),
                    "an entry needs exactly one of tls, https, http and http-socket");
            return null;
        }
        Kind kind = kinds.get(0);
        String address = kind == Kind.HTTP_SOCKET ? socket(table) : table.get(kind.word(), "", n -> address(kind, n));
        Path certificate = file(table, "certificate", kind);
        Path key = file(table, "key", kind);
        return address.isEmpty() ? null : new ListenAddress(kind, address, certificate, key);
    }

    private static String socket(ConfigTable table) {
        Path path = table.pathIfGiven(Kind.HTTP_SOCKET.word());
        if (path != null) {
            Listen.checkLength(table, Kind.HTTP_SOCKET.word(), path);
            Listen.noteDirectory(table, Kind.HTTP_SOCKET.word(), path);
        }
        return Objects.toString(path, "");
    }

    private static String address(Kind kind, JsonNode node) {
        InetSocketAddress address = Reporting.addressOf(
                ConfigTable.textOf(node), "expected ADDRESS:PORT, the address in numbers or localhost");
        ConfigTable.require(
                kind != Kind.HTTP || address.getAddress().isLoopbackAddress(), node.textValue() + " " + NOT_LOOPBACK);
        return node.textValue();
    }

    private static @Nullable Path file(ConfigTable table, String key, Kind kind) {
        if (table.has(key) && !kind.isEncrypted()) {
            table.problem(key, "has no effect on " + kind.word() + ": remove this key, or use tls or https");
        } else if (!table.has(key) && kind.isEncrypted()) {
            table.problem(key, "is missing: " + kind.word() + " needs certificate and key, two files in PEM");
        }
        return table.pathIfGiven(key);
    }

    /** Returns the address of an entry that is no {@link Kind#HTTP_SOCKET}. */
    public InetSocketAddress inet() {
        return Reporting.addressOf(address, "expected ADDRESS:PORT");
    }

    /** Returns the address, without the files, which may change while the daemon listens. */
    @Override
    public String toString() {
        return kind.word() + " " + address;
    }
}
