package io.muster.daemon.access;

import io.muster.daemon.account.Account;
import io.muster.daemon.account.AccountBook;
import io.muster.daemon.account.Kind;
import io.muster.daemon.account.Limit;
import io.muster.inventory.axis.Principal;
import io.muster.protocol.operation.Right;
import io.muster.protocol.wire.Credentials;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The rights of one user on this daemon, or of a request that one user sends for another.
 *
 * @param granted the rights that the configuration grants to the user
 * @param scope what the rights cover
 * @param speaker the rights of the user that speaks for this user, or null. A request has only the rights that both have.
 */
public record Rights(
        Identity identity,
        Credentials credentials,
        String user,
        Set<Right> granted,
        Scope scope,
        @Nullable Rights speaker) {
    /** The rights that a user with the right {@link Right#CHANGE} has too. */
    static final Set<Right> IN_CHANGE = Set.of(Right.HOLD, Right.ALERTS, Right.REPORT_CHECK);

    public Rights {
        granted = Set.copyOf(granted);
    }

    /** Returns the holders that the right {@link Right#HOLD} of the user covers. */
    public Set<String> holders() {
        return scope.holders();
    }

    /** Returns the same rights for another process of the user. */
    Rights of(Identity process) {
        return new Rights(process, credentials, user, granted, scope, speaker);
    }

    Rights with(int rolemask) {
        Credentials other = new Credentials(credentials.userid(), rolemask);
        return new Rights(identity, other, user, granted, scope, speaker);
    }

    Rights through(Rights by) {
        return new Rights(identity, credentials, user, granted, scope, by);
    }

    /** Returns the credentials in force for a message from this user that claims these credentials. */
    public Credentials stamp(Credentials claimed) {
        return credentials.stamp(claimed, allow(Right.SPEAK_FOR));
    }

    /** Returns the author that journal entries name for changes by this user. */
    public Principal principal() {
        return identity.principal(user, speaker == null ? null : speaker.principal());
    }

    /** Returns whether these are all the rights of {@code before}, and perhaps more. */
    public boolean include(Rights before) {
        return granted.containsAll(before.granted) && scope.includes(before.scope);
    }

    /** Returns whether the user is a guest: neither the owner nor named by a grant. */
    public boolean areAGuests() {
        return granted.isEmpty() && !credentials.isOwner();
    }

    /** Returns whether the user may send alerts and do nothing else: every other right includes {@link Right#READ}. */
    boolean areForAlertsAlone() {
        return granted.equals(Set.of(Right.ALERTS)) && !credentials.isOwner();
    }

    /**
     * Returns the account of the user.
     *
     * @param limit what begins, until {@link Account#end}
     * @throws io.muster.daemon.account.Excess if the user has as many already
     */
    public Account begin(AccountBook book, Limit limit, int most, String noun) {
        Kind named = allow(Right.SPEAK_FOR) ? Kind.SPEAKER : Kind.USER;
        Kind kind = credentials.isOwner() ? Kind.OWNER : areAGuests() ? Kind.GUEST : named;
        return book.begin(kind, identity.payer(user), limit, most, noun);
    }

    /** Returns whether the user's name was found; otherwise {@link #user} is the number. */
    public boolean haveName() {
        return !user.equals(identity.number());
    }

    /**
     * Returns whether the user has this right. Credentials that have neither the owner's role nor the role of a user give no
     * right, even if they have other roles (RFC 12 "Credential").
     */
    public boolean allow(Right right) {
        return has(right) && (speaker == null || speaker.allow(right));
    }

    private boolean has(Right right) {
        return credentials.mayUse(Credentials.USER)
                && ((right == Right.READ && !areForAlertsAlone())
                        || credentials.isOwner()
                        || granted.contains(right)
                        || (IN_CHANGE.contains(right) && granted.contains(Right.CHANGE)));
    }

    /**
     * Returns whether the user may place and end holds of a holder. A token that has holders is bound to them, also if it has the right
     * {@link Right#CHANGE}: with another holder, a program would evade the brake on its own.
     *
     * @param holder null for the holds of all holders
     */
    public boolean allowHolder(@Nullable String holder) {
        boolean isBound = identity.isToken() && !scope.holders().isEmpty();
        boolean own = (has(Right.CHANGE) && !isBound)
                || (has(Right.HOLD) && holder != null && scope.holders().contains(holder));
        return own && (speaker == null || speaker.allowHolder(holder));
    }

    /** Returns whether the user may report results of checks of a host. */
    boolean allowHost(String host) {
        boolean own = has(Right.CHANGE) || (has(Right.REPORT_CHECK) && scope.hasHost(host));
        return own && (speaker == null || speaker.allowHost(host));
    }

    /** Returns whether these are the rights of the host itself: of an identity that reports this host and no other. */
    boolean areOfHost(String host) {
        return allowHost(host) && scope.isHost(host);
    }
}
