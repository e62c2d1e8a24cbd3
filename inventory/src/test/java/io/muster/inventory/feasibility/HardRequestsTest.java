package io.muster.inventory.feasibility;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.request.JobRequest;
import io.muster.inventory.request.Resource;
import io.muster.inventory.request.Shape;
import io.muster.inventory.rset.ResourceSet;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Requests that are too large or too hard to search. */
class HardRequestsTest {
    private static final int MANY = 20_000;

    private static ResourceSet set(String hosts, int first, int count, int cores, int gpus) {
        return ResourceSet.of(
                Hostlist.parse(hosts),
                Idset.range(first, first + count - 1),
                Idset.range(0, cores - 1),
                Idset.range(0, gpus - 1),
                Map.of());
    }

    private static Assessment ask(ResourceSet r, IntFunction<Resource> item, int count) {
        return Feasibility.of(r)
                .ever(JobRequest.of(IntStream.range(0, count).mapToObj(item).toList()));
    }

    @Test
    void manyEqualSlotsAreCountedWithoutASearch() {
        ResourceSet r = set("n[0-999]", 0, 1000, 20, 1).append(set("m[0-9]", 1000, 10, 7, 1));
        IntFunction<Resource> oneCore = i -> Resource.of("slot", 1, Resource.of("core", 1));
        assertThat(ask(r, oneCore, MANY).verdict()).isEqualTo(Verdict.YES);
        assertThat(ask(r, oneCore, MANY + 70).verdict()).isEqualTo(Verdict.YES);
        assertThat(ask(r, oneCore, MANY + 71).verdict()).isEqualTo(Verdict.NEVER);
    }

    @Test
    void manySlotsOfDifferentSizesAreDecided() {
        ResourceSet r = set("n[0-9]", 0, 10, 30_000, 1);
        IntFunction<Resource> different = i -> Resource.of("slot", 1, Resource.of("core", 1 + i));
        assertThat(ask(r, different, MANY).verdict()).isEqualTo(Verdict.NEVER);
        assertThat(ask(r, different, 700).verdict()).isEqualTo(Verdict.YES);
    }

    @Test
    void manyNodesAndSinglePoolsAreDecided() {
        ResourceSet r = set("n[0-999]", 0, 1000, 20, 1);
        assertThat(ask(r, i -> Resource.of("node", 1), MANY).verdict()).isEqualTo(Verdict.NEVER);
        assertThat(ask(r, i -> Resource.of("node", 1), 1000).verdict()).isEqualTo(Verdict.YES);
        assertThat(ask(r, i -> Resource.of("core", 1), MANY).verdict()).isEqualTo(Verdict.YES);
        assertThat(ask(r, i -> Resource.of(i % 2 == 0 ? "core" : "gpu", 1), MANY)
                        .verdict())
                .isEqualTo(Verdict.NEVER);
    }

    @Test
    void aRequestAboveTheTotalIsAnsweredNeverWithoutASearch() {
        ResourceSet r = set("n[0-59]", 0, 60, 10, 1);
        IntFunction<Resource> different = i -> Resource.of("slot", 1, Resource.of("core", 1 + i % 10));
        assertThat(ask(r, different, 110).verdict()).isEqualTo(Verdict.NEVER);
    }

    @Test
    void aRequestThatAGreedyPackingPlacesIsAnsweredYes() {
        ResourceSet mixed = IntStream.range(0, 60)
                .mapToObj(i -> set("n" + i, i, 1, 200 + i, 8))
                .reduce(ResourceSet::append)
                .orElseThrow();
        String shape = "[slot=4000{a}/core=2;slot=1200{b}/core=3;slot=100{c}/[core=7;gpu=4]]";
        assertThat(Feasibility.of(mixed).ever(JobRequest.of(Shape.parse(shape))).verdict())
                .isEqualTo(Verdict.YES);
    }

    @Test
    void aSearchThatReachesItsLimitIsAnsweredUnknownAndNamesTheLimit() {
        ResourceSet mixed = IntStream.range(0, 60)
                .mapToObj(i -> set("n" + i, i, 1, 200 + i, 8))
                .reduce(ResourceSet::append)
                .orElseThrow();
        String shape = "[slot=75{a}/core=67;slot=60{b}/core=101;slot=20{c}/core=79]";
        Assessment answer = Feasibility.of(mixed).ever(JobRequest.of(Shape.parse(shape)));
        assertThat(answer.verdict()).isEqualTo(Verdict.UNKNOWN);
        assertThat(answer.sentence())
                .isEqualTo("75 slots of core=67, 60 slots of core=101 and 20 slots of core=79 asked; "
                        + "in 50000 steps, the search could not decide whether they fit together");
    }

    /** Three slots of 5 cores on hosts of 9: the totals suffice, greedy packing fails, and the search proves the answer. */
    @Test
    void smallPackingsAreDecidedBySearch() {
        ResourceSet r = set("n[0-1]", 0, 2, 9, 1);
        Feasibility feasibility = Feasibility.of(r);
        assertThat(feasibility
                        .ever(JobRequest.of(Shape.parse("[slot=2{a}/core=5;slot{b}/core=5;slot{c}/core]")))
                        .verdict())
                .isEqualTo(Verdict.NEVER);
        assertThat(feasibility
                        .ever(JobRequest.of(Shape.parse("[slot=2{a}/core=5;slot=2{b}/core=3;slot=2{c}/core]")))
                        .verdict())
                .isEqualTo(Verdict.YES);
    }
}
