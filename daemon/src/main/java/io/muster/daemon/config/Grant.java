package io.muster.daemon.config;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.problem.MalformedException;
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
 * @param hosts the hosts that the right {@code report-check} covers: a hostlist, {@link #ALL} or {@link #HOST}; null without this right
 * @param issuer the CA of the certificate; null if the grant names users
 * @param root whether root on the host of a relay has rights of its own; otherwise its requests count as the relay's
 */
public record Grant(
        List<String> who,
        Set<Right> rights,
        @Nullable String holder,
        @Nullable String hosts,
        @Nullable Issuer issuer,
        boolean root) {
    /** The users that {@code access.roles.admin} names, and users for whom a router sends requests with this role. */
    public static final String ROLE_ADMIN = "role:admin";

    /** Stands before the name of a certificate. */
    public static final String CERTIFICATE = "cert:";

    /** Stands before the name of a token. */
    public static final String TOKEN = "token:";

    /** Stands for the name of a host in {@code san}: each host may have a certificate, which reports this host only. */
    public static final String HOST = "{host}";

    /** The value of {@code hosts} for every host. */
    public static final String ALL = "all";

    private static final List<String> KEYS = List.of("who", "san", "ca", "crl", "root", "rights", "holder", "hosts");

    private static final Pattern HOST_NAME = Pattern.compile("[A-Za-z0-9._-]{1,200}");

    private static final Set<Right> REPORTS = EnumSet.of(Right.READ, Right.REPORT_CHECK);

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
        this(who, rights, holder, null, null, false);
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
        boolean ofEach = issuer != null && who.get(0).contains(HOST);
        if (ofEach && !REPORTS.containsAll(rights)) {
            grant.problem(
                    "rights",
                    "an entry with " + HOST + " in san is for hosts that report themselves: only report-check");
        }
        String hosts = hosts(grant, rights.contains(Right.REPORT_CHECK), ofEach);
        return new Grant(who, rights, holder(grant, rights.contains(Right.HOLD)), hosts, issuer, root);
    }

    /** Returns the host that a name of a certificate has in the place of {@link #HOST}; null if the name is not of this form. */
    public static @Nullable String hostIn(String form, String name) {
        int at = form.indexOf(HOST);
        String end = at < 0 ? "" : form.substring(at + HOST.length());
        if (at < 0
                || name.length() <= at + end.length()
                || !name.startsWith(form.substring(0, at))
                || !name.endsWith(end)) {
            return null;
        }
        String host = name.substring(at, name.length() - end.length());
        return HOST_NAME.matcher(host).matches() ? host : null;
    }

    /** Returns the hosts that the right {@code report-check} of an identity with this name covers; null for none. */
    public @Nullable String hostsOf(String name) {
        return HOST.equals(hosts) ? hostIn(who.get(0), name) : hosts;
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
                    SAN.matcher(name.replaceFirst(Pattern.quote(HOST), "h")).matches(),
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
        String one = before.who.get(0);
        String other = who.get(0);
        boolean sameName = one.equals(other) || hostIn(one, other) != null || hostIn(other, one) != null;
        if (sameName && !sameCa) {
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

    /** @param ofEach whether the name of the certificate has the name of the host */
    private static @Nullable String hosts(ConfigTable grant, boolean reports, boolean ofEach) {
        String hosts = grant.has("hosts") ? grant.text("hosts", ALL) : ofEach && reports ? HOST : null;
        String fault = hosts != null && ofEach ? null : hostsFault(reports, hosts);
        if (grant.has("hosts") && ofEach) {
            fault = "has no effect with " + HOST + " in san, which names the host";
        }
        if (fault != null) {
            grant.problem("hosts", fault);
        }
        return hosts;
    }

    /** Returns what is wrong with the hosts that a right {@code report-check} is to cover, or null. */
    public static @Nullable String hostsFault(boolean reports, @Nullable String hosts) {
        if (!reports || hosts == null) {
            return reports
                    ? "is missing: the right report-check needs the hosts that are reported, a hostlist or " + ALL
                    : hosts == null ? null : "has no effect without the right report-check";
        }
        try {
            return Hostlist.parse(hosts).isEmpty() ? "names no host" : null;
        } catch (MalformedException e) {
            return "is no hostlist: " + e.getMessage();
        }
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
