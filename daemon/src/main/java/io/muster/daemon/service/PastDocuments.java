package io.muster.daemon.service;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.account.Account;
import io.muster.daemon.account.Limit;
import io.muster.daemon.core.Aside;
import io.muster.daemon.core.Committed;
import io.muster.daemon.core.Inventory;
import io.muster.daemon.ledger.Archive;
import io.muster.daemon.past.HostGroups;
import io.muster.daemon.past.Inquiry;
import io.muster.daemon.past.Survey;
import io.muster.inventory.history.Outage;
import io.muster.inventory.history.PastAnswer;
import io.muster.inventory.history.Uptime;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.rset.Queues;
import io.muster.inventory.rset.TargetException;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.TargetExpression;
import io.muster.protocol.admin.AvailabilityQuery;
import io.muster.protocol.admin.PastQuery;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers questions about the past. A thread beside the core thread reads the archive, a piece for one question at a time. Only a few
 * questions are open at a time, one for each user other than the owner; further questions wait, and users take turns.
 */
public final class PastDocuments {
    private static final Logger log = LoggerFactory.getLogger("muster");

    private static final int MOST_OPEN = 2;
    private static final int MOST_WAITING = 64;
    private static final int ROWS = 200;

    /** The memory that an open interval of one host takes at most, in bytes. */
    private static final long OPEN_INTERVAL = 512;

    /** All open questions together may take an eighth of the heap. */
    private static final long MOST_INTERVALS = Runtime.getRuntime().maxMemory() / 8 / MOST_OPEN / OPEN_INTERVAL;

    /** About the number of bytes of an answer at most. */
    private static final int LONGEST = 64 << 20;
    /** About the number of bytes of an interval in an answer, besides its texts, and of each of its hosts. */
    private static final int OF_INTERVAL = 200;

    private static final int OF_HOST = 16;
    /** About the number of bytes for each host while the availability is computed. */
    private static final long OF_SURVEYED = 400;

    private final Archive archive;
    private final Inventory inventory;
    private final Queries queries;
    private final Structures structures;
    private final Aside beside;
    private final FairQueue<Account, Question> waiting = new FairQueue<>();
    private final Set<Question> open = new HashSet<>();
    private boolean ended;
    /** Why the archive could not be prepared; "" if it could. Used only by the work beside the core thread, like the next two. */
    private String unprepared = "";
    /** Makes the sums of the parts of the archive that have none. */
    private @Nullable Survey summing;
    /** The parts of the archive when the sums were made last. */
    private List<Archive.Part> summed = List.of();

    /** @param beside runs one piece of work at a time */
    public PastDocuments(Archive archive, Inventory inventory, Queries queries, Structures structures, Aside beside) {
        this.archive = archive;
        this.inventory = inventory;
        this.queries = queries;
        this.structures = structures;
        this.beside = beside;
    }

    /** One question. What is read for it belongs to the work that is done beside the core thread, one piece at a time. */
    private abstract class Question {
        private final Account asker;
        private final Replier reply;
        private Inquiry.@Nullable Present present;
        /** About the number of bytes that were read and are needed for the answer. */
        private long length;
        /** The bytes that the account of the user counts. */
        private long charged;

        private boolean over;

        private Question(Account asker, Replier reply) {
            this.asker = asker;
            this.reply = reply;
        }

        /** Reads a piece of the archive. Returns the answer; null if there is more to read. */
        private @Nullable Consumer<Replier> read() {
            try {
                ObjectNode document = piece();
                if (document == null) {
                    return null;
                }
                Bytes answer = Documents.encode(document);
                return to -> to.done(answer);
            } catch (RpcException refusal) {
                return to -> to.fail(refusal);
            } catch (TargetException e) {
                return to -> to.fail(TargetRefusal.of(e, inventory.state().resources()));
            } catch (IOException | IllegalArgumentException e) {
                log.error("the history could not be read", e);
                return to -> to.fail(new RpcException(Errno.EIO, "the history cannot be read: " + e.getMessage()));
            }
        }

        /** Reads a piece of the archive. Returns the document; null if there is more to read. */
        abstract @Nullable ObjectNode piece() throws IOException;

        /** What is open; null if nothing was read yet. */
        abstract @Nullable Closeable reading();

        final Inquiry.Present present() {
            return Objects.requireNonNull(present, "a question that has not begun");
        }

        final void needs(long bytes) {
            length = bytes;
        }

        final long needed() {
            return length;
        }

        /** @throws RpcException if the user has no room for what was read */
        private void charge() {
            long more = length - charged;
            asker.take(more, asker.held());
            charged = length;
        }

        private void answer(Consumer<Replier> answer) {
            if (!over) {
                over = true;
                asker.give(charged);
                answer.accept(reply);
            }
        }
    }

    /** A question about intervals or their sums. */
    private final class OfIntervals extends Question {
        private final PastQuery query;
        private final Map<Outage, List<String>> intervals = new LinkedHashMap<>();
        private @Nullable Inquiry inquiry;

        private OfIntervals(PastQuery query, Account asker, Replier reply) {
            super(asker, reply);
            this.query = query;
        }

        @Override
        @Nullable
        ObjectNode piece() throws IOException {
            Inquiry asked = inquiry == null ? begin() : inquiry;
            inquiry = asked;
            asked.read(ROWS).forEach(this::add);
            if (asked.opened() > MOST_INTERVALS) {
                throw new RpcException(
                        Errno.EOVERFLOW,
                        "at some time more than " + MOST_INTERVALS + " of the hosts were out of service together,"
                                + " which takes too much memory: ask for fewer hosts, or read the state"
                                + " directory with --state-dir");
            }
            return asked.isDone() ? query.document(PastAnswer.of(intervals, asked.coverage()), inventory.now()) : null;
        }

        private Inquiry begin() throws IOException {
            Set<String> hosts = hosts(present().state(), query);
            return new Inquiry(archive, new Inquiry.Question(hosts, query.period(), query.notes()), present());
        }

        private void add(Outage interval, List<String> hosts) {
            intervals.computeIfAbsent(interval, each -> new ArrayList<>()).addAll(hosts);
            needs(needed()
                    + OF_INTERVAL
                    + interval.reason().length()
                    + interval.comment().length()
                    + (long) OF_HOST * hosts.size());
            if (needed() > LONGEST) {
                throw new RpcException(
                        Errno.EOVERFLOW,
                        "the answer would be longer than " + (LONGEST >> 20) + " MiB: ask for less, or read the state"
                                + " directory with --state-dir");
            }
        }

        @Override
        @Nullable
        Closeable reading() {
            return inquiry;
        }
    }

    /** A question about availability. */
    private final class OfAvailability extends Question {
        private final AvailabilityQuery query;
        private final Queues queues = queries.situation().configured().queues();
        private @Nullable Survey survey;

        private OfAvailability(AvailabilityQuery query, Account asker, Replier reply) {
            super(asker, reply);
            this.query = query;
        }

        @Override
        @Nullable
        ObjectNode piece() throws IOException {
            Survey asked = survey == null ? begin() : survey;
            survey = asked;
            asked.read();
            needs(OF_SURVEYED * asked.hosts());
            if (!asked.isDone()) {
                return null;
            }
            if (asked.rows() > PastQuery.MOST_HOSTS) {
                throw new RpcException(
                        Errno.EOVERFLOW,
                        "the answer has " + asked.rows() + " rows, but may have at most " + PastQuery.MOST_HOSTS
                                + ": ask for those with at_least 1 outage or more, or by rack");
            }
            return asked.document();
        }

        private Survey begin() {
            InventoryState state = present().state();
            HostGroups groups = new HostGroups(state.resources(), () -> structures.of(state), queues);
            Uptime.Rows rows = new Uptime.Rows(query.by(), groups.by(query.by()), query.atLeast(), query.bars());
            return new Survey(archive, present(), query.period(), rows, true);
        }

        @Override
        @Nullable
        Closeable reading() {
            return survey;
        }
    }

    /** Prepares the archive for questions, in pieces between which questions are answered. Must be called from time to time. */
    public void prepare() {
        if (!ended) {
            Inquiry.Present present = open.isEmpty() ? present() : null;
            beside.run(() -> prepared(present) ? this::prepare : () -> {}, bug -> {});
        }
    }

    private Inquiry.Present present() {
        Committed now = inventory.committed();
        return new Inquiry.Present(now.state(), now.seq(), inventory.now());
    }

    /** @param present null while questions are open, for which the thread is needed */
    private boolean prepared(Inquiry.@Nullable Present present) {
        try {
            boolean more = archive.prepare() || (present == null ? stop() : sum(present));
            unprepared = "";
            return more;
        } catch (IOException e) {
            String reason = String.valueOf(e.getMessage());
            if (!reason.equals(unprepared)) {
                log.warn("the journal cannot be indexed, so reading history takes longer: {}", reason);
                unprepared = reason;
            }
            return false;
        }
    }

    /** Makes some of the sums that make questions about availability fast. Returns whether there is more to do. */
    private boolean sum(Inquiry.Present present) throws IOException {
        Survey survey = summing;
        if (survey == null) {
            List<Archive.Part> parts = archive.parts();
            if (parts.equals(summed)) {
                return false;
            }
            summed = parts;
            survey = Survey.ofParts(archive, present);
        }
        summing = null;
        boolean more = false;
        try {
            survey.read();
            more = !survey.hasPassedParts();
        } finally {
            if (!more) {
                survey.close();
            }
        }
        summing = more ? survey : null;
        return more;
    }

    private boolean stop() throws IOException {
        Survey survey = summing;
        if (survey != null) {
            summing = null;
            summed = List.of();
            survey.close();
        }
        return false;
    }

    /** @throws RpcException EAGAIN if too many questions of the user wait */
    void ask(PastQuery query, Account asker, Replier reply) {
        ask(new OfIntervals(query, asker, reply));
    }

    /** @throws RpcException EAGAIN if too many questions of the user wait */
    void ask(AvailabilityQuery query, Account asker, Replier reply) {
        ask(new OfAvailability(query, asker, reply));
    }

    private void ask(Question question) {
        Account asker = question.asker;
        if (waiting.of(asker) >= MOST_WAITING) {
            throw asker.excess(
                    Limit.STREAMS,
                    asker + " has " + MOST_WAITING + " requests for history waiting already: try again later",
                    1);
        }
        waiting.add(asker, question);
        question.reply.whenGone(() -> drop(question));
        begin();
    }

    private void begin() {
        while (open.size() < MOST_OPEN) {
            Question question = waiting.next(this::mayBegin);
            if (question == null) {
                return;
            }
            question.present = present();
            open.add(question);
            read(question);
        }
    }

    private boolean mayBegin(Account user) {
        return user.isOwners() || open.stream().noneMatch(each -> each.asker == user);
    }

    private void read(Question question) {
        beside.run(
                () -> {
                    Consumer<Replier> answer = question.read();
                    return () -> went(question, answer);
                },
                bug -> close(question, to -> to.fail(new RpcException(Errno.EIO, bug))));
    }

    /** @param answer null if there is more to read */
    private void went(Question question, @Nullable Consumer<Replier> answer) {
        if (question.over || answer != null) {
            close(question, answer == null ? to -> {} : answer);
            return;
        }
        try {
            question.charge();
            read(question);
        } catch (RpcException full) {
            close(question, to -> to.fail(full));
        }
    }

    /** Drops a question, because no client waits for the answer. */
    private void drop(Question question) {
        waiting.remove(question.asker, question);
        question.answer(to -> to.fail(Turns.gone()));
    }

    /** Answers all questions with a refusal, those that wait included. */
    public void endAll(RpcException reason) {
        ended = true;
        List<Question> ending = new ArrayList<>(open);
        ending.addAll(waiting.removeAll());
        ending.forEach(question -> question.answer(to -> to.fail(reason)));
    }

    private void close(Question question, Consumer<Replier> answer) {
        open.remove(question);
        Closeable reading = question.reading();
        if (reading != null) {
            beside.run(
                    () -> {
                        close(reading);
                        return () -> {};
                    },
                    bug -> {});
        }
        try {
            question.answer(answer);
        } finally {
            begin();
        }
    }

    private static void close(Closeable reading) {
        try {
            reading.close();
        } catch (IOException e) {
            log.warn("a segment that was read could not be closed: {}", e.getMessage());
        }
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
        if (hosts.size() > PastQuery.MOST_HOSTS) {
            throw new RpcException(
                    Errno.EOVERFLOW,
                    "targets name " + hosts.size() + " hosts, but may name at most " + PastQuery.MOST_HOSTS
                            + ": ask for fewer hosts, or for all by naming none");
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
