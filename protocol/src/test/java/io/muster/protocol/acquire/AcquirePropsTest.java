package io.muster.protocol.acquire;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.LivenessChange;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.idset.SortedTree;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.Decision;
import io.muster.inventory.state.DefinitionChanges;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.Event;
import io.muster.inventory.state.HoldChanges;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.LivenessChanges;
import io.muster.inventory.state.MembershipChanges;
import io.muster.inventory.state.SchedulerView;
import io.muster.protocol.testing.SchedulerModel;
import io.muster.protocol.wire.Json;
import io.muster.testing.Idsets;
import io.muster.testing.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** Feeds schedulers with first and next responses only, through random changes; some schedulers do not read for a while. */
class AcquirePropsTest {
    private static final int STEPS = 80;
    private static final int RANKS = 8;
    private static final String[] REPORTS = {"online", "online", "offline", "torpid", "lively"};
    private static final String[] PROPERTIES = {"batch", "debug", "+inst"};

    private InventoryState state = InventoryState.empty();
    private double now = 100;
    private final List<Stream> streams = new ArrayList<>();

    /** A scheduler, and the server's record of what it was sent. */
    private static final class Stream {
        private final SchedulerModel scheduler = new SchedulerModel();
        SentView told;

        Stream(ResourceSet offered, SchedulerView view) throws Exception {
            scheduler.receive(Json.encode(new First(offered, view.up()).toJson()));
            told = SentView.first(view);
        }

        void tell(SchedulerView view) throws Exception {
            Next next = told.next(view);
            if (next != null) {
                scheduler.receive(Json.encode(next.toJson()));
            }
            told = told.after(view);
            scheduler.assertKnows(view.up(), view.properties(), view.expiration());
        }
    }

    @Seeds
    void everySchedulerKnowsTheStateAfterEachUpdate(Random random) throws Exception {
        run(new DefinitionChanges.Define(resources(random), "configuration", Liveness.Status.ONLINE));
        for (int step = 0; step < STEPS; step++) {
            now += random.nextInt(3);
            run(command(random));
            if (random.nextInt(20) == 0 || streams.isEmpty()) {
                streams.add(new Stream(state.offered().resources(), state.view()));
            }
            for (Stream stream : streams) {
                if (random.nextInt(3) > 0) {
                    stream.tell(state.view());
                }
            }
        }
        for (Stream stream : streams) {
            stream.tell(state.view());
            assertThat(stream.told.next(state.view())).isNull();
        }
    }

    /** Uses random views that follow no rules: any view may follow any other. */
    @Seeds
    void updatesBetweenAnyTwoViewsFollowTheProtocol(Random random) throws Exception {
        ResourceSet resources = resources(random);
        SchedulerView first = any(random, resources.properties());
        ResourceSet offered = resources.keep(first.members());
        for (var property : resources.properties().keySet()) {
            offered = offered.withoutProperty(property, offered.ranks());
        }
        for (var property : first.properties().entrySet()) {
            offered =
                    offered.withProperty(property.getKey(), property.getValue().intersect(first.members()));
        }
        Stream stream = new Stream(offered.withExpiration(first.expiration()), first);
        for (int step = 0; step < STEPS; step++) {
            stream.tell(any(random, resources.properties()));
        }
    }

    private static SchedulerView any(Random random, Map<String, Idset> names) {
        Idset lost = Idsets.small(random, RANKS).intersect(Idsets.small(random, RANKS));
        Idset members = Idsets.small(random, RANKS).subtract(lost);
        SortedTree<String, Idset> properties = SortedTree.empty();
        for (String name : names.keySet()) {
            Idset has = Idsets.small(random, RANKS);
            properties = has.isEmpty() ? properties : properties.with(name, has);
        }
        return new SchedulerView(
                members, Idsets.small(random, RANKS).intersect(members), lost, properties, random.nextInt(3) * 500);
    }

    private void run(Command command) {
        Decision decision = command.decide(state, now, Principal.DAEMON);
        for (Event event : decision.events()) {
            state = new Entry(1, now, Principal.DAEMON, event).applyTo(state);
        }
    }

    private static ResourceSet resources(Random random) {
        Idset ranks = Idset.range(0, RANKS - 1);
        return ResourceSet.parse("{\"version\":1,\"execution\":{\"R_lite\":[{\"rank\":\"" + ranks
                + "\",\"children\":{\"core\":\"0-3\"}}],\"starttime\":0.0,\"expiration\":"
                + random.nextInt(2) * 500 + ".0,\"nodelist\":[\"n[0-" + (RANKS - 1)
                + "]\"],\"properties\":{\"batch\":\"0-1\",\"debug\":\"1-2\"}}}");
    }

    private static Command command(Random random) {
        Idset some = Idsets.small(random, RANKS).with(random.nextInt(RANKS));
        String targets = random.nextBoolean() ? some.toString() : Integer.toString(some.first());
        String property = PROPERTIES[random.nextInt(PROPERTIES.length)];
        return switch (random.nextInt(9)) {
            case 0, 1 ->
                new HoldChanges.Drain(targets, "x", HoldChanges.Mode.UPDATE, random.nextBoolean() ? "a" : "b", 0);
            case 2 -> new HoldChanges.Undrain(targets, null, HoldChanges.Mode.FORCE_OVERWRITE, null);
            case 3 -> new MembershipChanges.Exclude(targets, null);
            case 4, 5 -> new MembershipChanges.Include(targets, null);
            case 6 ->
                random.nextInt(3) > 0
                        ? new DefinitionChanges.SetExpiration(random.nextInt(4) * 300)
                        : new MembershipChanges.Shrink(targets, null);
            case 7 ->
                new LivenessChanges.SetLiveness(
                        LivenessChange.of(REPORTS[random.nextInt(REPORTS.length)]), targets, "");
            default ->
                new DefinitionChanges.ChangeProperties(random.nextBoolean(), new TreeMap<>(Map.of(property, targets)));
        };
    }
}
