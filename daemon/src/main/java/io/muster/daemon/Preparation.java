package io.muster.daemon;

import io.muster.daemon.config.Config;
import io.muster.daemon.config.Configurable;
import io.muster.daemon.config.Resources;
import io.muster.daemon.core.Answer;
import io.muster.inventory.axis.Definition;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.axis.Remap;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.DefinitionChanges;
import io.muster.inventory.state.MembershipChanges;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Brings the inventory in line with a configuration. Each step is a command like any other. */
final class Preparation implements Configurable {
    private static final Logger log = LoggerFactory.getLogger("muster");

    /** The method that RFC 44 names for an R loaded by {@code resource.reload}. */
    private static final String RELOADED = "reload";

    /** RFC 44's word for an R that nobody has configured: this host. */
    private static final String DISCOVERED = "dynamic-discovery";

    private static final int MOST_NAMES = 200;

    private final Core core;
    private final Threads threads;

    /**
     * The R of the configuration that was last put in force. An R that an admin loaded since stays in force until the configured R changes
     * or the daemon starts again.
     */
    private volatile ResourceSet obeyed = ResourceSet.EMPTY;

    Preparation(Core core, Threads threads) {
        this.core = core;
        this.threads = threads;
    }

    /**
     * Applies the configuration at start. If the disk refuses changes, the inventory goes on as it was found, if there was one.
     *
     * @throws IOException if the disk refuses changes and there was no inventory
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
        if (failure != null && first) {
            throw new IOException(failure);
        }
        if (failure != null) {
            log.error(
                    "the daemon takes no changes, so the inventory stays as it was when the daemon stopped: {}; reload "
                            + "the configuration when the daemon takes changes again",
                    failure);
        }
    }

    /**
     * Why a reload may not put the configuration's R in force, or null. A file that was emptied or cut short must not cost an
     * instance its hosts: who means it says so in the configuration, or restarts the daemon.
     */
    @Nullable
    String refusal(Config next) {
        Definition found = core.inventory().state().definition();
        Resources resources = next.resources();
        int hosts = found.base().nodes();
        if (found.method().equals(DISCOVERED)
                || hosts == 0
                || resources.set().equals(obeyed)
                || next.reloadDrop() >= 1) {
            return null;
        }
        Hostlist gone = core.inventory().state().remapTo(resources.set()).vanished();
        if (!resources.isDiscovered() && gone.size() <= next.reloadDrop() * hosts) {
            return null;
        }
        String names = gone.toString();
        return (resources.isDiscovered()
                        ? "the configuration no longer names hosts, so that only this host is left: it"
                        : "the configuration")
                + " would take away " + gone.size() + " of " + hosts + " hosts ("
                + (names.length() > MOST_NAMES ? names.substring(0, MOST_NAMES) + "..." : names)
                + "), and muster.reload-drop = " + next.reloadDrop() + " does not allow that; if you want it, set"
                + " muster.reload-drop = 1 and reload again, or restart the daemon";
    }

    /** Applies the configuration at a reload. Waits for the disk, so not on the core thread. */
    @Override
    public void configure(Config next) throws InterruptedException {
        String failure = next.resources().set().equals(obeyed) ? submit(exclusions(next)) : define(next);
        if (failure != null) {
            log.error("the daemon takes no changes, so the inventory stays as it is: {}", failure);
        }
    }

    /**
     * Defines R as configured. A new R has to wait while a scheduler holds the resources, because the protocol cannot tell a scheduler of
     * ranks that are added or removed.
     */
    private @Nullable String define(Config config) throws InterruptedException {
        Resources resources = config.resources();
        String method = resources.isDiscovered() ? DISCOVERED : "configuration";
        Remap remap = core.inventory().state().remapTo(resources.set());
        Command define =
                new DefinitionChanges.Define(resources.set(), method, Core.initial(config), exclusions(config));
        Optional<Answer> answer = submitUnless(core.acquires()::isAcquired, define);
        if (answer.isEmpty()) {
            log.warn("a scheduler holds the present resources: the new ones wait for the next start, or for a reload "
                    + "without a scheduler");
            return submit(exclusions(config));
        }
        String failure = failure(answer.get());
        if (failure == null) {
            obeyed = resources.set();
            report(remap);
        }
        return failure;
    }

    /** The command that puts an R in force that an admin has loaded. */
    static Function<ResourceSet, Command> onReload(Config config) {
        return resources -> new DefinitionChanges.Define(resources, RELOADED, Core.initial(config), exclusions(config));
    }

    private static MembershipChanges.ExcludeByConfig exclusions(Config config) {
        return new MembershipChanges.ExcludeByConfig(
                config.resources().set(), config.resources().excluded());
    }

    private static void report(Remap remap) {
        if (!remap.from().ranks().isEmpty()) {
            report("moved to another rank", remap.moved().toString());
            report(
                    "left the inventory; their holds are kept until they return",
                    remap.vanished().toString());
            report("new in the inventory", remap.added().toString());
        }
    }

    private static void report(String what, String hosts) {
        if (!hosts.isEmpty()) {
            log.warn("hosts {}: {}", what, hosts);
        }
    }

    /** @return why the command could not be made durable, or null */
    private @Nullable String submit(Command command) throws InterruptedException {
        return failure(submitUnless(() -> false, command).orElseThrow());
    }

    private static @Nullable String failure(Answer answer) {
        return answer instanceof Answer.Failed failed ? failed.text() : null;
    }

    /** @return nothing if {@code obstacle} was true on the core thread, so that the command was not submitted */
    private Optional<Answer> submitUnless(BooleanSupplier obstacle, Command command) throws InterruptedException {
        CompletableFuture<Optional<Answer>> answered = new CompletableFuture<>();
        threads.core().execute(() -> {
            if (obstacle.getAsBoolean()) {
                answered.complete(Optional.empty());
            } else {
                submit(command, answered);
            }
        });
        try {
            return answered.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Submits a command on the core thread. A bug is passed to the thread that waits. */
    private void submit(Command command, CompletableFuture<Optional<Answer>> answered) {
        try {
            core.inventory().submit(command, Principal.DAEMON, answer -> answered.complete(Optional.of(answer)));
        } catch (RuntimeException | Error bug) {
            answered.completeExceptionally(bug);
        }
    }
}
