package io.muster.daemon.tls;

import io.muster.daemon.config.Config;
import io.muster.daemon.config.Configurable;
import io.muster.daemon.config.Grant;
import io.muster.daemon.config.ListenAddress;
import io.muster.daemon.config.SourceFile;
import io.muster.protocol.tls.Proof;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The certificates that the daemon shows and those that it accepts. The files are read again at each reload, and when one of them has
 * changed. Connections stay open unless their certificate is refused from then on. The methods that read files block and run on the
 * thread {@code reload}; the others may be called on any thread.
 */
public final class Certificates implements Configurable {
    private static final Logger log = LoggerFactory.getLogger("muster");

    private static final List<Long> WARNING_DAYS = List.of(0L, 7L, 14L, 30L);

    /** What can expire; a label of the metric. */
    public enum Kind {
        /** A certificate that the daemon shows. */
        SERVER,
        /** The certificate of a CA that a grant names. */
        CA,
        /** A list of revoked certificates, which expires when the next one is due. */
        CRL;

        /** Returns the word for metrics and the API. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * Something that expires.
     *
     * @param address where the daemon shows it; "" if it is for the certificates of peers
     */
    public record Expiry(Kind kind, Path file, String address, Instant end) {}

    /** @param end when the certificate expires */
    private record Server(Path file, SSLContext context, Instant end) {}

    /**
     * The state of a file by which a change is noticed.
     *
     * @param facts inode, size and times; "" if there is no file
     */
    private record Stamp(Path file, String facts) {
        static Stamp of(Path file) {
            try {
                return new Stamp(
                        file,
                        Files.readAttributes(file, "unix:ino,size,lastModifiedTime,ctime")
                                .toString());
            } catch (IOException | UnsupportedOperationException e) {
                return new Stamp(file, "");
            }
        }
    }

    private volatile Trust trust;
    private volatile Map<String, Server> servers;
    private final PeerTrust peers = new PeerTrust(this);
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private final AtomicInteger changes = new AtomicInteger();
    private List<ListenAddress> addresses;
    private List<Grant> grants;
    private List<Stamp> stamps;
    /** When the accepted certificates were last compared with the time. */
    private Instant looked = Instant.now();

    private final Map<Path, Long> warned = new HashMap<>();
    private final Set<Path> refusing = new HashSet<>();

    /** @throws IOException if a file cannot be used, with its name */
    public Certificates(Config config) throws IOException {
        addresses = CertificateFiles.encrypted(config);
        grants = config.access().grants();
        stamps = stamps();
        trust = Trust.read(grants);
        servers = servers(addresses);
        warn(Instant.now());
    }

    private Map<String, Server> servers(List<ListenAddress> all) throws IOException {
        Map<String, Server> read = new LinkedHashMap<>();
        for (ListenAddress address : all) {
            Proof proof = CertificateFiles.proof(address);
            Path file = Objects.requireNonNull(address.certificate());
            Instant end = proof.chain().get(0).getNotAfter().toInstant();
            read.put(address.toString(), new Server(file, proof.context(peers), end));
        }
        return Map.copyOf(read);
    }

    private List<Stamp> stamps() {
        Stream<Path> shown = addresses.stream()
                .flatMap(address -> Stream.of(
                        Objects.requireNonNull(address.certificate()), Objects.requireNonNull(address.key())));
        Stream<Path> accepted = grants.stream()
                .map(Grant::issuer)
                .filter(Objects::nonNull)
                .flatMap(
                        issuer -> issuer.crl() == null ? Stream.of(issuer.ca()) : Stream.of(issuer.ca(), issuer.crl()));
        return Stream.concat(shown, accepted).distinct().map(Stamp::of).toList();
    }

    /** Calls {@code listener} after each change of the accepted certificates, on the thread that has read the files. */
    public void listen(Runnable listener) {
        listeners.add(listener);
    }

    private void changed() {
        changes.incrementAndGet();
        listeners.forEach(Runnable::run);
    }

    /**
     * Returns how often the accepted certificates have changed. Code that keeps a peer compares this number with the number before the
     * peer was identified: if they differ, the listeners may have run before the peer was kept.
     */
    int changes() {
        return changes.get();
    }

    /** Reads all files again. The addresses stay those of the start, but the files of an address may be others. */
    @Override
    public synchronized void configure(Config next) throws IOException {
        List<ListenAddress> entries = CertificateFiles.encrypted(next);
        addresses = addresses.stream()
                .map(old -> entries.stream()
                        .filter(entry -> entry.toString().equals(old.toString()))
                        .findFirst()
                        .orElse(old))
                .toList();
        grants = next.access().grants();
        stamps = stamps();
        trust = Trust.read(grants);
        servers = servers(addresses);
        warned.clear();
        refusing.clear();
        warn(Instant.now());
        changed();
    }

    /**
     * Reads the files again if one of them has changed. The usable files are then in force; in place of a CA, certificate or
     * key that cannot be used, the previous one stays in force. A CA or a list of revoked certificates that has expired
     * since the last look counts as a change.
     */
    public void lookAgain() {
        lookAgain(Instant.now());
    }

    synchronized void lookAgain(Instant time) {
        List<Stamp> now = stamps();
        Instant before = looked;
        looked = time;
        if (now.equals(stamps)) {
            warn(time);
            if (trust.authorities().stream().anyMatch(authority -> authority.endsBetween(before, time))) {
                changed();
            }
            return;
        }
        List<Path> changed = now.stream()
                .filter(stamp -> !stamps.contains(stamp))
                .map(Stamp::file)
                .toList();
        stamps = now;
        try {
            trust = trust.readAgain(grants, fault -> log.error("a CA stays as it was: {}", SourceFile.sentence(fault)));
        } catch (IOException e) {
            log.error("the CAs of the [[grant]] entries stay as they were: {}", SourceFile.sentence(e));
        }
        try {
            servers = servers(addresses);
        } catch (IOException e) {
            log.error("the certificates that the daemon shows stay as they were: {}", SourceFile.sentence(e));
        }
        log.info("certificates were read again because of {}", changed);
        changed.forEach(warned::remove);
        refusing.clear();
        warn(time);
        changed();
    }

    /**
     * Logs the certificates and lists that expire soon, once for each limit that has been reached, and the CAs whose
     * certificates are refused.
     */
    private void warn(Instant now) {
        for (Authority authority : trust.authorities()) {
            if (!authority.fault().isEmpty() && refusing.add(authority.file())) {
                log.error("every certificate of the CA {} is refused: {}", authority.file(), authority.fault());
            }
        }
        servers.values().forEach(server -> warn(server.file, server.end, now));
        trust.authorities().forEach(authority -> warn(authority.file(), authority.end(), now));
    }

    private void warn(Path file, Instant end, Instant now) {
        long days = Math.floorDiv(
                Duration.between(now, end).toSeconds(), Duration.ofDays(1).toSeconds());
        WARNING_DAYS.stream().filter(limit -> days < limit).findFirst().ifPresent(limit -> {
            if (!limit.equals(warned.put(file, limit))) {
                if (limit == 0) {
                    log.error("the certificate {} has expired at {}", file, end);
                } else {
                    log.warn("the certificate {} expires within {} days, at {}", file, days + 1, end);
                }
            }
        });
    }

    /** Returns when the first of a kind expires, in seconds since the epoch; 0 if there is none. */
    public double firstEnd(Kind kind) {
        return expiries().stream()
                .filter(expiry -> expiry.kind == kind)
                .findFirst()
                .map(expiry -> expiry.end.getEpochSecond())
                .orElse(0L);
    }

    /** Returns everything that expires, the first end first. */
    public List<Expiry> expiries() {
        List<Expiry> all = new ArrayList<>();
        servers.forEach((address, server) -> all.add(new Expiry(Kind.SERVER, server.file, address, server.end)));
        for (Authority authority : trust.authorities()) {
            all.add(new Expiry(Kind.CA, authority.file(), "", authority.end()));
            Instant next = authority.crlNext();
            Path crl = authority.crl();
            if (next != null && crl != null) {
                all.add(new Expiry(Kind.CRL, crl, "", next));
            }
        }
        all.sort(Comparator.comparing(Expiry::end).thenComparing(expiry -> expiry.file + expiry.address));
        return all;
    }

    /**
     * Returns the daemon's side of a connection. Only TLS 1.3 is spoken.
     *
     * @param demanded whether the peer must show a certificate; otherwise it may
     */
    SSLEngine engine(ListenAddress address, boolean demanded) {
        Server server = servers.get(address.toString());
        if (server == null) {
            throw new IllegalStateException("the configuration at the start has no " + address);
        }
        SSLEngine engine = server.context.createSSLEngine();
        engine.setUseClientMode(false);
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setProtocols(new String[] {Proof.TLS});
        if (demanded) {
            parameters.setNeedClientAuth(true);
        } else {
            parameters.setWantClientAuth(true);
        }
        engine.setSSLParameters(parameters);
        return engine;
    }

    /**
     * Returns the name by which a grant names the certificate of a peer.
     *
     * @param chain the certificate, then those of CAs
     * @throws CertificateException with a sentence, if no grant names the certificate or it is not valid
     */
    public String identify(List<X509Certificate> chain) throws CertificateException {
        return trust.identify(chain);
    }
}
