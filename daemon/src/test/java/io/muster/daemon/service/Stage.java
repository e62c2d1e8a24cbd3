package io.muster.daemon.service;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.access.Accounts;
import io.muster.daemon.access.Admission;
import io.muster.daemon.access.Admissions;
import io.muster.daemon.access.Identity;
import io.muster.daemon.access.Rights;
import io.muster.daemon.access.Scope;
import io.muster.daemon.account.Account;
import io.muster.daemon.account.AccountBook;
import io.muster.daemon.account.Limit;
import io.muster.daemon.alert.Receiver;
import io.muster.daemon.config.Access;
import io.muster.daemon.config.AlertSettings;
import io.muster.daemon.config.FluxSettings;
import io.muster.daemon.config.Fsd;
import io.muster.daemon.config.Grant;
import io.muster.daemon.config.HoldSettings;
import io.muster.daemon.config.Listen;
import io.muster.daemon.core.Aside;
import io.muster.daemon.core.Rig;
import io.muster.daemon.journal.MemoryDisk;
import io.muster.daemon.net.Gate;
import io.muster.daemon.token.TokenFile;
import io.muster.daemon.token.Tokens;
import io.muster.inventory.axis.Liveness;
import io.muster.inventory.state.DefinitionChanges;
import io.muster.protocol.operation.Operation;
import io.muster.protocol.operation.Right;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Credentials;
import io.muster.protocol.wire.Header;
import io.muster.protocol.wire.Request;
import io.muster.protocol.wire.Response;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A daemon without sockets: a rig, and the parts that sessions use. */
public final class Stage implements AutoCloseable {
    static final int OWNER = 1000;

    public final Rig rig;
    final List<String> denials = new ArrayList<>();
    final List<String> faults = new ArrayList<>();
    /** The topic and error number of each request. */
    public final List<String> counted = new ArrayList<>();
    /** All responses sent to all callers, in order. */
    final List<Sent> sent = new ArrayList<>();

    /** While true, the computation of long answers is added to {@link #heldAnswers}. */
    public boolean answersHeld;

    public final List<Runnable> heldAnswers = new ArrayList<>();

    /** The number of seconds that pass each time a search reads the clock. */
    long secondsPerLook;

    private long nanos;
    /** The clock of the accounts. */
    public long accountNanos;

    final TokenFile tokenFile = new TokenFile(new MemoryDisk());
    final Tokens tokens;

    public final Gate gate;
    public final Backend backend;

    record Sent(Caller to, Response response) {}

    public Stage(Rig rig) {
        this(
                rig,
                new Access(
                        true,
                        false,
                        List.of(),
                        List.of(
                                new Grant(List.of("1001"), Set.of(Right.FOLLOW, Right.CHANGE), null),
                                new Grant(List.of("1002"), Set.of(Right.ACQUIRE), null),
                                new Grant(List.of("1004"), Set.of(Right.HOLD), "monitor"))),
                new Accounts());
    }

    Stage(Rig rig, Access access, Accounts accounts) {
        this.rig = rig;
        Listen limits = new Listen(Path.of("/nowhere"), null, 1 << 20, 1 << 16, 10, Listen.OfUser.USUAL);
        Aside aside = new Aside(rig.core, rig.core);
        gate = new Gate(
                new Admissions(Admission.of(OWNER, access, accounts, name -> {}), rig.core, aside, aside),
                limits,
                new AccountBook(64 << 20, () -> accountNanos));
        tokens = new Tokens(tokenFile, rig.inventory::now, () -> 0, gate.accounts(), refusal -> {});
        SessionMeters meters = meters();
        Aside answers = new Aside(rig.core, task -> {
            if (answersHeld) {
                heldAnswers.add(task);
            } else {
                rig.core.execute(task);
            }
        });
        Queries queries = new Queries(
                rig.inventory,
                rig.acquires,
                rig.reporters,
                new Attributes(Map.of("version", "muster-test")),
                meters,
                answers);
        ObjectNode config = JsonNodeFactory.instance.objectNode();
        config.putObject("resource").put("exclude", "node9");
        queries.config(config);
        backend = backend(queries, answers, aside);
    }

    private Backend backend(Queries queries, Aside answers, Aside aside) {
        Structures structures = new Structures();
        Searches searches = new Searches(
                rig.inventory::committed, structures, answers, () -> nanos += secondsPerLook * 1_000_000_000);
        Selections selections = new Selections(rig.inventory, searches, structures);
        Streams streams = new Streams(rig.acquires, rig.journals, rig.waiters, rig.reporters);
        Consequences consequences = new Consequences(rig.inventory, rig.reporters, rig.acquires, rig.core);
        Changes changes = new Changes(
                rig.inventory,
                consequences,
                selections,
                aside,
                () -> null,
                new Changes.Configured(
                        resources -> new DefinitionChanges.Define(resources, "reload", Liveness.Status.ONLINE),
                        Set.of(),
                        new HoldSettings(
                                HoldSettings.DEFAULT.classes(),
                                List.of("nhc"),
                                List.of("reboot", "reseat"),
                                List.of("reboot")),
                        0.2,
                        new FluxSettings(new Fsd(0), FluxSettings.Properties.LOAD)));
        FeasibilityChecks feasible =
                new FeasibilityChecks(rig.inventory::state, rig.inventory::now, structures, answers);
        Backend.Answers parts = new Backend.Answers(
                queries,
                new Documents(rig.inventory, queries, selections, answers),
                new Explanations(
                        queries, rig.inventory::now, rig.journals.recent()::kept, selections, structures, answers),
                new PastDocuments(rig.journal.archive(), rig.inventory, queries, structures, answers),
                new DaemonDocument(rig.inventory, queries, rig.journal, List::of, answers),
                new Backend.Calculations(
                        feasible,
                        searches,
                        new Audits(rig.inventory, rig.reporters, rig.acquires, structures, rig.core, answers),
                        consequences));
        return new Backend(
                new Credentials(OWNER, Credentials.OWNER | Credentials.LOCAL),
                parts,
                streams,
                changes,
                new Receiver(
                        rig.inventory, rig.core, outcome -> {}, new AlertSettings("", "instance", "", "x", new Fsd(1))),
                new WebTokens(tokenFile, tokens, rig.inventory::now, aside));
    }

    private SessionMeters meters() {
        return new SessionMeters() {
            @Override
            public void faulted(Operation<?, ?> operation, String user, String sentence) {
                faults.add(operation.topic() + " " + user + ": " + sentence);
            }

            @Override
            public void denied(Operation<?, ?> operation, String user, Credentials credentials, boolean loud) {
                denials.add(operation.topic() + " " + user + (loud ? "" : " again"));
            }

            @Override
            public void answered(String topic, int errnum) {
                counted.add(topic + " " + errnum);
            }
        };
    }

    static Rights rights(int uid, int roles, String user, Set<Right> granted, String... holders) {
        Identity identity = Identity.ofKernel(uid, uid, 4711);
        return new Rights(identity, new Credentials(uid, roles), user, granted, Scope.of(Set.of(holders)), null);
    }

    public static Rights owner() {
        return rights(OWNER, Credentials.OWNER | Credentials.LOCAL, "ada", Set.of());
    }

    static Rights admin() {
        int roles = Credentials.USER | Credentials.ADMIN | Credentials.LOCAL;
        return rights(1001, roles, "alice", Set.of(Right.FOLLOW, Right.CHANGE));
    }

    static Rights scheduler() {
        return rights(1002, Credentials.USER | Credentials.LOCAL, "sched", Set.of(Right.ACQUIRE));
    }

    static Rights guest() {
        return rights(1003, Credentials.USER | Credentials.LOCAL, "guest", Set.of());
    }

    /** A program that may drain and undrain only with the holder {@code monitor}. */
    static Rights monitor() {
        return rights(1004, Credentials.USER | Credentials.LOCAL, "mon", Set.of(Right.HOLD), "monitor");
    }

    /** A program with a token, which may drain and undrain with the holder {@code nhc}. */
    static Rights robot() {
        Set<Right> hold = Set.of(Right.HOLD);
        Scope scope = new Scope(Set.of("nhc"), Set.of());
        Identity identity = Identity.ofToken("nhc", hold, scope, null);
        return new Rights(identity, new Credentials(-1, Credentials.USER), "token:nhc", hold, scope, null);
    }

    public Caller join(Rights rights) {
        return join(rights, true);
    }

    public Caller join(Rights rights, boolean changesHere) {
        return new Caller(rights, changesHere);
    }

    @Override
    public void close() {
        rig.close();
    }

    /** One peer, its session, and the responses that it was sent. */
    public final class Caller implements Outbox {
        public final Session session;
        public final Account account;
        final List<Response> responses = new ArrayList<>();
        boolean reads = true;
        /** The refusal of every answer with a payload, as if the memory budget were exhausted; null to send answers. */
        @Nullable
        public RpcException refusal;

        int pending;
        private int lastMatchtag;

        private Caller(Rights rights, boolean changesHere) {
            account = rights.begin(gate.accounts(), Limit.CONNECTIONS, Integer.MAX_VALUE, "connections");
            session = new Session(
                    backend,
                    gate.admissions(),
                    new io.muster.daemon.service.Caller(rights, changesHere, account),
                    this);
        }

        @Override
        public void send(Response response) {
            responses.add(response);
            sent.add(new Sent(this, response));
        }

        @Override
        public @Nullable RpcException refusal(@Nullable Bytes payload) {
            return payload == null ? null : refusal;
        }

        @Override
        public boolean isWritable() {
            return reads;
        }

        @Override
        public void pending(int change) {
            pending += change;
        }

        void readAgain() {
            reads = true;
            session.resume();
        }

        /** @return the matchtag */
        int send(String topic, @Nullable String json, int flags) {
            lastMatchtag++;
            session.receive(Request.of(topic, json == null ? null : Bytes.text(json), flags, lastMatchtag));
            return lastMatchtag;
        }

        /** Sends a request, waits until the rig has settled, and returns the response as text. */
        public String ask(String topic, @Nullable String json) {
            return ask(topic, json, 0);
        }

        public String ask(String topic, @Nullable String json, int flags) {
            int matchtag = send(topic, json, flags);
            rig.settle();
            List<Response> answers = responses.stream()
                    .filter(response -> response.matchtag() == matchtag)
                    .toList();
            return answers.isEmpty() ? "nothing" : text(answers.get(answers.size() - 1));
        }

        public String stream(String topic) {
            return ask(topic, null, Header.STREAMING);
        }

        /** Returns the responses received since the last call. */
        List<String> received() {
            List<String> news = responses.stream().map(Stage::text).toList();
            responses.clear();
            return news;
        }
    }

    /** Returns {@code ok}, the payload, or the name and sentence of the error. */
    public static String text(Response response) {
        Bytes payload = response.payload();
        String text = payload == null ? "" : payload.text();
        if (response.errnum() != 0) {
            return (new Errno(response.errnum()).name() + " " + text).trim();
        }
        return text.isEmpty() ? "ok" : text;
    }
}
