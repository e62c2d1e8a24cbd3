package io.muster.daemon.tls;

import io.muster.daemon.config.Grant;
import java.io.IOException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The certificates that a {@code [[grant]]} names, each with the one CA that may have issued it. Immutable. */
final class Trust {
    private static final int DNS = 2;
    private static final int URI = 6;
    private static final int LONGEST_CHAIN = 8;

    private final Map<String, Authority> names;
    private final Map<Grant.Issuer, Authority> authorities;

    private Trust(Map<String, Authority> names, Map<Grant.Issuer, Authority> authorities) {
        this.names = names;
        this.authorities = authorities;
    }

    /** @throws IOException if the certificate of a CA cannot be read, with the file's name */
    static Trust read(List<Grant> grants) throws IOException {
        return read(grants, (issuer, fault) -> {
            throw fault;
        });
    }

    /** Reads all files again. A CA whose files cannot be read stays as it was, after {@code report} has been called. */
    Trust readAgain(List<Grant> grants, Consumer<IOException> report) throws IOException {
        return read(grants, (issuer, fault) -> {
            Authority before = authorities.get(issuer);
            if (before == null) {
                throw fault;
            }
            report.accept(fault);
            return before;
        });
    }

    /** Chooses the CA that takes the place of one whose files cannot be read. */
    private interface Substitute {
        Authority of(Grant.Issuer issuer, IOException fault) throws IOException;
    }

    private static Trust read(List<Grant> grants, Substitute substitute) throws IOException {
        Map<String, Authority> names = new LinkedHashMap<>();
        Map<Grant.Issuer, Authority> authorities = new LinkedHashMap<>();
        for (Grant grant : grants) {
            Grant.Issuer issuer = grant.issuer();
            if (issuer == null) {
                continue;
            }
            Authority authority = authorities.get(issuer);
            if (authority == null) {
                try {
                    authority = Authority.read(issuer);
                } catch (IOException e) {
                    authority = substitute.of(issuer, e);
                }
                authorities.put(issuer, authority);
            }
            for (String name : grant.who()) {
                names.put(name.substring(Grant.CERTIFICATE.length()), authority);
            }
        }
        return new Trust(names, authorities);
    }

    Collection<Authority> authorities() {
        return authorities.values();
    }

    /**
     * Returns the name by which a grant names the certificate. If several names of the certificate are named, the first one in the
     * configuration counts.
     *
     * @param chain the certificate of the peer, then those of CAs
     * @throws CertificateException with a sentence, if no grant names the certificate or it is not valid
     */
    String identify(List<X509Certificate> chain) throws CertificateException {
        if (chain.isEmpty() || chain.size() > LONGEST_CHAIN) {
            throw new CertificateException(
                    chain.isEmpty()
                            ? "the peer showed no certificate"
                            : "the peer showed " + chain.size() + " certificates");
        }
        try {
            return named(chain);
        } catch (RuntimeException e) { // an untrusted peer may have chosen every byte of the certificate
            throw new CertificateException("the certificate is damaged: " + e, e);
        }
    }

    private String named(List<X509Certificate> chain) throws CertificateException {
        Set<String> shown = names(chain.get(0));
        CertificateException refusal = null;
        for (Map.Entry<String, Authority> named : names.entrySet()) {
            String name = match(named.getKey(), shown);
            if (name != null) {
                try {
                    named.getValue().check(chain);
                    return name;
                } catch (CertificateException e) {
                    refusal = new CertificateException(
                            "the certificate \"" + name + "\" is refused: " + e.getMessage(), e);
                }
            }
        }
        throw Objects.requireNonNullElseGet(
                refusal,
                () -> new CertificateException("no [[grant]] names the certificate: its names are " + quoted(shown)));
    }

    /** Returns the name of a certificate that is the one in a grant, or of the form in a grant. */
    private static @Nullable String match(String granted, Set<String> shown) {
        return shown.contains(granted)
                ? granted
                : shown.stream()
                        .filter(name -> Grant.hostIn(granted, name) != null)
                        .min(Comparator.naturalOrder())
                        .orElse(null);
    }

    private static Set<String> names(X509Certificate certificate) throws CertificateException {
        Set<String> names = new HashSet<>();
        try {
            Collection<List<?>> all = certificate.getSubjectAlternativeNames();
            for (List<?> name : all == null ? List.<List<?>>of() : all) {
                boolean isUri = Integer.valueOf(URI).equals(name.get(0));
                String text = String.valueOf(name.get(1));
                if (isUri || (Integer.valueOf(DNS).equals(name.get(0)) && !text.contains(":"))) {
                    names.add(text);
                }
            }
        } catch (CertificateParsingException e) {
            throw new CertificateException("the names in the certificate are damaged: " + e.getMessage(), e);
        }
        return names;
    }

    /** Quotes names for the log, because an untrusted peer may have chosen them. */
    private static String quoted(Set<String> names) {
        List<String> few = new ArrayList<>();
        names.stream()
                .sorted()
                .limit(4)
                .forEach(name ->
                        few.add(name.substring(0, Math.min(name.length(), 100)).replaceAll("[^!-~]", "?")));
        return few.isEmpty() ? "none, neither DNS nor URI" : String.join(", ", few);
    }
}
