package io.muster.daemon.service;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.config.FluxSettings;
import io.muster.daemon.config.HoldSettings;
import io.muster.daemon.core.Answer;
import io.muster.daemon.core.Aside;
import io.muster.daemon.core.Inventory;
import io.muster.daemon.core.Preview;
import io.muster.daemon.core.WallClock;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.level.Level;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.rset.TargetException;
import io.muster.inventory.state.ChangeId;
import io.muster.inventory.state.CheckChanges;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.Decision.Rejection;
import io.muster.inventory.state.DefinitionChanges;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.Expected;
import io.muster.inventory.state.FormatChanges;
import io.muster.inventory.state.HoldChanges;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.MembershipChanges;
import io.muster.inventory.state.NoteChanges;
import io.muster.inventory.state.Once;
import io.muster.inventory.state.TargetExpression;
import io.muster.inventory.state.WorkChanges;
import io.muster.inventory.status.AttemptRow;
import io.muster.inventory.status.Conflict;
import io.muster.protocol.admin.ChangeAnswer;
import io.muster.protocol.operation.ChangeRequest;
import io.muster.protocol.operation.Operation;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Json;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Serves requests that change the inventory, and requests with dry-run, which ask what a change would do. */
public final class Changes {
    private static final int MOST_ANSWERS = 256;

    private final Inventory inventory;
    private final Consequences consequences;
    private final Aside files;
    private final Selections selections;
    private final UpgradeGate upgrades;
    private final Reloads reloads;
    private Configured configured;

    /**
     * What follows from the configuration.
     *
     * @param definition returns the command for an R that is reloaded
     * @param properties the properties of queues whose hosts the configuration names, which no request changes
     * @param holds what a hold may be for
     * @param confirmShare the share of the hosts beyond which a person is asked before a change
     * @param flux whether schedulers get properties while they run
     */
    public record Configured(
            Function<ResourceSet, DefinitionChanges.Define> definition,
            Set<String> properties,
            HoldSettings holds,
            double confirmShare,
            FluxSettings flux) {}

    /** The last answers, by the seq of the change, for changes that are sent again. */
    private final Map<Long, ChangeAnswer> answers = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, ChangeAnswer> eldest) {
            return size() > MOST_ANSWERS;
        }
    };

    /**
     * @param files reads the file of a new R, and asks {@code upgrades}, which may block; must not be the thread that looks up
     *     names for new connections
     * @param upgrades is asked before an upgrade is finished
     */
    public Changes(
            Inventory inventory,
            Consequences consequences,
            Selections selections,
            Aside files,
            UpgradeGate upgrades,
            Configured configured) {
        this.inventory = inventory;
        this.consequences = consequences;
        this.selections = selections;
        this.files = files;
        this.upgrades = upgrades;
        this.configured = configured;
        reloads = new Reloads(inventory, consequences, this, files);
    }

    public void configure(Configured next) {
        configured = next;
    }

    Configured configured() {
        return configured;
    }

    Reloads reloads() {
        return reloads;
    }

    /** Makes a change whose sender may make it. The targets that it selects are found first. */
    void submit(ChangeRequest request, Operation<?, ?> operation, Caller caller, Replier reply) {
        Principal by = caller.rights().principal();
        ChangeRequest.Selection selection = request.selection();
        ChangeId id = request.command().id();
        boolean inWords = selection != null || !operation.isOfFlux();
        if (id != null && inventory.remembers(id, by)) {
            // A request that is sent again would find other hosts, and another state, than the first time.
            String holder = HoldChanges.holderOf(request.command());
            Command again = selection == null ? request.command() : new Once(new Once.Repetition(holder), id);
            make(request.with(again), inWords, by, reply);
        } else if (selection == null) {
            finish(request, inWords, by, reply);
        } else {
            selections.checkReason(selection);
            selections.find(
                    selection.texts(),
                    operation.isForMembers(),
                    caller.account(),
                    reply,
                    targets -> finish(request, targets, operation, by, reply));
        }
    }

    /** Makes a change with the targets that were found, which may be longer texts than the selection. */
    private void finish(
            ChangeRequest request, List<String> targets, Operation<?, ?> operation, Principal by, Replier reply) {
        try {
            RpcException excess = operation.refusal(
                    targets.stream().distinct().mapToInt(String::length).sum());
            if (excess != null) {
                throw excess;
            }
            finish(request.found(targets), true, by, reply);
        } catch (RpcException refusal) {
            reply.fail(refusal);
        }
    }

    private void finish(ChangeRequest request, boolean inWords, Principal by, Replier reply) {
        consequences.before(
                request.command(), by, configured.flux(), reply, next -> decide(request, inWords, by, next));
    }

    private void decide(ChangeRequest request, boolean inWords, Principal by, Replier reply) {
        Command command = request.command();
        if (isStale(request, reply)) {
            return;
        }
        HoldSettings holds = configured.holds();
        String fault = holds.fault(HoldChanges.purposeOf(command));
        fault = fault == null ? holds.fault(CheckChanges.missed(command, inventory.state())) : fault;
        if (fault != null) {
            throw new RpcException(Errno.EINVAL, fault);
        }
        boolean finish =
                (command instanceof Once once ? once.command() : command) instanceof FormatChanges.FinishUpgrade;
        if (finish && inventory.state().level() != Level.NEWEST && inventory.elsewhere() == null) {
            files.run(
                    () -> {
                        RpcException refusal = upgradeRefusal();
                        return () -> {
                            if (refusal != null) {
                                reply.fail(refusal);
                            } else if (!isStale(request, reply)) {
                                make(request, inWords, by, reply);
                            }
                        };
                    },
                    bug -> reply.fail(new RpcException(Errno.EIO, bug)));
        } else {
            make(request, inWords, by, reply);
        }
    }

    private boolean isStale(ChangeRequest request, Replier reply) {
        boolean isStale = request.seq() >= 0 && !inventory.isAt(request.seq());
        if (isStale) {
            reply.fail(new RpcException(
                    Errno.ESTALE,
                    "the inventory has changed since sequence number " + request.seq() + ", it is at "
                            + inventory.seq()
                            + ": look at the hosts again, then send the request with the new number or ETag"));
        }
        return isStale;
    }

    private @Nullable RpcException upgradeRefusal() {
        try {
            String refusal = upgrades.refusal();
            return refusal == null ? null : new RpcException(Errno.EBUSY, refusal);
        } catch (IOException e) {
            return new RpcException(
                    Errno.EAGAIN,
                    "etcd does not say which daemons share the ledger, and each of them must read the newest format level: "
                            + e.getMessage());
        }
    }

    private void make(ChangeRequest request, boolean inWords, Principal by, Replier reply) {
        Command command = inventory.brakes().on(completed(request.command()), by);
        Answer.Failed elsewhere = request.dryRun() ? inventory.elsewhere() : null;
        if (elsewhere != null) { // schedulers hold the resources only at the daemon that makes the changes
            answer(elsewhere, reply);
        } else if (request.dryRun() && command.takesLong()) {
            inventory.previewAside(
                    command,
                    by,
                    preview -> {
                        try {
                            answer(preview, request, by, reply);
                        } catch (RpcException refusal) {
                            reply.fail(refusal);
                        }
                    },
                    bug -> reply.fail(new RpcException(Errno.EIO, bug)));
        } else if (request.dryRun()) {
            answer(inventory.preview(command, by), request, by, reply);
        } else {
            inventory.brakes().submit(command, by, answer -> answer(answer, command.id(), request, inWords, by, reply));
        }
    }

    /** Returns the command with what the state lacks: the graph if the command names vertices, the properties of queues, the jobs. */
    private Command completed(Command command) {
        if (command instanceof Once once) {
            return new Once(completed(once.command()), once.id());
        } else if (command instanceof Expected seen) {
            return new Expected(completed(seen.command()), seen.targets(), seen.hosts());
        } else if (command instanceof DefinitionChanges.ChangeProperties change) {
            return change.except(configured.properties());
        }
        if (command instanceof WorkChanges.ClaimWork claim) {
            return claim.with(AttemptRow.facts(consequences.usage(), configured.holds()::needsBoot));
        }
        return command instanceof NoteChanges.Annotate annotate ? annotate.with(selections::places) : command;
    }

    /**
     * Answers a change. A change with an id is answered with what changed, so that it can be sent again.
     *
     * @param inWords whether refusals name hosts and holders too; flux-core's requests are refused with flux-core's sentences
     */
    void answer(
            Answer answer, @Nullable ChangeId id, ChangeRequest request, boolean inWords, Principal by, Replier reply) {
        if (answer instanceof Answer.Done made && (inWords || id != null)) {
            reply.done(Json.encode(words(made, id, request, by).toJson()));
        } else if (answer instanceof Answer.Rejected refused && inWords) {
            reply.fail(explained(refused, request, by));
        } else {
            answer(answer, reply);
        }
    }

    /**
     * Returns what changed. A change that was sent again changed nothing the second time, so the answer describes what the
     * first request changed.
     */
    private ChangeAnswer words(Answer.Done done, @Nullable ChangeId id, ChangeRequest request, Principal by) {
        long seq = id == null || !done.entries().isEmpty() ? 0 : done.after().seqOf(id, by);
        if (seq != 0) {
            return repeated(seq);
        }
        ChangeAnswer answer = ChangeAnswer.of(done.entries(), done.after().resources());
        answer = withTargets(answer, done.before(), done.after(), request);
        if (id != null && answer.seq() != 0) {
            answers.put(answer.seq(), answer);
        }
        return answer;
    }

    /** Returns the answer with what became of the targets of the request. */
    private ChangeAnswer withTargets(
            ChangeAnswer answer, InventoryState before, InventoryState after, ChangeRequest request) {
        if (request.targets().isEmpty()) {
            return answer;
        }
        TargetExpression.Known targets = targets(after, request);
        Conflict conflict = new Conflict(after, targets.ranks(), inventory.now());
        Hostlist changed = Hostlist.parse(answer.hosts() == null ? "" : answer.hosts());
        Command command = request.command();
        return answer.about(
                targets.hosts(),
                conflict.available(command, changed),
                conflict.stillOut(command),
                conflict.claimsEnded(before));
    }

    ChangeAnswer repeated(long seq) {
        return answers.getOrDefault(seq, ChangeAnswer.ofRepeated(seq));
    }

    /** Returns what the targets of a request name; nothing if one of them is not known any more. */
    private static TargetExpression.Known targets(InventoryState state, ChangeRequest request) {
        try {
            return TargetExpression.known(state, request.targets());
        } catch (MalformedException | TargetException gone) {
            return new TargetExpression.Known(Idset.EMPTY, Hostlist.EMPTY);
        }
    }

    /**
     * Returns a refusal that names hosts and holders. Programs, such as the bridge, keep the number: they send a change again after EBUSY, and
     * an excluded host stays excluded.
     */
    private RpcException explained(Answer.Rejected refused, ChangeRequest request, Principal by) {
        InventoryState state = inventory.state();
        Conflict conflict = new Conflict(state, targets(state, request).ranks(), inventory.now());
        boolean isAbsent = request.selects() && conflict.isAboutAbsent(request.command(), refused.rejection());
        return new RpcException(
                isAbsent ? Errno.EBUSY : refused.error().errno(),
                conflict.explain(request.command(), refused.rejection(), by));
    }

    private static void answer(Answer answer, Replier reply) {
        RpcException error = answer.error();
        if (error == null) {
            reply.done(null);
        } else {
            reply.fail(error);
        }
    }

    private void answer(Preview preview, ChangeRequest request, Principal by, Replier reply) {
        Rejection rejection = preview.decision().rejection();
        if (rejection != null) {
            throw explained(new Answer.Rejected(rejection), request, by);
        }
        List<Entry> entries = preview.decision().events().stream()
                .map(event -> new Entry(0, inventory.now(), by, event))
                .toList();
        ObjectNode dry = JsonNodeFactory.instance.objectNode();
        ArrayNode events = dry.putArray("events");
        entries.forEach(entry -> events.add(entry.toJson()));
        consequences.putUpdates(preview.after(), dry.putArray("updates"));
        InventoryState state = inventory.state();
        Hostlist hosts = targets(state, request).hosts();
        int nodes = state.resources().nodes();
        if (!request.targets().isEmpty()) {
            dry.put("hosts", hosts.toString());
        }
        InventoryState after = preview.after();
        ChangeAnswer answer =
                withTargets(ChangeAnswer.of(entries, after.resources()), preview.before(), after, request);
        boolean confirm = (hosts.size() > 1 && hosts.size() > configured.confirmShare() * nodes)
                || (MembershipChanges.isForGood(request.command()) && !events.isEmpty())
                || !answer.rest().claimsEnded().isEmpty();
        dry.put("nodes", nodes).put("confirm", confirm);
        answer.rest().writeTo(dry);
        reply.done(Json.encode(dry));
    }

    /**
     * Accepts the time of the wall clock. The response has the sentence that described the doubt, or "" if the clock was not
     * doubted.
     */
    void acceptClock(Principal by, Replier reply) {
        WallClock clock = inventory.clock();
        String trouble = clock.trouble();
        clock.accept(by);
        reply.done(Json.encode(JsonNodeFactory.instance.objectNode().put("trouble", trouble)));
    }
}
