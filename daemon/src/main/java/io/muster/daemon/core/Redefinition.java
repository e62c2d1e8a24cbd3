package io.muster.daemon.core;

import io.muster.inventory.axis.Definition;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.axis.Remap;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.DefinitionChanges.Define;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts a new R in force. While a scheduler holds the present R, only properties and the expiration change, because RFC 28 can
 * tell the scheduler nothing else; the whole new R follows when no scheduler holds R any more. The latest R counts: an R that
 * still waits when a later one is put in force is forgotten.
 */
public final class Redefinition {
    private static final Logger log = LoggerFactory.getLogger("muster");

    private final Inventory inventory;
    private final BooleanSupplier isAcquired;
    private @Nullable Function<Definition, Define> waiting;
    private List<String> parts = List.of();
    /** The number of calls of {@link #define} that are not answered yet. Each of them is later than what waits. */
    private int underWay;

    Redefinition(Inventory inventory, BooleanSupplier isAcquired) {
        this.inventory = inventory;
        this.isAcquired = isAcquired;
    }

    /**
     * Puts a new R in force, as far as the schedulers can be told.
     *
     * @param wanted returns the command, from the definition at the time when the command is decided; called again for the
     *     rest that has to wait
     */
    public void define(Function<Definition, Define> wanted, Consumer<Answer> answered) {
        inventory.checkThread();
        underWay++;
        put(wanted, answer -> {
            underWay--;
            answered.accept(answer);
            retry();
        });
    }

    private void put(Function<Definition, Define> wanted, Consumer<Answer> answered) {
        if (inventory.isRedefining()) {
            inventory.whenAnswered(() -> put(wanted, answered));
            return;
        }
        Define next = wanted.apply(inventory.state().definition());
        Remap change = change(next.resources());
        List<String> untold = untold(next.resources());
        inventory.submit(untold.isEmpty() ? next : next.with(change.told()), Principal.DAEMON, answer -> {
            if (answer instanceof Answer.Done) {
                settle(wanted, untold, change);
            }
            answered.accept(answer);
        });
    }

    private void settle(Function<Definition, Define> wanted, List<String> untold, Remap change) {
        parts = untold;
        if (untold.isEmpty()) {
            waiting = null;
            report(change);
        } else {
            waiting = wanted;
            log.warn(
                    "until the scheduler acquires again, these parts of the new R wait: {}", String.join("; ", untold));
        }
    }

    private static void report(Remap change) {
        if (!change.from().ranks().isEmpty()) {
            report("moved to another rank", change.moved().toString());
            report(
                    "left the inventory; their holds are kept until they return",
                    change.vanished().toString());
            report("new in the inventory", change.added().toString());
        }
    }

    private static void report(String what, String hosts) {
        if (!hosts.isEmpty()) {
            log.warn("hosts {}: {}", what, hosts);
        }
    }

    /** Puts the R that waits in force if no scheduler holds the present one and no later R is on its way. */
    void retry() {
        Function<Definition, Define> wanted = waiting;
        if (wanted == null || underWay > 0 || isAcquired.getAsBoolean()) {
            return;
        }
        if (inventory.isRedefining()) {
            inventory.whenAnswered(this::retry);
            return;
        }
        put(wanted, answer -> {
            if (answer instanceof Answer.Failed failed) {
                log.error("the new R that waited for the scheduler is not in force: {}", failed.text());
            } else if (waiting == null) {
                log.info("the new R that waited for the scheduler is in force");
            }
        });
    }

    /** Returns which parts of a new R the connected schedulers cannot be sent; empty if they can be sent the whole R. */
    public List<String> untold(ResourceSet next) {
        return isAcquired.getAsBoolean() ? change(next).untold() : List.of();
    }

    private Remap change(ResourceSet next) {
        return Remap.between(inventory.state().definition().base(), next);
    }

    /** Returns the parts of a new R that wait until no scheduler holds the present R, in words. */
    public List<String> waiting() {
        return parts;
    }

    /** Forgets the R that waits, because an admin has put a later one in force. */
    public void forget() {
        waiting = null;
        parts = List.of();
    }
}
