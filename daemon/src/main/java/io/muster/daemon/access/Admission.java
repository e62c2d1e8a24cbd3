package io.muster.daemon.access;

import io.muster.daemon.config.Access;
import io.muster.daemon.config.AlertSettings;
import io.muster.daemon.config.Grant;
import io.muster.protocol.operation.Right;
import io.muster.protocol.wire.Credentials;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Decides which users are admitted, and with which rights (RFC 12). A new configuration makes a new admission; existing
 * connections keep the rights that they were given.
 */
public final class Admission {
    /** How many names a refusal lists. */
    private static final int MOST_NAMES = 20;

    /** A grant, and the users that it names. */
    private record Granted(Grant grant, Grants users) {
        boolean toRole() {
            return grant.who().contains(Grant.ROLE_ADMIN);
        }
    }

    private final int owner;
    private final boolean rootOwner;
    private final boolean guests;
    private final Grants admins;
    private final List<Granted> grants;
    private final Accounts accounts;
    /** The first part of the holder of each alert's hold; "" if alerts are refused. */
    private final String alerts;

    private Admission(int owner, Access access, Grants admins, List<Granted> grants, Accounts accounts) {
        this.owner = owner;
        this.rootOwner = access.rootOwner();
        this.guests = access.guests();
        this.admins = admins;
        this.grants = List.copyOf(grants);
        this.accounts = accounts;
        this.alerts = access.alerts();
    }

    /**
     * Resolves the names in the configuration. May block on the name service.
     *
     * @param unresolved receives each configured name that is no account
     */
    public static Admission of(int owner, Access access, Accounts accounts, Consumer<String> unresolved) {
        List<Granted> grants = new ArrayList<>();
        for (Grant grant : access.grants()) {
            List<String> names = new ArrayList<>(grant.who());
            names.remove(Grant.ROLE_ADMIN);
            grants.add(new Granted(grant, Grants.resolve(names, accounts, unresolved)));
        }
        return new Admission(owner, access, Grants.resolve(access.admins(), accounts, unresolved), grants, accounts);
    }

    /**
     * Returns the rights of a user without looking up any name.
     *
     * @param user name of the user, or the number if there is no name
     * @return null if the user is not admitted
     */
    @Nullable
    public Rights admit(Identity identity, String user) {
        int uid = identity.uid();
        boolean isHere = identity.named() == null;
        boolean isOwner = isHere && (uid == owner || (rootOwner && uid == 0));
        int role = isOwner ? Credentials.OWNER : Credentials.USER;
        int admin = admins.include(identity) && !isOwner ? Credentials.ADMIN : 0;
        int local = isHere ? Credentials.LOCAL : 0;
        Rights rights = rights(identity, new Credentials(uid, role | admin | local), user);
        if (!isOwner && rights.granted().contains(Right.CHANGE)) {
            rights = rights.with(rights.credentials().rolemask() | Credentials.ADMIN);
        }
        return rights.areAGuests() && !guests ? null : rights;
    }

    private Rights rights(Identity identity, Credentials credentials, String user) {
        Set<Right> granted = EnumSet.noneOf(Right.class);
        Set<String> holders = new HashSet<>();
        Set<String> hosts = new HashSet<>();
        Identity.Named named = identity.named();
        if (named != null) {
            granted.addAll(named.rights());
            holders.addAll(named.scope().holders());
            hosts.addAll(named.scope().hosts());
        }
        for (Granted each : grants) {
            boolean byRole = each.toRole() && credentials.has(Credentials.ADMIN);
            if (byRole || each.users.include(identity)) {
                granted.addAll(each.grant.rights());
                if (each.grant.holder() != null) {
                    holders.add(each.grant.holder());
                }
                String reported = each.grant.hostsOf(named == null ? user : named.name());
                if (reported != null) {
                    hosts.add(reported);
                }
            }
        }
        return new Rights(identity, credentials, user, granted, new Scope(holders, hosts), null);
    }

    public Accounts accounts() {
        return accounts;
    }

    public boolean isForOwnerOnly() {
        return !guests
                && !rootOwner
                && grants.stream().allMatch(each -> each.users.isEmpty() && !(each.toRole() && !admins.isEmpty()));
    }

    /**
     * Returns the rights of a message that the speaker sends for another user. If the speaker is the owner, the other user
     * has the roles that the message names (RFC 12). For any other speaker, the other user has the rights that it would have
     * on its own connection; but root, unless a grant permits root, and the owner get only the speaker's rights.
     *
     * @param speaker has the right {@link Right#SPEAK_FOR}
     * @param name name of the user for whom the message is sent, or the number if there is no name; {@code HOST/USER} if the speaker is on
     *     another host
     */
    public Rights onBehalfOf(Rights speaker, Credentials claimed, String name) {
        int uid = claimed.userid();
        boolean byOwner = speaker.credentials().isOwner();
        boolean elsewhere = speaker.identity().named() != null;
        boolean squashed = !byOwner && ((uid == owner && !elsewhere) || (uid == 0 && !mayBeRoot(speaker)));
        Identity identity = elsewhere ? Identity.ofClaim(name, uid, squashed) : Identity.ofClaim(uid, squashed);
        if (uid == speaker.identity().uid()) {
            return byOwner || !claimed.mayUse(Credentials.USER) ? speaker.with(claimed.rolemask()) : speaker;
        } else if (byOwner) {
            return rights(identity, claimed, name).through(speaker);
        } else if (squashed && claimed.mayUse(Credentials.USER)) {
            Credentials user = new Credentials(uid, Credentials.USER);
            return new Rights(identity, user, name, speaker.granted(), speaker.scope(), speaker);
        }
        Rights own = claimed.mayUse(Credentials.USER) ? admit(identity, name) : null;
        own = own == null ? rights(identity, new Credentials(uid, 0), name) : own;
        return own.through(speaker);
    }

    /** Returns whether a grant for this speaker gives root on its host rights of its own. */
    private boolean mayBeRoot(Rights speaker) {
        return grants.stream().anyMatch(each -> each.grant.root() && each.users.include(speaker.identity()));
    }

    /**
     * Returns the sentence for a user without this right. It names the users that have the right and, if one user speaks for
     * another, the one of both that lacks the right.
     */
    public String refusal(Rights rights, Right right) {
        if (rights.identity().isToken()) {
            return refusalOfToken(rights, right, null);
        }
        if (right == Right.READ && rights.areForAlertsAlone()) {
            return "user " + rights.user()
                    + " has the right \"alerts\" alone, which is good for POST /v1/alerts and nothing"
                    + " else: a request for data requires the right \"read\" too";
        }
        Rights speaker = rights.speaker();
        if (speaker == null) {
            return refusal(right);
        }
        String lacks = speaker.allow(right)
                ? rights.user() + ", for whom " + speaker.user() + " sends this request, has no right to it: "
                : speaker.user() + ", which sends this request for " + rights.user() + ", has no right to it: ";
        return lacks + refusal(right);
    }

    private String refusal(Right right) {
        if (right == Right.READ) {
            return "Request requires owner or user credentials";
        }
        String also = Rights.IN_CHANGE.contains(right) ? "\"" + Right.CHANGE.word() + "\" or " : "";
        return "Request requires owner credentials or the right " + also + "\"" + right.word() + "\", " + whoHas(right);
    }

    /**
     * Returns the sentence for a token without this right: what the token may do, and the command that makes one that may do this.
     *
     * @param holder the holder that the right {@link Right#HOLD} must cover; null if another right is missing
     */
    private static String refusalOfToken(Rights rights, Right right, @Nullable String holder) {
        Set<Right> wider = new TreeSet<>(rights.granted());
        if (!rights.areForAlertsAlone()) {
            wider.add(Right.READ);
        }
        String covered = rights.holders().isEmpty()
                ? ""
                : ", which covers the holder \"" + String.join("\", \"", new TreeSet<>(rights.holders())) + "\"";
        String has = "user " + rights.user() + " has the right" + (wider.size() > 1 ? "s " : " ")
                + wider.stream().map(Right::word).collect(Collectors.joining(" and ")) + covered;
        String also = Rights.IN_CHANGE.contains(right) ? "\"" + Right.CHANGE.word() + "\" or " : "";
        String needs = ", but this request requires the right " + also + "\"" + right.word() + "\""
                + (holder == null ? "" : " for the holder \"" + holder + "\"");
        wider.add(right);
        wider.removeIf(each -> each.compareTo(Right.CHANGE) > 0); // no token has these
        String words = wider.stream().map(Right::word).collect(Collectors.joining(","));
        String holders =
                rights.holders().size() == 1 ? rights.holders().iterator().next() : "HOLDER";
        String option = wider.contains(Right.HOLD) ? " --holder=" + (holder == null ? holders : holder) : "";
        String command = rights.identity().isOfPage()
                ? "muster web --rights=" + right.word()
                : "muster token create NAME --rights=" + words;
        return has + needs + ": make a token that has it with `" + command + option + "`";
    }

    /** Returns the sentence for a user whose right {@link Right#HOLD} does not cover this holder; null for all holders. */
    private String refusal(Rights rights, @Nullable String holder) {
        if (rights.identity().isToken()) {
            return refusalOfToken(rights, holder == null ? Right.CHANGE : Right.HOLD, holder);
        }
        Rights speaker = rights.speaker();
        if (speaker != null && !speaker.allowHolder(holder)) {
            return refusal(speaker, holder) + "; " + speaker.user() + " sends this request for " + rights.user();
        }
        String by = speaker == null ? "" : ", for whom " + speaker.user() + " sends this request,";
        String covered = rights.holders().stream().sorted().collect(Collectors.joining("\", \""));
        return "user " + rights.user() + by + " may drain and undrain only with --holder \"" + covered + "\", not "
                + (holder == null ? "for all holders" : "\"" + holder + "\"")
                + ": that requires owner credentials or the right \"" + Right.CHANGE.word() + "\", "
                + whoHas(Right.CHANGE);
    }

    /**
     * Returns why a user may not place or end a hold of this holder; null if the user may.
     *
     * @param holder null for the holds of all holders
     */
    public @Nullable String objection(Rights rights, @Nullable String holder, boolean ends) {
        return rights.allowHolder(holder) ? reservation(rights, holder, ends) : refusal(rights, holder);
    }

    /**
     * Returns why a user may not place or end the hold of an alert as other holds, or null. A brake counts the holds of alerts,
     * so nothing else places such a hold; users that may change everything end it.
     *
     * @param holder null for the holds of all holders
     */
    private @Nullable String reservation(Rights rights, @Nullable String holder, boolean ends) {
        boolean alert = holder != null && AlertSettings.isHolder(alerts, holder);
        return !alert || (ends && rights.allow(Right.CHANGE))
                ? null
                : "\"" + holder
                        + "\" is the holder of an alert: only POST /v1/alerts places such a hold, and users with the right \""
                        + Right.CHANGE.word() + "\" may end it, " + whoHas(Right.CHANGE);
    }

    /**
     * Returns why a user may not report the result of a check of a host, or its boot id; null if the user may.
     *
     * @param itself whether only the host itself may report this
     */
    public @Nullable String objectionToHost(Rights rights, String host, boolean itself) {
        if (itself ? rights.areOfHost(host) : rights.allowHost(host)) {
            return null;
        }
        Set<String> covered = new TreeSet<>(rights.scope().hosts());
        String which = covered.isEmpty() ? "no host" : String.join(" and ", covered);
        String only = itself
                ? "only a certificate or a token whose right \"" + Right.REPORT_CHECK.word() + "\" covers " + host
                        + " and no other host reports its boot id"
                : "the right \"" + Right.REPORT_CHECK.word() + "\" of another certificate or token has to cover it";
        return "user " + rights.user() + " reports checks of " + which + ", not "
                + (itself && rights.allowHost(host) ? "of " + host + " alone: " : "of " + host + ": ") + only;
    }

    private String whoHas(Right right) {
        Set<String> names = new LinkedHashSet<>();
        for (Granted each : grants) {
            Set<Right> rights = each.grant.rights();
            if (rights.contains(right) || (Rights.IN_CHANGE.contains(right) && rights.contains(Right.CHANGE))) {
                String only = rights.contains(Right.CHANGE) || right != Right.HOLD
                        ? ""
                        : " (holder \"" + each.grant.holder() + "\" only)";
                each.grant.who().forEach(name -> names.add(name + only));
            }
        }
        if (names.isEmpty()) {
            return "which no [[grant]] gives";
        }
        String cut = names.size() > MOST_NAMES ? ", ..." : "";
        return "which the configuration grants to "
                + names.stream().limit(MOST_NAMES).collect(Collectors.joining(", ")) + cut;
    }
}
