package io.muster.daemon.service;

import io.muster.daemon.access.Rights;
import io.muster.daemon.account.Account;

/**
 * The user that asks for an operation.
 *
 * @param changesHere whether the socket to which the user has connected accepts requests that change the inventory
 * @param account the account of the user, in which the accounts of users are nested for whom the user speaks
 */
public record Caller(Rights rights, boolean changesHere, Account account) {
    /** Returns the caller whose user has the number {@code userid}, and for whom this caller sends a request. */
    Caller of(int userid) {
        boolean isOwn = userid == rights.credentials().userid();
        return isOwn ? this : new Caller(rights, changesHere, account.nested(userid));
    }

    Caller with(Rights found) {
        return new Caller(found, changesHere, account);
    }
}
