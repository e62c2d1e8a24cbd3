package io.muster.daemon.service;

import io.muster.daemon.account.Account;
import io.muster.daemon.account.Limit;
import io.muster.daemon.core.Aside;
import io.muster.daemon.core.Committed;
import io.muster.daemon.core.Inventory;
import io.muster.daemon.core.Sink;
import io.muster.daemon.ledger.Archive;
import io.muster.daemon.past.Inquiry;
import io.muster.inventory.history.Outage;
import io.muster.protocol.admin.HistoryAnswer;
import io.muster.protocol.admin.HistoryRequest;
import io.muster.protocol.operation.Operations;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.ProtocolException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers {@code resource.history}. A thread beside the core thread reads the archive and creates one response at a time;
 * the next one is created when the peer has read enough of those before. Only a few answers are created at a time, one for each user
 * other than the owner; further requests wait, and users take turns. While requests wait, an answer whose peer does not read is ended.
 */
public final class Histories {
    private static final Logger log = LoggerFactory.getLogger("muster");

    private static final int MOST_OPEN = 2;
    private static final int MOST_WAITING = 64;
    private static final int ROWS = 200;
    /** The time between two calls of {@link #endUnread}. */
    public static final long UNREAD_SECONDS = 30;

    /** The memory that an open interval of one host takes at most, in bytes. */
    private static final long OPEN_INTERVAL = 512;

    /** All open answers together may take an eighth of the heap. */
    private static final long MOST_INTERVALS = Runtime.getRuntime().maxMemory() / 8 / MOST_OPEN / OPEN_INTERVAL;

    private final Archive archive;
    private final Inventory inventory;
    private final Aside beside;
    private final FairQueue<Account, History> waiting = new FairQueue<>();
    private final Set<History> open = new HashSet<>();
    private boolean ended;
    /** Why the archive could not be prepared; "" if it could. Used only by the work beside the core thread. */
    private String unprepared = "";

    /** @param beside runs one piece of work at a time */
    public Histories(Archive archive, Inventory inventory, Aside beside) {
        this.archive = archive;
        this.inventory = inventory;
        this.beside = beside;
    }

    /** One answer. The inquiry and its rows belong to the work that is done beside the core thread, one piece at a time. */
    final class History {
        private final Bytes payload;
        private final Account payer;
        private final Sink sink;
        private boolean working;
        private boolean released;
        /** Whether the peer has read nothing since the last call of {@link #endUnread}. */
        private boolean unread;

        private Inquiry.@Nullable Present present;
        private @Nullable Inquiry inquiry;
        private Iterator<Map.Entry<Outage, List<String>>> rows =
                List.<Map.Entry<Outage, List<String>>>of().iterator();

        private History(Bytes payload, Account payer, Sink sink) {
            this.payload = payload;
            this.payer = payer;
            this.sink = sink;
        }

        private Piece piece() {
            try {
                Inquiry asked = inquiry == null ? open() : inquiry;
                inquiry = asked;
                if (!rows.hasNext() && !asked.isDone()) {
                    rows = asked.read(ROWS).entrySet().iterator();
                }
                if (asked.opened() > MOST_INTERVALS) {
                    throw new RpcException(
                            Errno.EOVERFLOW,
                            "at some time more than " + MOST_INTERVALS + " of the hosts were out of service together,"
                                    + " which takes too much memory: ask for fewer hosts, or read the state"
                                    + " directory with --state-dir");
                }
                List<Map.Entry<Outage, List<String>>> some = new ArrayList<>();
                while (rows.hasNext() && some.size() < ROWS) {
                    some.add(rows.next());
                }
                boolean last = asked.isDone() && !rows.hasNext();
                Bytes bytes = some.isEmpty() && !last
                        ? null
                        : new HistoryAnswer(some, last ? asked.coverage() : null).encode();
                return new Piece(bytes, last ? new RpcException(Errno.ENODATA, Errno.ENODATA.text()) : null);
            } catch (RpcException e) {
                return new Piece(null, e);
            } catch (ProtocolException e) {
                return new Piece(null, new RpcException(Errno.EPROTO, String.valueOf(e.getMessage())));
            } catch (IOException | IllegalArgumentException e) {
                log.error("the history could not be read", e);
                return new Piece(null, new RpcException(Errno.EIO, "the history cannot be read: " + e.getMessage()));
            }
        }

        private Inquiry open() throws IOException, ProtocolException {
            HistoryRequest request = HistoryRequest.parse(Operations.fields(HistoryRequest.TOPIC, payload));
            Inquiry.Present now = present;
            if (now == null) {
                throw new IllegalStateException("a history that has not begun");
            }
            return new Inquiry(archive, new Inquiry.Question(request.hosts(), request.period(), request.notes()), now);
        }
    }

    /**
     * A piece of an answer.
     *
     * @param end the error that ends the answer after this piece; null if further pieces follow
     */
    private record Piece(@Nullable Bytes response, @Nullable RpcException end) {}

    /** Prepares the archive for questions, in pieces between which answers are created. Must be called from time to time. */
    public void prepare() {
        if (!ended) {
            beside.run(() -> prepared() ? this::prepare : () -> {}, bug -> {});
        }
    }

    private boolean prepared() {
        try {
            boolean more = archive.prepare();
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

    /** @throws RpcException EAGAIN if too many requests of the user wait */
    History ask(Bytes payload, Account payer, Sink sink) {
        if (waiting.of(payer) >= MOST_WAITING) {
            throw payer.excess(
                    Limit.STREAMS,
                    payer + " has " + MOST_WAITING + " requests for history waiting already: try again later",
                    1);
        }
        History history = new History(payload, payer, sink);
        waiting.add(payer, history);
        begin();
        return history;
    }

    private void begin() {
        while (open.size() < MOST_OPEN) {
            History history = waiting.next(this::mayBegin);
            if (history == null) {
                return;
            }
            Committed now = inventory.committed();
            history.present = new Inquiry.Present(now.state(), now.seq(), inventory.now());
            open.add(history);
            work(history);
        }
    }

    private boolean mayBegin(Account user) {
        return user.isOwners() || open.stream().noneMatch(each -> each.payer == user);
    }

    private void work(History history) {
        history.working = true;
        history.unread = false;
        beside.run(
                () -> {
                    Piece piece = history.piece();
                    return () -> worked(history, piece);
                },
                bug -> worked(history, new Piece(null, new RpcException(Errno.EIO, bug))));
    }

    private void worked(History history, Piece piece) {
        history.working = false;
        if (history.released) {
            close(history);
            return;
        }
        Bytes response = piece.response();
        RpcException refusal = response == null ? null : history.sink.refusal(response);
        RpcException end = refusal == null ? piece.end() : refusal;
        if (response != null && refusal == null) {
            history.sink.send(response);
        }
        if (end != null) {
            history.released = true;
            close(history);
            history.sink.end(end);
        } else {
            resume(history);
        }
    }

    /** Continues an answer if the peer can be sent more. */
    void resume(History history) {
        if (open.contains(history) && !history.working && !history.released && history.sink.isWritable()) {
            work(history);
        }
    }

    /**
     * Ends the answers whose peers have read nothing since the last call, if other requests wait. Must be called every {@link
     * #UNREAD_SECONDS}.
     */
    public void endUnread() {
        for (History history : List.copyOf(open)) {
            boolean blocked = !history.working && !history.released && !history.sink.isWritable();
            if (blocked && history.unread && !waiting.isEmpty()) {
                release(history);
                history.sink.end(new RpcException(
                        Errno.ETIMEDOUT,
                        "the answer was not read for " + UNREAD_SECONDS
                                + " seconds, and other requests for history wait:"
                                + " read faster, or ask for a shorter period"));
            }
            history.unread = blocked;
        }
    }

    /** Drops an answer, because the peer has disconnected or has cancelled the request. */
    void release(History history) {
        boolean close = open.contains(history) && !history.working && !history.released;
        history.released = true;
        if (!waiting.remove(history.payer, history) && close) {
            close(history);
        }
    }

    /** Ends all answers, those of waiting requests included. */
    public void endAll(RpcException reason) {
        ended = true;
        List<History> ending = new ArrayList<>(open);
        ending.addAll(waiting.removeAll());
        for (History history : ending) {
            if (!history.released) {
                release(history);
                history.sink.end(reason);
            }
        }
    }

    private void close(History history) {
        open.remove(history);
        Inquiry inquiry = history.inquiry;
        if (inquiry != null) {
            beside.run(
                    () -> {
                        close(inquiry);
                        return () -> {};
                    },
                    bug -> {});
        }
        begin();
    }

    private static void close(Inquiry inquiry) {
        try {
            inquiry.close();
        } catch (IOException e) {
            log.warn("a segment that was read could not be closed: {}", e.getMessage());
        }
    }
}
