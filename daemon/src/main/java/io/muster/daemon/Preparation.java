package io.muster.daemon;

import io.muster.daemon.config.Config;
import io.muster.daemon.config.Configurable;
import io.muster.daemon.config.Resources;
import io.muster.daemon.core.Answer;
import io.muster.daemon.core.Redefinition;
import io.muster.daemon.service.Changes;
import io.muster.daemon.service.Consequences;
import io.muster.inventory.axis.Definition;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.DefinitionChanges;
import io.muster.inventory.state.DefinitionChanges.Define;
import io.muster.inventory.state.MembershipChanges;
import java.io.IOException;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Brings the inventory in line with a configuration. Each step is a command like any other. */
final class Preparation implements Configurable {
    private static final Logger log = LoggerFactory.getLogger("muster");

    /** The method that RFC 44 names for an R loaded by {@code resource.reload}. */
    private static final String RELOADED = "reload";

    /** RFC 44's word for an R that is not configured and was discovered on this host. */
    private static final String DISCOVERED = "dynamic-discovery";

    private final Core core;
    private final Workers threads;
    /** Says how many waiting jobs a reload ends; null before it is known whom to ask. */
    private volatile @Nullable Consequences consequences;

    /**
     * The resources of the configuration that was last put in force. An R that an admin loaded since stays in force until the configured R
     * changes in more than the properties of queues, or the daemon starts again.
     */
    private volatile Resources obeyed = Resources.NONE;

    /** The configuration to put in force when this daemon leads; null if the daemon needs no lead to do so. */
    private volatile @Nullable Config deferred;

    /** Whether that configuration is not in force yet. Used by the thread of reloads only. */
    private boolean owed;

    Preparation(Core core, Workers threads) {
        this.core = core;
        this.threads = threads;
    }

    void consult(Consequences known) {
        consequences = known;
    }

    /** Keeps a configuration until {@link #startDeferred}, because another daemon makes the changes. */
    void defer(Config config) {
        deferred = config;
    }

    /**
     * Applies the newest configuration, because this daemon makes the changes from now on.
     *
     * @param anyway whether to apply a configuration that this daemon has put in force before, because another daemon may have
     *     put its own in force since
     */
    void startDeferred(boolean anyway) throws IOException, InterruptedException {
        Config newest = deferred;
        owed |= anyway;
        if (newest != null && owed) {
            start(newest);
        }
    }

    /**
     * Applies the configuration at start. If the disk refuses changes, or this daemon has lost the lead meanwhile, the
     * daemon continues with the inventory that it found, if there was one.
     *
     * @throws IOException if changes are refused and there was no inventory
     */
    void start(Config config) throws IOException, InterruptedException {
        Definition found = core.inventory().state().definition();
        boolean first = found.resources().ranks().isEmpty();
        if (found.method().equals(RELOADED)
                && !found.base().equals(config.resources().set())) {
            log.warn(
                    "the R that an admin loaded, with {} nodes, is replaced by the R of the configuration, with {}",
                    found.base().nodes(),
                    config.resources().set().nodes());
        }
        String failure = define(config);
        failure = failure == null ? submit(new DefinitionChanges.Restart()) : failure;
        if (failure == null) {
            owed = false;
            return;
        }
        if (first) {
            throw new IOException(failure);
        }
        if (core.inventory().elsewhere() != null) { // the next lead of this daemon begins with its configuration
            log.info("the configuration is not in force yet: {}", failure);
            return;
        }
        log.error(
                "the daemon takes no changes, so the inventory stays as it was when the daemon stopped: {}; reload "
                        + "the configuration when the daemon takes changes again",
                failure);
    }

    /**
     * Why a reload may not put the configuration's R in force, or null. A file that was emptied or cut short must not remove
     * the hosts of an instance: to remove hosts, an admin sets {@code muster.reload-drop}, or restarts the daemon.
     */
    @Nullable
    String refusal(Config next) {
        Definition found = core.inventory().state().definition();
        Resources resources = next.resources();
        int hosts = found.base().nodes();
        if (found.method().equals(DISCOVERED)
                || hosts == 0
                || resources.hasSameSource(obeyed)
                || next.reloadDrop() >= 1) {
            return null;
        }
        Hostlist gone = core.inventory().state().remapTo(resources.set()).vanished();
        if (!resources.isDiscovered() && gone.size() <= next.reloadDrop() * hosts) {
            return null;
        }
        return (resources.isDiscovered()
                        ? "the configuration no longer names hosts, so that only this host is left: it"
                        : "the configuration")
                + " would take away " + gone.size() + " of " + hosts + " hosts ("
                + gone.abridged()
                + "), and muster.reload-drop = " + next.reloadDrop() + " does not allow that; if you want it, set"
                + " muster.reload-drop = 1 and reload again, or restart the daemon";
    }

    /**
     * Applies the configuration at a reload. Waits for the disk, so not on the core thread.
     *
     * @throws IOException if the disk refuses the changes
     */
    @Override
    public void configure(Config next) throws IOException, InterruptedException {
        boolean elsewhere = deferred != null && core.inventory().elsewhere() != null;
        deferred = deferred == null ? null : next;
        owed |= elsewhere;
        Consequences known = consequences;
        if (!elsewhere && known != null && next.flux().live()) {
            warnOfJobs(next, known);
        }
        String failure = elsewhere ? null : define(next);
        if (failure != null) {
            throw new IOException("the inventory stays as it is, because it takes no changes: " + failure
                    + "; reload again when the ledger can be written");
        }
    }

    /** Says in the log how many waiting jobs end because hosts lose properties, such as those of queues. */
    private void warnOfJobs(Config next, Consequences known) throws InterruptedException {
        Definition found = core.inventory().state().definition();
        Define define = wanted(next, obeyed, found, true);
        SortedMap<String, Idset> removed = Consequences.removed(found.resources(), define.resources());
        if (removed.isEmpty() || define.resources().equals(found.base())) {
            return;
        }
        CompletableFuture<OptionalLong> answered = new CompletableFuture<>();
        threads.core().execute(() -> known.ask(removed, answered::complete));
        try {
            OptionalLong jobs = threads.await(answered);
            if (jobs.orElse(1) > 0) {
                log.warn(
                        "hosts lose the properties {}: Flux ends the waiting jobs that have too few hosts then, {}",
                        removed.keySet(),
                        jobs.isPresent() ? "at least " + jobs.getAsLong() : "it is not known how many");
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Defines R as configured, or with the configured queues if an admin has loaded it since. */
    private @Nullable String define(Config config) throws InterruptedException {
        Resources obeyedBefore = obeyed;
        Redefinition redefinition = core.inventory().redefinition();
        String failure = await(answered -> redefinition.define(
                found -> wanted(
                        config, obeyedBefore, found, redefinition.waiting().isEmpty()),
                answered));
        if (failure == null) {
            obeyed = config.resources();
        }
        return failure;
    }

    /**
     * Returns the command that puts a configuration in force.
     *
     * @param before the resources of the configuration that was obeyed before
     * @param isWhole whether everything of that configuration is in force
     */
    private static Define wanted(Config config, Resources before, Definition found, boolean isWhole) {
        Resources resources = config.resources();
        boolean loaded = isWhole && found.method().equals(RELOADED) && resources.hasSameSource(before);
        ResourceSet next = loaded ? resources.withQueues(found.base(), before) : resources.set();
        String configured = resources.isDiscovered() ? DISCOVERED : "configuration";
        return new Define(next, loaded ? RELOADED : configured, Core.initial(config), exclusions(config));
    }

    /** What changes need of the configuration; an R that an admin loads gets the properties of queues. */
    static Changes.Configured changes(Config config) {
        Resources configured = config.resources();
        return new Changes.Configured(
                loaded -> new Define(
                        configured.withQueues(loaded, configured), RELOADED, Core.initial(config), exclusions(config)),
                configured.queueProperties(),
                config.holds(),
                config.confirmShare(),
                config.flux());
    }

    private static MembershipChanges.ExcludeByConfig exclusions(Config config) {
        return new MembershipChanges.ExcludeByConfig(
                config.resources().set(), config.resources().excluded());
    }

    /** @return why the command could not be made durable, or null */
    private @Nullable String submit(Command command) throws InterruptedException {
        return await(answered -> core.inventory().submit(command, Principal.DAEMON, answered));
    }

    /**
     * Runs a task on the core thread and waits for the answer. An exception of the task is passed to the waiting thread.
     *
     * @return why the change could not be made durable, or null
     */
    private @Nullable String await(Consumer<Consumer<Answer>> task) throws InterruptedException {
        CompletableFuture<Answer> answered = new CompletableFuture<>();
        threads.core().execute(() -> {
            try {
                task.accept(answered::complete);
            } catch (RuntimeException | Error bug) {
                answered.completeExceptionally(bug);
            }
        });
        try {
            return threads.await(answered) instanceof Answer.Failed failed ? failed.text() : null;
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }
}
