package io.muster.protocol.acquire;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.idset.SortedTree;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.SchedulerView;
import io.muster.testing.Seeds;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The updates for a scheduler behind a relay when the relay's own stream ends and begins again. */
class HeldViewTest {
    private static final int RANKS = 12;

    private static ResourceSet nodes(String hosts, Idset ranks) {
        return ResourceSet.of(Hostlist.parse(hosts), ranks, Idset.range(0, 3), Idset.EMPTY, Map.of());
    }

    /** A model of a scheduler: applies the responses that the scheduler is sent. */
    private static final class Scheduler {
        private final Idset offered;
        private Idset up;
        private Idset shrunk = Idset.EMPTY;
        private final Map<String, Idset> properties = new HashMap<>();

        Scheduler(First first) {
            offered = first.resources().ranks();
            up = first.up();
            properties.putAll(first.resources().properties());
        }

        void take(@Nullable Next next) {
            if (next == null) {
                return;
            }
            ObjectNode wire = next.toJson();
            Next read = Next.parse(wire);
            assertThat(offered.containsAll(read.up().union(read.down())))
                    .as("%s", wire)
                    .isTrue();
            assertThat(shrunk.intersects(read.up())).as("%s", wire).isFalse();
            up = up.union(read.up()).subtract(read.down());
            shrunk = shrunk.union(read.shrink());
            assertThat(shrunk.size()).as("one rank stays").isLessThan(offered.size());
            read.propertyAdd().forEach((name, ranks) -> properties.merge(name, ranks, Idset::union));
            read.propertyRemove().forEach((name, ranks) -> properties.merge(name, ranks, Idset::subtract));
        }
    }

    private static SchedulerView change(SchedulerView view, Random random) {
        Idset one = Idset.of(random.nextInt(RANKS));
        SortedTree<String, Idset> properties = view.properties();
        Idset up = view.up();
        Idset lost = view.lost();
        switch (random.nextInt(4)) {
            case 0 -> up = up.subtract(one);
            case 1 -> up = up.union(one.intersect(view.members()).subtract(lost));
            case 2 -> {
                if (random.nextInt(4) == 0 && lost.size() < RANKS / 2) {
                    lost = lost.union(one);
                    up = up.subtract(one);
                }
            }
            default -> {
                Idset had = properties.getOrDefault("p", Idset.EMPTY);
                Idset has = random.nextBoolean() ? had.union(one) : had.subtract(one);
                properties = has.isEmpty() ? properties.without("p") : properties.with("p", has);
            }
        }
        return new SchedulerView(view.members(), up, lost, properties, view.expiration());
    }

    /** The first response of a daemon: lost ranks are not offered. */
    private static First first(SchedulerView view) {
        Idset ranks = view.members().subtract(view.lost());
        ResourceSet set = nodes("n[0-11]", Idset.range(0, RANKS - 1)).keep(ranks);
        for (Map.Entry<String, Idset> property : view.properties().entrySet()) {
            Idset within = property.getValue().intersect(ranks);
            set = within.isEmpty() ? set : set.withProperty(property.getKey(), within);
        }
        return new First(set, view.up().intersect(ranks));
    }

    @Seeds
    void aSchedulerKnowsTheStateHoweverOftenTheStreamOfTheRelayRestarts(Random random) {
        SchedulerView view = new SchedulerView(
                Idset.range(0, RANKS - 1), Idset.range(0, RANKS - 1), Idset.EMPTY, SortedTree.empty(), 0);
        SentView daemon = SentView.first(view);
        HeldView held = HeldView.first(first(view));
        Scheduler scheduler = new Scheduler(first(view));
        for (int step = 0; step < 200; step++) {
            for (int i = random.nextInt(4); i >= 0; i--) {
                view = change(view, random);
            }
            HeldView.Step next;
            if (random.nextInt(5) == 0) {
                First again = First.parse(first(view).toJson());
                daemon = new SentView(view, again.resources().ranks());
                next = held.again(again);
            } else {
                Next update = daemon.next(view);
                daemon = daemon.after(view);
                if (update == null) {
                    continue;
                }
                next = held.next(Next.parse(update.toJson()));
            }
            scheduler.take(next.update());
            held = next.after();
            assertThat(scheduler.up).isEqualTo(view.up().subtract(view.lost()));
            Idset there = scheduler.offered.subtract(scheduler.shrunk).subtract(view.lost());
            assertThat(scheduler.properties.getOrDefault("p", Idset.EMPTY).intersect(there))
                    .isEqualTo(view.properties().getOrDefault("p", Idset.EMPTY).intersect(there));
            assertThat(held.again(first(view)).update())
                    .as("what is known already is not sent again")
                    .isNull();
        }
    }

    @Test
    void aRankWithAnotherHostOrOtherContentsIsReportedDown() {
        HeldView held = HeldView.first(new First(nodes("a[0-3]", Idset.range(0, 3)), Idset.range(0, 3)));
        HeldView.Step swapped = held.again(new First(nodes("a0,b1,a[2-3]", Idset.range(0, 3)), Idset.range(0, 3)));
        assertThat(new TreeMap<>(Map.of("update", String.valueOf(swapped.update()))).get("update"))
                .isNotEqualTo("null");
        assertThat(String.valueOf(
                        swapped.update() == null ? null : swapped.update().toJson()))
                .isEqualTo("{\"down\":\"1\"}");
        ResourceSet smaller =
                ResourceSet.of(Hostlist.parse("a[0-3]"), Idset.range(0, 3), Idset.range(0, 1), Idset.EMPTY, Map.of());
        HeldView.Step other = held.again(new First(smaller, Idset.range(0, 3)));
        assertThat(String.valueOf(other.update() == null ? null : other.update().toJson()))
                .isEqualTo("{\"down\":\"0-3\"}");
        HeldView.Step back = other.after().again(new First(nodes("a[0-3]", Idset.range(0, 3)), Idset.of(2)));
        assertThat(String.valueOf(back.update() == null ? null : back.update().toJson()))
                .isEqualTo("{\"up\":\"2\"}");
        HeldView.Step larger = held.again(new First(nodes("a[0-9]", Idset.range(0, 9)), Idset.range(0, 9)));
        assertThat(larger.update()).as("ranks that were not offered").isNull();
    }

    @Test
    void aRankWithAnotherHostStaysDownWhateverIsSaidAboutThatHost() {
        HeldView held = HeldView.first(new First(nodes("a[0-3]", Idset.range(0, 3)), Idset.range(0, 3)));
        HeldView swapped = held.again(new First(nodes("a0,b1,a[2-3]", Idset.range(0, 3)), Idset.EMPTY))
                .after();
        HeldView.Step up =
                swapped.next(Next.parse(JsonNodeFactory.instance.objectNode().put("up", "0-1")));
        assertThat(String.valueOf(up.update() == null ? null : up.update().toJson()))
                .isEqualTo("{\"up\":\"0\"}");
        HeldView back = up.after()
                .again(new First(nodes("a[0-3]", Idset.range(0, 3)), Idset.range(0, 1)))
                .after();
        assertThat(back.sent().view().up()).isEqualTo(Idset.range(0, 1));
    }
}
