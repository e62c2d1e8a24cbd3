package io.muster.daemon.config;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.inventory.axis.Hold;
import io.muster.protocol.operation.Right;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An entry of {@code [[grant]]}: users, and the rights that they have. A user has the rights of all grants that name the user.
 *
 * @param who users, {@code %groups}, {@link #ROLE_ADMIN}, users of other hosts as {@code NAME/USER}, where NAME is that of the relay's
 *     certificate, or one certificate as {@code cert:NAME}
 * @param holder the holder that the right {@code hold} covers; null if the grant does not have this right
 * @param issuer the CA of the certificate; null if the grant names users
 * @param root whether root on the host of a relay has rights of its own; otherwise its requests count as the relay's
 */
public record Grant(
        List<String> who,
        Set<Right> rights,
        @Nullable String holder,
        @Nullable Issuer issuer,
        boolean root) {
    /** The users that {@code access.roles.admin} names, and users for whom a router sends requests with this role. */
    public static final String ROLE_ADMIN = "role:admin";

    /** Stands before the name of a certificate. */
    public static final String CERTIFICATE = "cert:";

    /** Stands before the name of a token. */
    public static final String TOKEN = "token:";

    private static final List<String> KEYS = List.of("who", "san", "ca", "crl", "root", "rights", "holder");

    /** A URI or a DNS name. It has no wildcard, and no character that would need quotes in a log line. */
    private static final Pattern SAN = Pattern.compile("[A-Za-z0-9._~:/?#@!$&()+,;=%-]{1,200}");

    /**
     * A CA that issues the certificates of peers.
     *
     * @param ca file with the CA's certificate
     * @param crl file with the CA's list of revoked certificates, or null
     */
    public record Issuer(Path ca, @Nullable Path crl) {}

    public Grant {
        who = List.copyOf(who);
        rights = Set.copyOf(rights);
    }

    public Grant(List<String> who, Set<Right> rights, @Nullable String holder) {
        this(who, rights, holder, null, false);
    }

    /**
     * Returns whether the name stands for an identity without an account on this host: a certificate, or a user of another
     * host.
     */
    public static boolean isWithoutAccount(String name) {
        return name.startsWith(CERTIFICATE) || name.contains("/");
    }

    static Grant read(ConfigTable grant) {
        grant.refuseUnknown(KEYS);
        Issuer issuer = issuer(grant);
        List<String> who = issuer == null ? users(grant) : List.of(CERTIFICATE + san(grant));
        Set<Right> rights = EnumSet.noneOf(Right.class);
        for (String word : names(grant, "rights", "one or more of " + String.join(", ", Right.WORDS))) {
            Optional<Right> right = Right.of(word);
            if (right.isEmpty()) {
                grant.problem(
                        "rights",
                        "there is no right \"" + word + "\": expected " + String.join(", ", Right.WORDS)
                                + Key.suggestion(word, Right.WORDS));
            }
            right.ifPresent(rights::add);
        }
        boolean root = grant.flag("root", false);
        if (grant.has("root") && (issuer == null || !rights.contains(Right.SPEAK_FOR))) {
            grant.problem("root", "has no effect without san and the right speak-for");
        }
        return new Grant(who, rights, holder(grant, rights.contains(Right.HOLD)), issuer, root);
    }

    /** Returns null if the grant names users. */
    private static @Nullable Issuer issuer(ConfigTable grant) {
        if (!grant.has("san")) {
            for (String key : List.of("ca", "crl")) {
                if (grant.has(key)) {
                    grant.problem(key, "has no effect without san, the name in the certificate of a peer");
                }
            }
            return null;
        }
        if (grant.has("who")) {
            grant.problem("san", "an entry names either users with who, or a certificate with san");
        }
        if (!grant.has("ca")) {
            grant.problem("ca", "is missing: san needs the file with the certificate of the CA, in PEM");
        }
        return new Issuer(grant.path("ca", Path.of("")), grant.pathIfGiven("crl"));
    }

    private static String san(ConfigTable grant) {
        return grant.get("san", "", node -> {
            String name = ConfigTable.textOf(node);
            ConfigTable.require(
                    SAN.matcher(name).matches(),
                    "expected a URI or a DNS name as in the certificate, without wildcard");
            ConfigTable.require(
                    !name.startsWith(CERTIFICATE) && !name.startsWith(TOKEN),
                    "a name that begins with " + CERTIFICATE + " or " + TOKEN
                            + " could be confused with another certificate or a token: use another name");
            return name;
        });
    }

    /**
     * Reports certificates that two entries name with different CAs, CAs that two entries name with different lists of revoked
     * certificates, and users of other hosts for whose relay there is no entry.
     */
    static void check(List<ConfigTable> tables, List<Grant> grants) {
        for (int i = 0; i < grants.size(); i++) {
            Grant grant = grants.get(i);
            for (Grant other : grants.subList(0, i)) {
                grant.compare(other, tables.get(i));
            }
            for (String name : grant.issuer == null ? grant.who : List.<String>of()) {
                int slash = name.lastIndexOf('/');
                String relay = CERTIFICATE + name.substring(0, Math.max(slash, 0));
                if (slash > 0 && grants.stream().noneMatch(g -> g.who.contains(relay))) {
                    tables.get(i)
                            .problem(
                                    "who",
                                    "\"" + name + "\" is a user of another host, and no entry has its relay as san");
                }
            }
        }
    }

    private void compare(Grant before, ConfigTable table) {
        if (issuer == null || before.issuer == null) {
            return;
        }
        boolean sameCa = before.issuer.ca.equals(issuer.ca);
        if (before.who.equals(who) && !sameCa) {
            table.problem("ca", "another entry names the same certificate with the CA " + before.issuer.ca);
        } else if (sameCa && !Objects.equals(before.issuer.crl, issuer.crl)) {
            table.problem("crl", "another entry names the same CA with another crl, or without one");
        }
    }

    private static List<String> users(ConfigTable grant) {
        List<String> who = names(grant, "who", "users, %groups or " + ROLE_ADMIN);
        for (String name : who) {
            if (name.startsWith("role:") && !name.equals(ROLE_ADMIN)) {
                grant.problem("who", "there is no role \"" + name.substring(5) + "\"; the only role is admin");
            } else if (!name.equals(ROLE_ADMIN)) {
                int slash = name.lastIndexOf('/');
                boolean elsewhere =
                        slash > 0 && SAN.matcher(name.substring(0, slash)).matches();
                Access.checkName(grant, "who", elsewhere ? name.substring(slash + 1) : name);
            }
        }
        return who;
    }

    /** Reads an array that must not be empty. */
    private static List<String> names(ConfigTable grant, String key, String expected) {
        JsonNode array = grant.json(key);
        if (array.isMissingNode() || (array.isArray() && array.isEmpty())) {
            grant.problem(key, (array.isArray() ? "is empty" : "is missing") + ": expected " + expected);
        }
        return grant.texts(key);
    }

    private static @Nullable String holder(ConfigTable grant, boolean hold) {
        if (!grant.has("holder")) {
            if (hold) {
                grant.problem("holder", "is missing: the right hold needs the name under which its users drain");
            }
            return null;
        }
        String holder = grant.text("holder", Hold.SHARED);
        String fault = Hold.holderFault(holder);
        if (fault != null) {
            grant.problem("holder", fault);
        } else if (!hold) {
            grant.problem("holder", "has no effect without the right hold: add \"hold\" to rights, or remove this key");
        }
        return holder;
    }
}
