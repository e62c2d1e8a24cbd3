package io.muster.daemon.core;

import io.muster.inventory.axis.Definition;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.axis.Remap;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.DefinitionChanges.Define;
import io.muster.inventory.state.InventoryState;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
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
    private BooleanSupplier isAcquired = () -> false;
    private @Nullable Function<Definition, Define> waiting;
    private volatile List<String> parts = List.of();
    /**
     * The number of calls of {@link #define} that are not answered yet. Each of these calls is later than the R that waits.
     */
    private int underWay;

    Redefinition(Inventory inventory) {
        this.inventory = inventory;
    }

    /** @param condition whether a scheduler holds the present R; until this call no scheduler does */
    void heldIf(BooleanSupplier condition) {
        isAcquired = condition;
    }

    /**
     * Puts the parts of a new R in force that the schedulers can be sent.
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

    /**
     * The consequences of a new R, which are computed beside the core thread.
     *
     * @param untold the parts that the schedulers cannot be sent
     * @param reports sentences about changes of hosts, for the log
     */
    private record Plan(@Nullable Command command, List<String> untold, List<String> reports) {
        static Plan of(Define wanted, InventoryState state, boolean isAcquired, boolean inPart) {
            Remap change = Remap.between(state.definition().base(), wanted.resources());
            List<String> untold = isAcquired ? change.untold() : List.of();
            if (!untold.isEmpty()) {
                return new Plan(inPart ? wanted.with(change.told()) : null, untold, List.of());
            }
            List<String> reports = new ArrayList<>();
            if (!change.from().ranks().isEmpty()) {
                report(reports, "moved to another rank: ", change.moved());
                report(reports, "left the inventory; their holds are kept until they return: ", change.vanished());
                report(reports, "new in the inventory: ", change.added());
            }
            return new Plan(wanted, untold, reports);
        }

        private static void report(List<String> reports, String what, Hostlist hosts) {
            if (!hosts.isEmpty()) {
                reports.add(what + hosts.abridged());
            }
        }
    }

    private void put(Function<Definition, Define> wanted, Consumer<Answer> answered) {
        whenDefined(() -> decide(wanted, true, UnaryOperator.identity(), Principal.DAEMON, (plan, answer) -> {
            if (answer instanceof Answer.Done) {
                settle(wanted, Objects.requireNonNull(plan));
            }
            answered.accept(answer);
        }));
    }

    private void decide(
            Function<Definition, Define> wanted,
            boolean inPart,
            UnaryOperator<Command> once,
            Principal by,
            BiConsumer<@Nullable Plan, Answer> answered) {
        boolean acquired = isAcquired.getAsBoolean();
        AtomicReference<@Nullable Plan> plan = new AtomicReference<@Nullable Plan>();
        inventory.submitAside(
                state -> {
                    Plan next = Plan.of(wanted.apply(state.definition()), state, acquired, inPart);
                    plan.set(next);
                    Command command = next.command();
                    return command == null ? null : once.apply(command);
                },
                by,
                answer -> answered.accept(plan.get(), answer));
    }

    /** Runs a task when no R is being put in force. */
    public void whenDefined(Runnable then) {
        if (inventory.isRedefining()) {
            inventory.whenAnswered(() -> whenDefined(then));
        } else {
            then.run();
        }
    }

    /** Returns the parts of a change that the schedulers cannot be sent. */
    public List<String> untold(Remap change) {
        return isAcquired.getAsBoolean() ? change.untold() : List.of();
    }

    /**
     * Puts an R that an admin has loaded in force, if the schedulers can be sent the whole R. To be called in a task of {@link #whenDefined}.
     *
     * @param once returns the command to submit for the command that defines R
     * @param untold receives the parts that the schedulers cannot be sent, if there are any; then nothing changes
     */
    public void load(
            Function<Definition, Define> wanted,
            UnaryOperator<Command> once,
            Principal by,
            Consumer<List<String>> untold,
            Consumer<Answer> answered) {
        decide(wanted, false, once, by, (plan, answer) -> {
            if (answer instanceof Answer.Done) {
                if (plan != null && !plan.untold().isEmpty()) {
                    untold.accept(plan.untold());
                    return;
                }
                waiting = null;
                parts = List.of();
            }
            answered.accept(answer);
        });
    }

    private void settle(Function<Definition, Define> wanted, Plan plan) {
        parts = plan.untold();
        if (parts.isEmpty()) {
            waiting = null;
            plan.reports().forEach(report -> log.warn("hosts {}", report));
        } else {
            waiting = wanted;
            log.warn("until the scheduler acquires again, these parts of the new R wait: {}", String.join("; ", parts));
        }
    }

    /** Puts the R that waits in force if no scheduler holds the present one and no later R is being put in force. */
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

    /** Returns the parts of a new R that wait until no scheduler holds the present R, in words. */
    public List<String> waiting() {
        return parts;
    }
}
