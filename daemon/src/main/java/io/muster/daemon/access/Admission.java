package io.muster.daemon.access;

import io.muster.daemon.config.Access;
import io.muster.protocol.wire.Credentials;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Decides which users are admitted, and with which rights (RFC 12). A new configuration makes a new admission; existing
 * connections keep the rights that they were given.
 */
public final class Admission {
    private final int owner;
    private final boolean rootOwner;
    private final boolean guests;
    private final Grants admins;
    private final Grants schedulers;
    private final Accounts accounts;

    private Admission(int owner, Access access, Grants admins, Grants schedulers, Accounts accounts) {
        this.owner = owner;
        this.rootOwner = access.rootOwner();
        this.guests = access.guests();
        this.admins = admins;
        this.schedulers = schedulers;
        this.accounts = accounts;
    }

    /**
     * Resolves the names in the configuration. May block on the name service.
     *
     * @param unresolved receives each configured name that is no account
     */
    public static Admission of(int owner, Access access, Accounts accounts, Consumer<String> unresolved) {
        return new Admission(
                owner,
                access,
                Grants.resolve(access.admins(), accounts, unresolved),
                Grants.resolve(access.schedulers(), accounts, unresolved),
                accounts);
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
        int gid = identity.gid();
        boolean isOwner = uid == owner || (rootOwner && uid == 0);
        boolean admin = admins.include(uid, gid);
        boolean scheduler = schedulers.include(uid, gid);
        if (!isOwner && !admin && !scheduler && !guests) {
            return null;
        }
        int guest = admin ? (Credentials.USER | Credentials.ADMIN) : Credentials.USER;
        int role = isOwner ? Credentials.OWNER : guest;
        return new Rights(identity, new Credentials(uid, role | Credentials.LOCAL), user, scheduler);
    }

    public Accounts accounts() {
        return accounts;
    }

    public boolean isForOwnerOnly() {
        return !guests && !rootOwner && admins.isEmpty() && schedulers.isEmpty();
    }

    /** Returns the rights with which a message counts that the owner sends for another user. */
    public Rights onBehalfOf(Credentials claimed) {
        Identity identity = Identity.ofClaim(claimed);
        return new Rights(identity, claimed, identity.number(), schedulers.include(identity.uid(), identity.gid()));
    }
}
