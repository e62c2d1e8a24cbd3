package io.muster.daemon.api;

import io.muster.daemon.access.Identity;
import org.jspecify.annotations.Nullable;

/** Finds the identities of bearer tokens. */
public interface Bearers {
    /**
     * Returns the identity to which a token belongs; null if the token is unknown, revoked or expired. Called on the thread of a
     * connection, for each request, and regularly while events are followed.
     *
     * @param source the address from which the token came, for the log and for {@link #isGuessing}
     */
    @Nullable
    Identity of(String token, String source);

    /** Returns whether too many wrong tokens came from an address lately. */
    boolean isGuessing(String source);
}
