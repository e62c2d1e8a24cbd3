package io.muster.daemon.service;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.account.Account;
import io.muster.daemon.core.Aside;
import io.muster.daemon.core.Inventory;
import io.muster.daemon.core.Sink;
import io.muster.inventory.history.Coverage;
import io.muster.inventory.history.Outage;
import io.muster.inventory.history.PastAnswer;
import io.muster.inventory.history.Period;
import io.muster.inventory.history.Totals;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.TargetExpression;
import io.muster.protocol.admin.HistoryAnswer;
import io.muster.protocol.admin.HistoryRequest;
import io.muster.protocol.admin.PastQuery;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Answers questions about the past with one document, which is made from the pieces of {@link Histories}. A document about intervals
 * that have not ended does not depend on the time of the answer.
 */
public final class PastDocuments {
    /** The highest number of bytes of all pieces of one answer. */
    private static final int LONGEST = 64 << 20;

    private final Inventory inventory;
    private final Histories histories;
    private final Aside beside;

    /** @param beside makes the documents */
    public PastDocuments(Inventory inventory, Histories histories, Aside beside) {
        this.inventory = inventory;
        this.histories = histories;
        this.beside = beside;
    }

    /** Makes a document from an answer about the past. */
    private interface View {
        ObjectNode of(PastAnswer past);
    }

    void intervals(PastQuery query, Account asker, Replier reply) {
        InventoryState state = inventory.state();
        ask(query.period(), query.notes(), () -> hosts(state, query), asker, reply, past -> {
            Hostlist unknown = past.coverage().unknown();
            if (!unknown.isEmpty()) {
                throw new RpcException(Errno.ENOENT, "neither R nor any event names " + unknown);
            }
            ObjectNode document = past.toJson(query.period().since(), 0);
            for (JsonNode interval : document.path("intervals")) {
                if (interval.path("to").isNull()) {
                    ((ObjectNode) interval).remove("seconds");
                }
            }
            return document;
        });
    }

    void totals(PastQuery query, Account asker, Replier reply) {
        Period asked = query.period();
        double now = inventory.now();
        ask(asked, false, Set::of, asker, reply, past -> {
            Coverage coverage = past.coverage();
            Period known = new Period(Math.max(asked.since(), coverage.first()), Math.min(asked.until(), now));
            Totals totals = new Totals(query.by(), known);
            past.intervals().forEach(each -> {
                if (query.kinds().contains(each.getKey().kind())) {
                    totals.add(each.getKey(), each.getValue());
                }
            });
            return past.coverageJson(asked.since()).setAll(totals.toJson());
        });
    }

    /** @param hosts finds the hosts; called beside the core thread */
    private void ask(
            Period period, boolean notes, Supplier<Set<String>> hosts, Account asker, Replier reply, View view) {
        Collected collected = new Collected(asker, reply, view);
        beside.run(
                () -> {
                    try {
                        HistoryRequest request = new HistoryRequest(hosts.get(), period, notes);
                        return () -> collected.begin(Json.encode(request.toJson()));
                    } catch (RpcException refusal) {
                        return () -> reply.fail(refusal);
                    }
                },
                bug -> reply.fail(new RpcException(Errno.EIO, bug)));
    }

    /** Collects the pieces of an answer. */
    private final class Collected implements Sink {
        private final Account asker;
        private final Replier reply;
        private final View view;
        private final List<Bytes> pieces = new ArrayList<>();
        private int length;
        private Histories.@Nullable History history;
        private boolean over;

        Collected(Account asker, Replier reply, View view) {
            this.asker = asker;
            this.reply = reply;
            this.view = view;
        }

        void begin(Bytes request) {
            if (reply.isGone()) {
                reply.fail(Turns.gone());
                return;
            }
            try {
                history = histories.ask(request, asker, this);
                reply.whenGone(this::drop);
            } catch (RpcException refusal) {
                reply.fail(refusal);
            }
        }

        /** Ends the work, because no client waits for the answer. */
        private void drop() {
            if (!over) {
                Histories.History begun = history;
                if (begun != null) {
                    histories.release(begun);
                }
                finish(asked -> asked.fail(Turns.gone()));
            }
        }

        @Override
        public boolean isWritable() {
            return true;
        }

        @Override
        public @Nullable RpcException refusal(Bytes piece) {
            if (length + piece.length() > LONGEST) {
                return new RpcException(
                        Errno.EOVERFLOW, "the answer would be longer than " + (LONGEST >> 20) + " MiB: ask for less");
            }
            try {
                asker.checkRoom(piece.length(), asker.held());
                return null;
            } catch (RpcException full) {
                return full;
            }
        }

        @Override
        public void send(Bytes piece) {
            pieces.add(piece);
            length += piece.length();
            asker.take(piece.length());
        }

        @Override
        public void end(RpcException reason) {
            if (over) {
                return;
            }
            over = true;
            if (reason.errno().equals(Errno.ENODATA)) {
                beside.run(
                        () -> {
                            Consumer<Replier> answer = answer();
                            return () -> finish(answer);
                        },
                        bug -> finish(asked -> asked.fail(new RpcException(Errno.EIO, bug))));
            } else {
                finish(asked -> asked.fail(reason));
            }
        }

        private Consumer<Replier> answer() {
            try {
                ObjectNode document = JsonNodeFactory.instance.objectNode();
                document.put("schema_version", Situation.SCHEMA_VERSION);
                Bytes answer = Documents.encode(document.setAll(view.of(past(pieces))));
                return asked -> asked.done(answer);
            } catch (RpcException refusal) {
                return asked -> asked.fail(refusal);
            }
        }

        private void finish(Consumer<Replier> answer) {
            over = true;
            asker.give(length);
            length = 0;
            answer.accept(reply);
        }
    }

    private static PastAnswer past(List<Bytes> payloads) {
        Map<Outage, List<String>> intervals = new LinkedHashMap<>();
        @Nullable Coverage coverage = null;
        for (Bytes payload : payloads) {
            HistoryAnswer answer = HistoryAnswer.parse(Json.own(payload));
            answer.intervals()
                    .forEach(each -> intervals
                            .computeIfAbsent(each.getKey(), key -> new ArrayList<>())
                            .addAll(each.getValue()));
            coverage = answer.coverage() == null ? coverage : answer.coverage();
        }
        if (coverage == null) {
            throw new IllegalStateException("the answer about the past has no end");
        }
        return PastAnswer.of(intervals, coverage);
    }

    /** Returns the names of the hosts. A host that left R is known by its name only. */
    private static Set<String> hosts(InventoryState state, PastQuery query) {
        String targets = query.targets();
        if (targets == null) {
            return Set.of();
        }
        try {
            if (TargetExpression.isSelection(targets) || !isHostlist(targets)) {
                return few(state.resources().hostsOf(Documents.find(state, targets, query.refusal())));
            }
            return few(Hostlist.parse(targets));
        } catch (MalformedException e) {
            throw query.fault("targets", "is malformed: " + e.getMessage());
        }
    }

    private static Set<String> few(Hostlist hosts) {
        if (hosts.size() > HistoryRequest.MOST_HOSTS) {
            throw new RpcException(
                    Errno.EOVERFLOW,
                    "targets name " + hosts.size() + " hosts, but may name at most " + HistoryRequest.MOST_HOSTS);
        }
        return new LinkedHashSet<>(hosts.expand());
    }

    private static boolean isHostlist(String targets) {
        try {
            return Idset.parse(targets).isEmpty();
        } catch (MalformedException notRanks) {
            return true;
        }
    }
}
