package io.muster.daemon.access;

import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The users to whom the configuration grants something. Names of users and {@code %groups} are resolved to numbers once, so
 * that a connection is judged without a name service. A user that joins a group later is included after the next reload. A
 * name that cannot be resolved grants nothing.
 */
public final class Grants {
    public static final Grants NONE = new Grants(Set.of(), Set.of());

    private final Set<Integer> uids;
    private final Set<Integer> gids;

    private Grants(Set<Integer> uids, Set<Integer> gids) {
        this.uids = Set.copyOf(uids);
        this.gids = Set.copyOf(gids);
    }

    /**
     * Resolves names. May block on the name service.
     *
     * @param unresolved receives each name that is not an account now
     */
    public static Grants resolve(List<String> names, Accounts accounts, Consumer<String> unresolved) {
        Set<Integer> uids = new HashSet<>();
        Set<Integer> gids = new HashSet<>();
        for (String name : names) {
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
        return new Grants(uids, gids);
    }

    /** Returns whether no user is granted anything. */
    public boolean isEmpty() {
        return uids.isEmpty() && gids.isEmpty();
    }

    /**
     * Returns whether a user is granted this.
     *
     * @param gid the peer's group from SO_PEERCRED
     */
    public boolean include(int uid, int gid) {
        return uids.contains(uid) || gids.contains(gid);
    }
}
