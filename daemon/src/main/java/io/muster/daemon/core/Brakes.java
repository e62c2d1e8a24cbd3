package io.muster.daemon.core;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.axis.Times;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.state.Brake;
import io.muster.inventory.state.Braked;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.Decision.Rejection;
import io.muster.inventory.state.HoldChanges;
import io.muster.inventory.state.InventoryState;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The brakes in force, and what they have refused since the daemon started. All methods run on the core thread. */
public final class Brakes {
    private static final Logger log = LoggerFactory.getLogger("brake");

    private final Inventory inventory;
    private final Map<String, Refused> refused = new HashMap<>();
    private List<Brake> brakes = List.of();
    private Runnable meter = () -> {};

    /**
     * The requests that a brake has refused.
     *
     * @param last when the brake refused the last one, of this user and with this sentence
     */
    private record Refused(long count, double last, Principal by, String sentence) {}

    Brakes(Inventory inventory) {
        this.inventory = inventory;
    }

    public void configure(List<Brake> next) {
        brakes = next;
    }

    /** @param counter is run for each refusal */
    public void count(Runnable counter) {
        meter = counter;
    }

    public List<Brake> inForce() {
        return brakes;
    }

    /** Returns the command of a user, with the brakes that limit it. A person, whom the kernel of this host knows, has none. */
    public Command on(Command command, Principal by) {
        String holder = by.isKnownToKernel() ? null : HoldChanges.holderOf(command);
        return holder != null && brakes.stream().anyMatch(brake -> brake.covers(holder))
                ? new Braked(command, brakes)
                : command;
    }

    /** Submits a command to the inventory, and notes if a brake refuses it. */
    public void submit(Command command, Principal by, Consumer<Answer> reply) {
        inventory.submit(command, by, answer -> {
            if (answer instanceof Answer.Rejected no) {
                note(no.rejection(), by);
            }
            reply.accept(answer);
        });
    }

    /** Logs the first refusal, and then none until the brake has refused nothing for its window: a mad robot asks often. */
    void note(Rejection rejection, Principal by) {
        if (rejection.kind() != Rejection.Kind.BRAKED) {
            return;
        }
        double now = inventory.now();
        Refused before = refused.get(rejection.brake());
        double window = brakes.stream()
                .filter(brake -> brake.holder().equals(rejection.brake()))
                .mapToDouble(Brake::window)
                .max()
                .orElse(0);
        if (before == null || now - before.last > window) {
            log.error("the brake on {} refuses what {} asks: {}", rejection.brake(), by, rejection.text());
        }
        long count = before == null ? 1 : before.count + 1;
        refused.put(rejection.brake(), new Refused(count, now, by, rejection.text()));
        meter.run();
    }

    /** Returns the document with the brakes. What they refused is null on a standby, which makes no changes. */
    public ObjectNode document() {
        InventoryState state = inventory.state();
        double now = inventory.now();
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("seq", inventory.seq());
        json.put("time", Times.rfc3339(now));
        ArrayNode all = json.putArray("brakes");
        for (Brake brake : brakes) {
            Idset counted = brake.counted(state, now);
            ObjectNode each = all.addObject().put("holder", brake.holder()).put("limit", brake.limit());
            each.put("window", brake.window()).put("most", brake.most(state)).put("nnodes", counted.size());
            each.put("hosts", state.resources().hostsOf(counted).toString()).put("room", brake.room(state, now));
            putRefused(each, refused.get(brake.holder()));
        }
        return json;
    }

    private void putRefused(ObjectNode brake, @Nullable Refused some) {
        if (inventory.elsewhere() != null) {
            brake.putNull("refused").putNull("last");
        } else if (some == null) {
            brake.put("refused", 0).putNull("last");
        } else {
            brake.put("refused", some.count);
            ObjectNode last = brake.putObject("last").put("time", Times.rfc3339(some.last));
            last.put("user", some.by.names()).put("sentence", some.sentence);
        }
    }
}
