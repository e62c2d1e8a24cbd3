package io.muster.daemon.access;

import io.muster.daemon.config.Grant;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The users, certificates and users of other hosts to whom the configuration grants something. Names of users and
 * {@code %groups} are resolved to numbers once, so that the rights of a connection are found without a name service. A user
 * that joins a group later is included after the next reload. A name that cannot be resolved grants nothing.
 */
public final class Grants {
    private final Set<Integer> uids;
    private final Set<Integer> gids;
    /** The names of certificates, tokens and users of other hosts, which have no uid on this host. */
    private final Set<String> names;

    private Grants(Set<Integer> uids, Set<Integer> gids, Set<String> names) {
        this.uids = Set.copyOf(uids);
        this.gids = Set.copyOf(gids);
        this.names = Set.copyOf(names);
    }

    /**
     * Resolves names. May block on the name service.
     *
     * @param unresolved receives each name that is not an account now
     */
    public static Grants resolve(List<String> who, Accounts accounts, Consumer<String> unresolved) {
        Set<Integer> uids = new HashSet<>();
        Set<Integer> gids = new HashSet<>();
        Set<String> names = new HashSet<>();
        for (String name : who) {
            if (Grant.isWithoutAccount(name)) {
                names.add(name);
                continue;
            }
            boolean group = name.startsWith("%");
            OptionalInt id = group ? accounts.gid(name.substring(1)) : accounts.uid(name);
            if (id.isEmpty()) {
                unresolved.accept(name);
            } else if (group) {
                gids.add(id.getAsInt());
                uids.addAll(accounts.membersOf(name.substring(1)));
            } else {
                uids.add(id.getAsInt());
            }
        }
        return new Grants(uids, gids, names);
    }

    /** Returns whether no user of this host is granted anything. */
    public boolean isEmpty() {
        return uids.isEmpty() && gids.isEmpty();
    }

    /** Returns whether a user is granted this. The numbers of a user without an account on this host are ignored. */
    public boolean include(Identity user) {
        Identity.Named named = user.named();
        return named == null
                ? uids.contains(user.uid()) || gids.contains(user.gid())
                : names.contains(named.name())
                        || names.stream().anyMatch(name -> Grant.hostIn(name, named.name()) != null);
    }
}
