package io.muster.daemon.access;

import io.muster.daemon.core.Aside;
import io.muster.protocol.wire.Credentials;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds the rights of peers: the admission in force, the users that it has admitted, and the lookups of names that are in
 * progress. Used on the core thread.
 */
public final class Admissions {
    /** How long a user whose name was not found goes by the number before the name is looked up again. */
    private static final int UNKNOWN_SECONDS = 60;

    private static final int MOST_KNOWN = 10_000;

    /** How long a connection waits for its user's name. A name service that works responds within milliseconds. */
    public static final long PATIENCE_SECONDS = 3;

    /** Why a change on another socket is refused if there is an admin socket. */
    public static final String ADMIN_SOCKET_ONLY = "only the admin socket takes changes";

    private final ScheduledExecutorService core;
    private final Aside names;
    private final Aside services;
    private volatile Admission admission;
    private volatile boolean adminSocket;
    private final Map<Identity, Rights> known = new ConcurrentHashMap<>();
    /** The names of users for whom others speak. */
    private final Map<Integer, String> spokenFor = new HashMap<>();

    private final Map<Integer, Lookup> lookups = new HashMap<>();

    /**
     * @param names the thread that reads /etc/passwd
     * @param services the threads that query the name service, which may not respond for seconds; several threads allow
     *     several queries at a time
     */
    public Admissions(Admission admission, ScheduledExecutorService core, Aside names, Aside services) {
        this.admission = admission;
        this.core = core;
        this.names = names;
        this.services = services;
    }

    /** Makes {@link #mayChangeByHttp} refuse this host's users, because they send changes to the admin socket. */
    public void reserveChangesForAdminSocket() {
        adminSocket = true;
    }

    /** Returns whether a request over HTTP may be a change. Tokens and certificates are governed by their grants alone. */
    public boolean mayChangeByHttp(Rights rights) {
        return !adminSocket || rights.identity().source() != Identity.Source.KERNEL;
    }

    /** Sets the admission for peers that connect from now on. */
    public void replace(Admission next) {
        admission = next;
        known.clear();
        spokenFor.clear();
    }

    /** Returns the admission in force. May be called on any thread. */
    public Admission inForce() {
        return admission;
    }

    /**
     * Finds the rights of a peer. A peer without an account on this host has a name already. Any other peer waits until the
     * name of its user is found, but not for the names of other users: a separate thread reads /etc/passwd, and a user that
     * is not found within {@link #PATIENCE_SECONDS} gets its number as name. A name that was not found is looked up again
     * for the next connection, because the name service may only have been slow.
     *
     * @param then receives the rights, or null if the user is not admitted; called at once if the rights are known
     */
    public void rights(Identity peer, Consumer<@Nullable Rights> then) {
        rightsOfAccepted(accepted(peer), then);
    }

    /**
     * Returns the identity with the audit login of its process. Must be called when the connection is accepted: later, another process
     * may have the number. May be called on any thread.
     */
    public Identity accepted(Identity peer) {
        return peer.named() == null ? peer.withLogin(admission.accounts().login(peer.pid())) : peer;
    }

    /** Like {@link #rights}, for an identity that {@link #accepted} returned. */
    public void rightsOfAccepted(Identity identity, Consumer<@Nullable Rights> then) {
        Identity.Named named = identity.named();
        if (named != null) {
            then.accept(admission.admit(identity, named.name()));
            return;
        }
        Identity user = identity.user();
        Consumer<@Nullable Rights> found = rights -> then.accept(rights == null ? null : rights.of(identity));
        Rights rights = known.get(user);
        if (rights != null || admission.admit(user, "") == null) {
            found.accept(rights);
            return;
        }
        lookUp(user, name -> {
            Rights fresh = admission.admit(user, name);
            if (fresh != null && fresh.haveName() && known.size() < MOST_KNOWN) {
                known.put(user, fresh);
            }
            found.accept(fresh);
        });
    }

    /**
     * Finds the rights of a request that a user sends for another. As for a peer, the name of the other user is found first.
     *
     * @param introduced the name by which a speaker on another host has introduced the user, or null
     * @param then receives the rights; called at once if the name is known or is not needed
     */
    public void onBehalfOf(Rights speaker, Credentials claimed, @Nullable String introduced, Consumer<Rights> then) {
        int uid = claimed.userid();
        Identity.Named named = speaker.identity().named();
        if (named != null) {
            then.accept(admission.onBehalfOf(speaker, claimed, named.user(uid, introduced)));
            return;
        }
        String name = uid == speaker.identity().uid() ? speaker.user() : spokenFor.get(uid);
        if (name != null) {
            then.accept(admission.onBehalfOf(speaker, claimed, name));
            return;
        }
        lookUp(Identity.ofClaim(uid, false), found -> {
            Rights rights = admission.onBehalfOf(speaker, claimed, found);
            boolean kept = spokenFor.size() < MOST_KNOWN && spokenFor.putIfAbsent(uid, found) == null;
            if (kept && !rights.haveName()) { // the name service may only be slow
                Runnable forget = () -> spokenFor.remove(uid, found);
                var unused = core.schedule(forget, UNKNOWN_SECONDS, TimeUnit.SECONDS);
            }
            then.accept(rights);
        });
    }

    /**
     * Returns the rights of a peer whose user is known; null if {@link #rightsOfAccepted} must find them. May be called on any thread.
     *
     * @param peer the identity that {@link #accepted} returned
     */
    public @Nullable Rights known(Identity peer) {
        Identity.Named named = peer.named();
        if (named != null) {
            return admission.admit(peer, named.name());
        }
        Rights rights = known.get(peer.user());
        return rights == null ? null : rights.of(peer);
    }

    private void lookUp(Identity user, Consumer<String> found) {
        Lookup running = lookups.get(user.uid());
        if (running != null) {
            running.waiting.add(found);
            return;
        }
        Lookup lookup = new Lookup(user);
        lookup.waiting.add(found);
        lookups.put(user.uid(), lookup);
        lookup.timer = core.schedule(() -> lookup.found(user.number()), PATIENCE_SECONDS, TimeUnit.SECONDS);
        lookup.inFiles(admission.accounts());
    }

    /** The lookup of one user's name, for everything that waits for it. */
    private final class Lookup {
        private final Identity user;
        private final List<Consumer<String>> waiting = new ArrayList<>();
        private @Nullable Future<?> timer;
        private volatile boolean over;

        Lookup(Identity user) {
            this.user = user;
        }

        void inFiles(Accounts accounts) {
            names.run(
                    () -> {
                        Optional<String> local = accounts.localName(user.uid());
                        return () -> local.ifPresentOrElse(this::found, () -> inService(accounts));
                    },
                    bug -> found(user.number()));
        }

        /**
         * Queries the name service. If many lookups are in the queue, this lookup may have timed out before its turn comes;
         * then it is skipped.
         */
        private void inService(Accounts accounts) {
            services.run(
                    () -> {
                        String name = over ? user.number() : accounts.name(user.uid());
                        return () -> found(name);
                    },
                    bug -> found(user.number()));
        }

        /**
         * Ends the lookup. The admission that is in force at the end determines the user's rights, not the one at the
         * beginning of the lookup.
         */
        void found(String name) {
            if (over) {
                return;
            }
            over = true;
            lookups.remove(user.uid());
            if (timer != null) {
                timer.cancel(false);
            }
            waiting.forEach(found -> found.accept(name));
        }
    }
}
