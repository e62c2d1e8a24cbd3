package io.muster.daemon.service;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.config.FluxSettings;
import io.muster.daemon.core.AcquireStream;
import io.muster.daemon.core.AcquireStreams;
import io.muster.daemon.core.Inventory;
import io.muster.daemon.core.Preview;
import io.muster.daemon.core.Reporter;
import io.muster.daemon.core.Reporters;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.DefinitionChanges;
import io.muster.inventory.state.Expected;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.Once;
import io.muster.inventory.status.JobUsage;
import io.muster.protocol.admin.AuditAnswer;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a change leads to in the schedulers: the updates, and the waiting jobs that they end because hosts lose properties. The reporters
 * beside the schedulers are asked about the jobs. Runs on the core thread.
 */
public final class Consequences {
    /** How long a change waits for reporters that do not answer. */
    private static final long PATIENCE_SECONDS = 10;

    private static final String ENDS = "ends-jobs";

    private final Inventory inventory;
    private final Reporters reporters;
    private final AcquireStreams acquires;
    private final ScheduledExecutorService core;
    private final Map<Long, Question> open = new HashMap<>();
    private long number;

    public Consequences(
            Inventory inventory, Reporters reporters, AcquireStreams acquires, ScheduledExecutorService core) {
        this.inventory = inventory;
        this.reporters = reporters;
        this.acquires = acquires;
        this.core = core;
    }

    /** Returns the last reports of the connected reporters about jobs. */
    List<JobUsage> usage() {
        return reporters.usage();
    }

    private static final class Question {
        private final Consumer<OptionalLong> then;
        private final Set<Reporter> asked = new HashSet<>();
        private long jobs;
        private boolean isKnown;

        Question(Consumer<OptionalLong> then) {
            this.then = then;
        }
    }

    /** Adds the update that each scheduler would be sent. */
    void putUpdates(InventoryState after, ArrayNode updates) {
        acquires.preview(after).forEach((stream, next) -> {
            Principal holder = stream.holder();
            updates.addObject()
                    .put("user", holder.names())
                    .put("pid", holder.pid())
                    .set("update", next == null ? null : next.toJson());
        });
    }

    /**
     * Lets a change go on when it is known how many waiting jobs the change ends. An answer that says what changed has the number.
     *
     * @throws RpcException EINVAL if schedulers cannot be sent the name of a property
     */
    void before(Command command, Principal by, FluxSettings flux, Replier reply, Consumer<Replier> then) {
        before(flux.live() ? removed(command, by, flux) : Collections.emptySortedMap(), reply, then);
    }

    /** The same for a change after which hosts lack these properties. */
    void before(SortedMap<String, Idset> removed, Replier reply, Consumer<Replier> then) {
        if (removed.isEmpty()) {
            then.accept(reply);
            return;
        }
        ask(removed, jobs -> {
            try {
                then.accept(jobs.isPresent() ? new Ending(reply, jobs.getAsLong()) : reply);
            } catch (RpcException refusal) {
                reply.fail(refusal);
            }
        });
    }

    private SortedMap<String, Idset> removed(Command command, Principal by, FluxSettings flux) {
        Command plain = command instanceof Once once ? once.command() : command;
        boolean seen = plain instanceof Expected; // a person has seen the number
        plain = plain instanceof Expected expected ? expected.command() : plain;
        if (plain instanceof DefinitionChanges.ChangeProperties change) {
            if (!change.add()) {
                Preview preview = inventory.preview(change, by);
                return !seen && preview.decision().rejection() == null
                        ? removed(inventory.state().resources(), preview.after().resources())
                        : Collections.emptySortedMap();
            }
            for (String name : change.properties().keySet()) {
                String fault = flux.fault(name);
                if (fault != null) {
                    throw new RpcException(Errno.EINVAL, fault);
                }
            }
        }
        return Collections.emptySortedMap();
    }

    /** An answer that also says how many waiting jobs end. */
    private static final class Ending extends PassingReplier {
        private final Replier reply;
        private final long jobs;

        Ending(Replier reply, long jobs) {
            super(reply);
            this.reply = reply;
            this.jobs = jobs;
        }

        @Override
        public void done(@Nullable Bytes payload) {
            reply.done(payload == null ? null : Json.encode(Json.own(payload).put(ENDS, jobs)));
        }
    }

    /**
     * Returns the properties, with the ranks that have them in the first set and not in the second; none if the sets have other hosts,
     * because a scheduler is loaded again then.
     */
    public static SortedMap<String, Idset> removed(ResourceSet before, ResourceSet after) {
        SortedMap<String, Idset> removed = new TreeMap<>();
        if (!before.hosts().equals(after.hosts())) {
            return removed;
        }
        before.properties().forEach((name, ranks) -> {
            Idset lost = ranks.subtract(after.properties().getOrDefault(name, Idset.EMPTY));
            if (!lost.isEmpty()) {
                removed.put(name, lost);
            }
        });
        return removed;
    }

    /**
     * Asks how many waiting jobs have too few hosts if these ranks lose properties.
     *
     * @param then receives the number; nothing if no reporter says it
     */
    public void ask(SortedMap<String, Idset> removed, Consumer<OptionalLong> then) {
        Question question = new Question(then);
        long mine = ++number;
        ObjectNode message = JsonNodeFactory.instance.objectNode().put(AuditAnswer.JOBS, mine);
        ObjectNode ranks = message.putObject("property-remove");
        removed.forEach((name, of) -> ranks.put(name, of.toString()));
        for (AcquireStream stream : acquires.streams()) {
            Reporter reporter = reporters.named(stream.owner());
            if (reporter != null && question.asked.add(reporter)) {
                reporters.ask(reporter, Json.encode(message));
            }
        }
        open.put(mine, question);
        if (question.asked.isEmpty()) {
            end(mine);
        } else {
            var unused = core.schedule(() -> end(mine), PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
    }

    /** Takes an answer of a reporter. */
    void answered(Reporter reporter, long question, long jobs) {
        Question asked = open.get(question);
        if (asked != null && asked.asked.remove(reporter)) {
            asked.isKnown |= jobs >= 0;
            asked.jobs += Math.max(0, jobs);
            if (asked.asked.isEmpty()) {
                end(question);
            }
        }
    }

    private void end(long question) {
        Question asked = open.remove(question);
        if (asked != null) {
            asked.then.accept(asked.isKnown ? OptionalLong.of(asked.jobs) : OptionalLong.empty());
        }
    }
}
