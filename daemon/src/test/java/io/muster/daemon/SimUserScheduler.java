package io.muster.daemon;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.InventoryState;
import io.muster.protocol.acquire.First;
import io.muster.protocol.rpc.Cancellation;
import io.muster.protocol.testing.SchedulerModel;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Header;
import io.muster.protocol.wire.Json;
import io.muster.protocol.wire.ProtocolException;
import io.muster.protocol.wire.Request;
import io.muster.protocol.wire.Response;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A scheduler behind a relay, whose stream lasts until the scheduler leaves or cancels, or the process of the relay ends. */
final class SimUserScheduler extends SimUser {
    private static final String TOPIC = "resource.acquire";

    private SchedulerModel model = new SchedulerModel();
    private @Nullable ResourceSet offered;
    /** Where the log ended when the scheduler acquired. */
    private long since;
    /** The age of the contents of etcd then. */
    private long age;

    private int matchtag;
    private boolean cancelled;

    SimUserScheduler(SimCluster cluster, SimLoginHost host, int uid) {
        super(cluster, host, uid);
    }

    @Override
    void welcome() {
        model = new SchedulerModel();
        offered = null;
        cancelled = false;
        since = cluster.witness().lastSeq();
        age = cluster.age();
        matchtag++;
        note("acquires with matchtag " + matchtag);
        send(Request.of(TOPIC, null, Header.STREAMING, matchtag));
    }

    @Override
    void receive(Response response) {
        Bytes payload = response.payload();
        String text = payload == null ? "" : payload.text();
        note("is sent for matchtag " + response.matchtag() + ": " + response.errnum() + " " + text);
        SimWitness.require(response.matchtag() == matchtag, () -> "a response for a stream that has ended: " + text);
        if (response.errnum() == 0) {
            take(Objects.requireNonNull(payload));
        } else {
            SimWitness.require(
                    model.responses() == 0 || cancelled, () -> "the relay ends the stream of a scheduler: " + text);
            int ended = ++matchtag; // nothing may come after it
            later(500, () -> {
                if (matchtag == ended) {
                    welcome();
                }
            });
        }
    }

    private void take(Bytes payload) {
        try {
            ObjectNode json = Json.parse(payload);
            model.receive(json);
            if (offered == null) {
                offered = First.parse(json).resources();
            }
        } catch (ProtocolException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    void ended() {
        matchtag++;
        model = new SchedulerModel();
        offered = null;
    }

    /** Disconnects or cancels. */
    @Override
    void leave() {
        if (random.nextBoolean() || model.responses() == 0 || cancelled) {
            note("disconnects");
            super.leave();
        } else {
            note("cancels matchtag " + matchtag);
            cancelled = true;
            send(Request.of(
                    TOPIC + "-cancel", new Cancellation(matchtag).encode(), Header.NORESPONSE, Request.MATCHTAG_NONE));
        }
    }

    /**
     * Whether the scheduler knows the state of the log. A rank that was not offered all the time, or was another host, may be down for the
     * scheduler, and a rank that was shrunk stays so, whatever an etcd that is restored says: an acquisition offers no ranks that come later.
     */
    boolean knows(SimWitness witness) {
        ResourceSet first = offered;
        if (first == null || cancelled) {
            return false;
        }
        InventoryState state = witness.state();
        Idset certain = model.present();
        for (long seq = cluster.age() == age ? Math.max(1, since) : 1; seq <= witness.lastSeq(); seq++) {
            certain = unchanged(first, certain, witness.at(seq));
        }
        return state.view().up().containsAll(model.up())
                && unchanged(first, model.up(), state).equals(model.up())
                && model.up().intersect(certain).equals(state.view().up().intersect(certain))
                && model.expiration() == state.view().expiration()
                && SchedulerModel.among(certain, model.properties())
                        .equals(SchedulerModel.among(certain, state.resources().properties()));
    }

    private static Idset unchanged(ResourceSet first, Idset ranks, InventoryState state) {
        Idset members = ranks.intersect(state.view().members());
        ResourceSet resources = state.resources();
        if (resources.hosts().equals(first.hosts()) && resources.ranks().equals(first.ranks())) {
            return members;
        }
        Idset.Builder kept = Idset.builder();
        members.forEach(rank -> {
            if (first.hostOf(rank).equals(resources.hostOf(rank))) {
                kept.add(rank);
            }
        });
        return kept.build();
    }

    @Override
    public String toString() {
        return (offered == null ? "" : offered.hosts() + " ") + model.responses() + " responses, up " + model.up()
                + ", properties " + model.properties() + ", expiration " + model.expiration();
    }
}
