package io.muster.daemon.access;

import io.muster.daemon.core.Aside;
import io.muster.protocol.wire.Credentials;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The admission in force, the users that it has admitted, and the look-ups of names that are under way. For the core thread. */
public final class Admissions {
    private static final int MOST_KNOWN = 10_000;

    /** A name service that works answers within milliseconds. */
    public static final long PATIENCE_SECONDS = 3;

    private final ScheduledExecutorService core;
    private final Aside names;
    private final Aside services;
    private Admission admission;
    private final Map<Identity, Rights> known = new HashMap<>();
    private final Map<Identity, Lookup> lookups = new HashMap<>();
    private final LogBudget budget = new LogBudget(System::nanoTime);

    /**
     * @param names reads /etc/passwd
     * @param services asks the name service, which may not answer for seconds; with several threads, several questions at a time
     */
    public Admissions(Admission admission, ScheduledExecutorService core, Aside names, Aside services) {
        this.admission = admission;
        this.core = core;
        this.names = names;
        this.services = services;
    }

    /** For peers that connect from now on. */
    public void replace(Admission next) {
        admission = next;
        known.clear();
    }

    public Admission inForce() {
        return admission;
    }

    /** Limits the lines of the log about peers that are refused. */
    public LogBudget budget() {
        return budget;
    }

    /**
     * What a peer may do. A user who is let in waits for the user's name, but not for the names of others: the names in /etc/passwd
     * have a thread of their own, and who stands elsewhere is a number after {@link #PATIENCE_SECONDS}. A name that was not found is
     * looked up again for the next connection: a directory may have been silent.
     *
     * @param then given the rights, or null for somebody who is not let in; at once where they are known
     */
    public void rights(Identity identity, Consumer<@Nullable Rights> then) {
        Identity user = identity.user();
        Consumer<@Nullable Rights> found = rights -> then.accept(rights == null ? null : rights.of(identity));
        Rights rights = known.get(user);
        if (rights != null || admission.admit(user, "") == null) {
            found.accept(rights);
            return;
        }
        Lookup running = lookups.get(user);
        if (running != null) {
            running.waiting.add(found);
            return;
        }
        Lookup lookup = new Lookup(user);
        lookup.waiting.add(found);
        lookups.put(user, lookup);
        lookup.timer = core.schedule(() -> lookup.found(user.number()), PATIENCE_SECONDS, TimeUnit.SECONDS);
        lookup.inFiles(admission.accounts());
    }

    /** The search for one user's name, for all connections of the user that wait for it. */
    private final class Lookup {
        private final Identity user;
        private final List<Consumer<@Nullable Rights>> waiting = new ArrayList<>();
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

        /** Where many names are looked for, nobody may wait any longer for this one when its turn comes. */
        private void inService(Accounts accounts) {
            services.run(
                    () -> {
                        String name = over ? user.number() : accounts.name(user.uid());
                        return () -> found(name);
                    },
                    bug -> found(user.number()));
        }

        /** Judged by the admission that is in force by now. */
        void found(String name) {
            if (over) {
                return;
            }
            over = true;
            lookups.remove(user);
            if (timer != null) {
                timer.cancel(false);
            }
            Rights rights = admission.admit(user, name);
            if (rights != null && rights.haveName() && known.size() < MOST_KNOWN) {
                known.put(user, rights);
            }
            waiting.forEach(then -> then.accept(rights));
        }
    }

    public Rights onBehalfOf(Credentials claimed) {
        return admission.onBehalfOf(claimed);
    }
}
