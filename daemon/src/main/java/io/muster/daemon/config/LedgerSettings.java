package io.muster.daemon.config;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The ledger that makes changes durable: files of this daemon, or an etcd cluster that several daemons share.
 *
 * @param endpoints client URLs of etcd's members; empty for {@link Kind#FILE}
 * @param prefix the beginning of all keys in etcd, with a slash at its end
 * @param member the name of this daemon among those that share the ledger
 * @param uris where clients connect to this daemon
 * @param ttl how long after the end of a leader another daemon leads
 * @param patience how long the outcome of a change may stay open
 * @param tls the files for TLS with etcd
 * @param user the user of etcd; "" if etcd requires none
 * @param allowOld whether a version of etcd with known faults is accepted
 * @param compact whether the leader compacts etcd
 */
public record LedgerSettings(
        Kind kind,
        List<URI> endpoints,
        String prefix,
        String member,
        List<String> uris,
        Fsd ttl,
        Fsd patience,
        Tls tls,
        String user,
        @Nullable Path passwordFile,
        boolean allowOld,
        boolean compact) {
    public enum Kind {
        FILE,
        ETCD
    }

    /** Files in PEM; null where none is given. */
    public record Tls(
            @Nullable Path ca,
            @Nullable Path certificate,
            @Nullable Path key) {}

    private static final Fsd SHORTEST = new Fsd(2);
    private static final Fsd LONGEST = new Fsd(60);

    static LedgerSettings read(ConfigTable ledger, Listen listen, Environment environment) {
        Kind kind = ledger.choice("kind", Kind.FILE);
        List<URI> endpoints = ledger.texts("endpoints").stream()
                .map(text -> endpoint(ledger, text))
                .toList();
        if (kind == Kind.ETCD && endpoints.isEmpty()) {
            ledger.problem("kind", "etcd needs ledger.endpoints, such as [\"https://node1:2379\"]");
        }
        Path certificate = ledger.pathIfGiven("certificate");
        Path key = ledger.pathIfGiven("key");
        if ((certificate == null) != (key == null)) {
            ledger.problem(
                    certificate == null ? "key" : "certificate",
                    "ledger.certificate and ledger.key must be given together");
        }
        String user = ledger.text("user", "");
        Path password = ledger.pathIfGiven("password-file");
        if (user.isEmpty() == (password != null)) {
            ledger.problem(
                    user.isEmpty() ? "password-file" : "user",
                    "ledger.user and ledger.password-file must be given together");
        }
        return new LedgerSettings(
                kind,
                endpoints,
                ledger.get("prefix", "/muster/main/", LedgerSettings::prefix),
                ledger.text("member", environment.hostname()),
                uris(ledger, listen, environment),
                ttl(ledger),
                ledger.duration("patience", new Fsd(10)),
                new Tls(ledger.pathIfGiven("ca"), certificate, key),
                user,
                password,
                ledger.flag("allow-old-etcd", false),
                ledger.flag("compact", false));
    }

    private static List<String> uris(ConfigTable ledger, Listen listen, Environment environment) {
        List<String> given = ledger.texts("uris");
        Path admin = listen.adminSocket();
        Path socket = admin == null ? listen.socket() : admin;
        return given.isEmpty() ? List.of("ssh://" + environment.hostname() + socket.toAbsolutePath()) : given;
    }

    private static Fsd ttl(ConfigTable ledger) {
        Fsd ttl = ledger.duration("ttl", SHORTEST);
        if (ttl.seconds() < SHORTEST.seconds() || ttl.seconds() > LONGEST.seconds()) {
            ledger.problem("ttl", "expected " + SHORTEST + " to " + LONGEST);
        }
        return ttl;
    }

    private static String prefix(JsonNode node) {
        String prefix = ConfigTable.textOf(node);
        ConfigTable.require(
                prefix.matches("/([A-Za-z0-9._-]+/)+"),
                "expected names of letters, digits, dots, dashes and underscores, with slashes before, between and after"
                        + " them: /muster/main/");
        return prefix;
    }

    private static URI endpoint(ConfigTable ledger, String text) {
        if (text.contains("@")) { // the sentence must not have the password, whatever characters it has
            ledger.problem(
                    "endpoints",
                    "the user and the password of etcd belong into ledger.user and ledger.password-file, not into an"
                            + " endpoint");
            return URI.create("http://localhost:2379");
        }
        try {
            URI uri = new URI(text);
            boolean web = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
            if (web
                    && uri.getHost() != null
                    && uri.getPort() > 0
                    && uri.getRawPath().isEmpty()) {
                return uri;
            }
        } catch (URISyntaxException e) {
            // refused below
        }
        ledger.problem("endpoints", text + " is not a client URL: expected https://HOST:PORT or http://HOST:PORT");
        return URI.create("http://localhost:2379");
    }
}
