package io.muster.inventory.state;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.LivenessChange;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.StrictJson;
import io.muster.inventory.rset.ResourceSet;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A state with a history: callers pass commands, and the resulting entries are kept. */
public final class States {
    public static final Principal ALICE = new Principal(1001, "alice", 42);
    static final Principal BOB = new Principal(1002, "bob", 0);

    private final List<Entry> entries = new ArrayList<>();
    private InventoryState state;
    private double now = 100;
    private long lastSeq;

    private States(InventoryState state) {
        this.state = state;
    }

    static States on(InventoryState state) {
        return new States(state);
    }

    static States empty() {
        return new States(InventoryState.empty());
    }

    /** Returns host[0-3] as ranks 0-3, all online, host3 with property "batch", at 100 s after the epoch. */
    static States four() {
        States four = empty();
        four.run(new DefinitionChanges.Define(resources("0-3", "host[0-3]"), "configuration", Liveness.Status.ONLINE));
        four.entries.clear();
        return four;
    }

    static ResourceSet resources(String ranks, String hosts) {
        return ResourceSet.parse("{\"version\":1,\"execution\":{\"R_lite\":[{\"rank\":\"" + ranks
                + "\",\"children\":{\"core\":\"0-3\"}}],\"starttime\":0.0,\"expiration\":0.0,\"nodelist\":[\"" + hosts
                + "\"]" + (ranks.equals("0-3") ? ",\"properties\":{\"batch\":\"3\"}" : "") + "}}");
    }

    InventoryState state() {
        return state;
    }

    List<Entry> entries() {
        return entries;
    }

    double now() {
        return now;
    }

    States at(double time) {
        now = time;
        return this;
    }

    Decision run(Command command) {
        return run(command, ALICE);
    }

    /** Carries a command out and returns the decision. */
    Decision run(Command command, Principal by) {
        Decision decision = command.decide(state, now, by);
        for (Event event : decision.events()) {
            long seq = ++lastSeq;
            ChangeId id = event == decision.events().get(decision.events().size() - 1) ? command.id() : null;
            Entry entry = new Entry(seq, now, by, event, id);
            entries.add(entry);
            state = entry.applyTo(state);
        }
        return decision;
    }

    States after(Command... commands) {
        for (Command command : commands) {
            Decision decision = run(command);
            if (decision.rejection() != null) {
                throw new AssertionError(command + ": " + decision.rejection());
            }
        }
        return this;
    }

    States afterBy(Principal by, Command command) {
        if (run(command, by).rejection() != null) {
            throw new AssertionError(command + " was refused");
        }
        return this;
    }

    /** Returns a decision as text: each event's name and context, or the rejection. */
    static String words(Decision decision) {
        if (decision.rejection() != null) {
            return decision.rejection().kind() + " " + decision.rejection().text();
        }
        List<String> words = new ArrayList<>();
        for (Event event : decision.events()) {
            ObjectNode context = (ObjectNode)
                    new Entry(0, 0, Principal.DAEMON, event).toJson().path("context");
            context.remove(List.of("userid", "user"));
            words.add(event.name() + " " + context.toString().replace('"', '\''));
        }
        return String.join("\n", words);
    }

    static ObjectNode tree(byte[] json) {
        try {
            return (ObjectNode) StrictJson.stored(json);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static ObjectNode tree(String json) {
        return tree(json.replace('\'', '"').getBytes(UTF_8));
    }

    /** Returns the entry as the journal reads it. */
    static ObjectNode tree(Entry entry) {
        return tree(entry.toBytes()).put("seq", entry.seq());
    }

    static String snapshot(InventoryState state) {
        return new String(StateJson.toBytes(state), UTF_8);
    }

    static SortedMap<String, String> map(String... namesAndTargets) {
        SortedMap<String, String> map = new TreeMap<>();
        for (int i = 0; i < namesAndTargets.length; i += 2) {
            map.put(namesAndTargets[i], namesAndTargets[i + 1]);
        }
        return map;
    }

    static Command drain(String targets) {
        return drain(targets, null);
    }

    static Command drain(String targets, @Nullable String reason) {
        return new HoldChanges.Drain(targets, reason, HoldChanges.Mode.NONE, Hold.SHARED, 0);
    }

    static Command drain(String targets, @Nullable String reason, HoldChanges.Mode mode) {
        return new HoldChanges.Drain(targets, reason, mode, Hold.SHARED, 0);
    }

    static Command undrain(String targets, HoldChanges.Mode mode) {
        return new HoldChanges.Undrain(targets, null, mode, null);
    }

    static Command hold(String targets, String holder, double until) {
        return new HoldChanges.Drain(targets, "held", HoldChanges.Mode.NONE, holder, until);
    }

    static Command undrain(String targets) {
        return new HoldChanges.Undrain(targets, null, HoldChanges.Mode.NONE, null);
    }

    static Command exclude(String targets) {
        return new MembershipChanges.Exclude(targets, null);
    }

    static Command include(String targets) {
        return new MembershipChanges.Include(targets, null);
    }

    static Command shrink(String targets) {
        return new MembershipChanges.Shrink(targets, null);
    }

    static Command report(String name, String targets) {
        return new LivenessChanges.SetLiveness(LivenessChange.of(name), targets, "");
    }

    /** Returns the command with the exclusions of a configuration of {@link #four}. */
    static MembershipChanges.ExcludeByConfig config(String ranks) {
        return new MembershipChanges.ExcludeByConfig(resources("0-3", "host[0-3]"), Idset.parse(ranks));
    }

    static Command define(ResourceSet resources) {
        return new DefinitionChanges.Define(resources, "reload", Liveness.Status.OFFLINE);
    }
}
