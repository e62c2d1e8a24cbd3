package io.muster.daemon.core;

import io.muster.inventory.axis.Acquisition;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.axis.Times;
import io.muster.inventory.state.AcquisitionChanges;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.SchedulerView;
import io.muster.protocol.acquire.Next;
import io.muster.protocol.acquire.Owner;
import io.muster.protocol.acquire.SentView;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;
import java.time.Duration;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The streams of the schedulers that follow the inventory (RFC 28). An update is the difference between the view that the
 * scheduler was last sent and the committed view; events are never translated into updates. A scheduler whose socket is full
 * is skipped, and is sent one update with all differences once it has read. Streams with the same view share one encoded
 * update, and streams that begin with the same view share one encoded first response.
 */
public final class AcquireStreams implements Commits {
    private final Inventory inventory;
    private final ScheduledExecutorService core;
    private final AcquireMeters meters;
    private final LongSupplier nanos;
    private final Set<AcquireStream> streams = new LinkedHashSet<>();
    /** The streams whose claims are not answered yet, by owner, although their connections may be closed. */
    private final Map<String, AcquireStream> claims = new HashMap<>();

    private final Absences absences;

    private final FirstResponse offer = new FirstResponse();
    private boolean shared;
    private long batchNanos;
    private @Nullable SentView newest;
    private boolean dirty;
    private long durableAt;
    private long publishedAt;
    private boolean waiting;
    private Answer.@Nullable Failed away;

    /**
     * Creates the object. Until {@link #configure} is called, only one scheduler may acquire, and every change is sent at
     * once.
     *
     * @param nanos a monotonic clock in nanoseconds
     */
    public AcquireStreams(
            Inventory inventory, ScheduledExecutorService core, AcquireMeters meters, LongSupplier nanos) {
        this.inventory = inventory;
        inventory.redefinition().heldIf(this::isAcquired);
        this.core = core;
        this.meters = meters;
        this.nanos = nanos;
        this.publishedAt = nanos.getAsLong();
        this.absences = new Absences(inventory, core);
    }

    /** Begins to wait for the owners of acquisitions that were made under an earlier daemon. */
    public void start() {
        inventory.state().acquisitions().values().forEach(absences::begin);
    }

    /**
     * Sets the rules for streams. Changes that are being gathered are still sent when the previous {@code batch} time ends.
     *
     * @param mayShare whether several schedulers may hold the resources at the same time; schedulers that hold the resources
     *     already keep them
     * @param batch how long changes are gathered after an update; the first change after a quiet time is sent at once
     */
    public void configure(boolean mayShare, Duration batch) {
        shared = mayShare;
        publishedAt += batchNanos - batch.toNanos();
        batchNanos = batch.toNanos();
    }

    /**
     * Opens the stream of a scheduler.
     *
     * @param owner the name under which the acquisition is to be kept when the connection ends, or null
     * @throws RpcException EBUSY, which names the scheduler that holds the resources
     */
    public AcquireStream acquire(Sink sink, Principal by, @Nullable Owner owner) {
        inventory.checkThread();
        Answer.Failed elsewhere = away == null ? inventory.elsewhere() : away;
        RpcException refusal = elsewhere == null ? refusal(by, owner) : elsewhere.error();
        if (refusal != null) {
            meters.error();
            throw refusal;
        }
        inventory.redefinition().retry();
        String name = owner == null ? null : owner.name();
        AcquireStream before = name == null ? null : streamOf(name);
        if (before != null) {
            streams.remove(before);
            end(before, new RpcException(Errno.ECANCELED, name + " has acquired again on another connection"));
        }
        AcquireStream stream = new AcquireStream(sink, by, inventory.now(), name, knowledge(newestView()));
        streams.add(stream);
        if (owner == null) {
            begin(stream);
        } else {
            claim(stream, owner, by);
        }
        return stream;
    }

    private void claim(AcquireStream stream, Owner owner, Principal by) {
        absences.end(owner.name());
        claims.put(owner.name(), stream);
        inventory.submit(new AcquisitionChanges.Claim(owner.name(), owner.grace()), by, answer -> {
            claims.remove(owner.name(), stream);
            RpcException error = answer.error();
            if (error == null) {
                begin(stream);
            } else if (streams.contains(stream)) {
                end(stream, error);
            }
        });
    }

    /** Returns why a scheduler may not acquire now, or null. */
    private @Nullable RpcException refusal(Principal by, @Nullable Owner owner) {
        Acquisition own =
                owner == null ? null : inventory.state().acquisitions().get(owner.name());
        boolean mayJoin = shared || (own != null && own.by().isSamePerson(by));
        Set<AcquireStream> holders = streams();
        holders.addAll(claims.values());
        for (AcquireStream stream : holders) {
            boolean same = owner != null && owner.name().equals(stream.owner());
            if (same ? !stream.holder().isSamePerson(by) : !mayJoin) {
                return busy(stream);
            }
        }
        for (Acquisition held : inventory.state().acquisitions().values()) {
            boolean same = owner != null && owner.name().equals(held.owner());
            if (same ? !held.by().isSamePerson(by) : !mayJoin) {
                return busy(held);
            }
        }
        return null;
    }

    /** Returns the stream of an owner, or null. */
    public @Nullable AcquireStream streamOf(String owner) {
        for (AcquireStream stream : streams) {
            if (owner.equals(stream.owner())) {
                return stream;
            }
        }
        return null;
    }

    /**
     * Sends the first response, or an error if no rank is on offer. If a new R waits for the disk, the response is sent after
     * that R is committed, because a new R renumbers the ranks.
     */
    private void begin(AcquireStream stream) {
        if (!streams.contains(stream)) {
            return;
        }
        if (inventory.isRedefining()) {
            inventory.whenAnswered(() -> begin(stream));
            return;
        }
        String owner = stream.owner();
        if (owner != null && !inventory.state().acquisitions().containsKey(owner)) {
            end(stream, released(owner));
            return;
        }
        if (newestView().members().isEmpty()) {
            end(stream, nothingOnOffer());
            return;
        }
        Bytes first = offer.payload(inventory.state());
        RpcException refusal = stream.sink().refusal(first);
        if (refusal == null) {
            stream.begins(knowledge(newestView()));
            send(stream, first);
            meters.first();
        } else {
            end(stream, refusal);
        }
    }

    /**
     * Returns the error for a scheduler that acquires while no rank is on offer. An R without ranks would be worse: RFC 28
     * cannot add ranks later, and schedulers deny every job that the empty R cannot run.
     */
    private static RpcException nothingOnOffer() {
        return new RpcException(
                Errno.ENOENT,
                "no resources are on offer: every rank is excluded or lost; include one and acquire again");
    }

    private static RpcException released(String owner) {
        return new RpcException(Errno.ECANCELED, "the acquisition of " + owner + " was released");
    }

    private void end(AcquireStream stream, RpcException reason) {
        release(stream);
        stream.sink().end(reason);
        meters.error();
    }

    private static RpcException busy(AcquireStream holder) {
        String pid =
                holder.holder().pid() == 0 ? "" : ", pid " + holder.holder().pid();
        String owner = holder.owner() == null ? "" : holder.owner() + ", ";
        return new RpcException(
                Errno.EBUSY,
                "resources are acquired by " + owner + holder.holder() + pid + " since "
                        + Times.rfc3339(holder.since()));
    }

    private RpcException busy(Acquisition held) {
        Absences.Absence absence = absences.of(held.owner());
        String until = absence == null ? "" : " until " + Times.rfc3339(absence.until());
        return new RpcException(
                Errno.EBUSY,
                "resources are held for " + held.owner() + ", " + held.by() + until
                        + ", because its connection has ended: `muster acquire release " + held.owner()
                        + "` ends this");
    }

    /**
     * Removes a stream that has ended or whose connection is closed. Another scheduler may then acquire, unless the
     * acquisition has an owner, who may take it up again.
     */
    public void release(AcquireStream stream) {
        if (!streams.remove(stream)) {
            return;
        }
        String owner = stream.owner();
        Acquisition held =
                owner == null ? null : inventory.state().acquisitions().get(owner);
        if (held != null && streamOf(held.owner()) == null) {
            absences.begin(held);
        }
        inventory.redefinition().retry();
    }

    /** Removes a stream that its scheduler has cancelled, and counts the error response that ends the stream. */
    public void cancelled(AcquireStream stream) {
        meters.error();
        String owner = stream.owner();
        if (owner == null) {
            release(stream);
        } else {
            streams.remove(stream);
            inventory.submit(new AcquisitionChanges.Release(owner, "cancelled"), stream.holder(), answer -> {
                if (answer instanceof Answer.Failed) {
                    owned(owner, inventory.state());
                }
            });
        }
    }

    /** Returns the acquisitions whose owners have no connection now. */
    public List<Absences.Absence> absences() {
        return absences.all();
    }

    /** Returns whether a scheduler holds the resources, perhaps without a connection. */
    public boolean isAcquired() {
        return !streams.isEmpty() || !claims.isEmpty() || absences.size() > 0;
    }

    public int size() {
        return streams.size();
    }

    /** Returns the number of acquisitions that are kept for an owner who is not connected. */
    public int away() {
        return absences.size();
    }

    /** Returns the streams in the order in which they were opened. */
    public Set<AcquireStream> streams() {
        return new LinkedHashSet<>(streams);
    }

    /** Stops sending updates to the streams that are open now. flux-core's broker requests this before it shuts down. */
    public void mute() {
        streams.forEach(AcquireStream::mute);
    }

    /** Ends every stream with an error, as the daemon does when it stops. */
    public void endAll(RpcException reason) {
        List<AcquireStream> ending = List.copyOf(streams);
        streams.clear();
        ending.forEach(stream -> end(stream, reason));
    }

    /** Refuses schedulers, because another daemon may serve them; null to accept schedulers. */
    public void refuse(Answer.@Nullable Failed why) {
        away = why;
    }

    /** Ends every stream and every wait for an owner, because another daemon takes over. */
    public void handOver(RpcException reason) {
        endAll(reason);
        absences.endAll();
    }

    /** Sends everything that a scheduler has not been sent yet as one update, because its socket can take more. */
    public void resume(AcquireStream stream) {
        if (stream.isBehind() && streams.contains(stream)) {
            new Round(newestView()).sendTo(stream);
        }
    }

    /**
     * Returns the update that each scheduler would be sent if the inventory became {@code after}; null for a scheduler that
     * would be sent nothing.
     */
    public Map<AcquireStream, @Nullable Next> preview(InventoryState after) {
        Map<AcquireStream, @Nullable Next> updates = new LinkedHashMap<>();
        streams.forEach(stream ->
                updates.put(stream, getsUpdates(stream) ? stream.sentView().next(after.view()) : null));
        return updates;
    }

    private static boolean getsUpdates(AcquireStream stream) {
        return stream.hasBegun() && !stream.isMuted();
    }

    @Override
    public void committed(List<Entry> entries, List<byte[]> lines, InventoryState state) {
        if (!dirty) {
            dirty = true;
            durableAt = nanos.getAsLong();
        }
        for (Entry entry : entries) {
            if (entry.event() instanceof AcquisitionChanges.Acquired acquired) {
                owned(acquired.owner(), state);
            } else if (entry.event() instanceof AcquisitionChanges.Released released) {
                disowned(released.owner());
            }
        }
    }

    /** Waits for the owner of a new acquisition if its connection has ended before the acquisition was durable. */
    private void owned(String owner, InventoryState state) {
        Acquisition held = state.acquisitions().get(owner);
        if (held != null && streamOf(owner) == null && inventory.elsewhere() == null) {
            absences.begin(held);
        }
    }

    /**
     * Ends the stream of an acquisition that was released. A stream that has not begun yet stays open, because it belongs to
     * a later claim.
     */
    private void disowned(String owner) {
        absences.end(owner);
        AcquireStream stream = streamOf(owner);
        if (stream != null && stream.hasBegun()) {
            end(stream, released(owner));
        }
        inventory.redefinition().retry();
    }

    @Override
    public void settled() {
        if (!dirty || waiting) {
            return;
        }
        long rest = batchNanos - (nanos.getAsLong() - publishedAt);
        if (rest <= 0) {
            publish();
        } else {
            waiting = true;
            var unused = core.schedule(this::publish, rest, TimeUnit.NANOSECONDS);
        }
    }

    private void publish() {
        waiting = false;
        dirty = false;
        Round round = new Round(newestView());
        for (AcquireStream stream : List.copyOf(streams)) {
            round.sendTo(stream);
        }
        if (round.sent > 0) {
            publishedAt = nanos.getAsLong();
            meters.published(publishedAt - durableAt);
        }
    }

    private SchedulerView newestView() {
        return inventory.state().view();
    }

    /**
     * Returns the object that stands for a first view. Streams that begin with the same view get the same object, so that
     * they can share updates.
     */
    @SuppressWarnings(
            "ReferenceEquality") // comparing views would cost more, and equal views that are not shared do no harm
    private SentView knowledge(SchedulerView view) {
        SentView last = newest;
        if (last == null || last.view() != view) {
            last = SentView.first(view);
            newest = last;
        }
        return last;
    }

    private void send(AcquireStream stream, Bytes payload) {
        stream.sent();
        stream.sink().send(payload);
    }

    /** One committed view that is being sent to the streams. Each difference is computed and encoded once. */
    private final class Round {
        private final SchedulerView now;
        private final IdentityHashMap<SentView, Update> updates = new IdentityHashMap<>();
        private int sent;

        Round(SchedulerView now) {
            this.now = now;
        }

        void sendTo(AcquireStream stream) {
            if (!getsUpdates(stream)) {
                return;
            }
            if (!stream.sink().isWritable()) {
                if (stream.isBehind()) {
                    meters.conflated();
                }
                stream.fallBehind();
                return;
            }
            Update update = updates.get(stream.sentView());
            if (update == null) {
                update = update(stream.sentView());
                updates.put(stream.sentView(), update);
            }
            stream.knows(update.after);
            if (update.payload != null) {
                send(stream, update.payload);
                meters.update();
                sent++;
            }
        }

        private Update update(SentView sentView) {
            Next next = sentView.next(now);
            return new Update(next == null ? null : Json.encode(next.toJson()), sentView.after(now));
        }
    }

    private record Update(@Nullable Bytes payload, SentView after) {}
}
