package io.muster.inventory.rset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.testing.Idsets;
import io.muster.testing.Seeds;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;

class ResourceSetPropsTest {
    private static final int BOUND = 24;

    private static ResourceSet read(PerRank model, Random random) {
        return ResourceSet.parse(model.toR(random));
    }

    @Seeds
    void aWrittenSetReadsBackEqual(Random random) {
        PerRank model = PerRank.any(random, BOUND, false);
        ResourceSet set = read(model, random);

        assertThat(PerRank.of(set)).isEqualTo(model);
        assertThat(ResourceSet.parse(set.toBytes())).isEqualTo(set).hasSameHashCodeAs(set);
        assertThat(ResourceSet.parse(set.toString()).toString()).isEqualTo(set.toString());
        assertThat(ResourceSet.parse(set.toJson())).isEqualTo(set);
        assertThat(read(model, random)).isEqualTo(set);
    }

    @Seeds
    void groupsAreDistinctAndAscend(Random random) {
        ResourceSet set =
                read(PerRank.any(random, BOUND, false), random).union(read(PerRank.any(random, BOUND, false), random));

        assertThat(set.groups()).extracting(Group::children).doesNotHaveDuplicates();
        assertThat(set.groups())
                .extracting(group -> group.ranks().first())
                .isSorted()
                .doesNotHaveDuplicates();
        assertThat(set.groups().stream().mapToInt(group -> group.ranks().size()).sum())
                .isEqualTo(set.nodes());
    }

    @Seeds
    void rankSelectionIsThatOfTheModel(Random random) {
        PerRank model = PerRank.any(random, BOUND, false);
        ResourceSet set = read(model, random);
        Idset some = Idsets.small(random, BOUND + 5);

        assertThat(PerRank.of(set.keep(some))).isEqualTo(model.keep(some::contains));
        assertThat(PerRank.of(set.remove(some))).isEqualTo(model.keep(rank -> !some.contains(rank)));
        assertThat(set.keep(some)).isEqualTo(set.remove(set.ranks().subtract(some)));
        assertThat(set.prune(some).resources()).isEqualTo(set.remove(some));
    }

    @Seeds
    void setOperationsAreThoseOfTheModel(Random random) {
        PerRank a = PerRank.any(random, BOUND, false);
        PerRank b = PerRank.any(random, BOUND, false);
        ResourceSet setA = read(a, random);
        ResourceSet setB = read(b, random);

        assertThat(PerRank.of(setA.union(setB))).isEqualTo(a.union(b));
        assertThat(PerRank.of(setA.intersect(setB))).isEqualTo(a.intersect(b));
        assertThat(PerRank.of(setA.diff(setB))).isEqualTo(a.diff(b));
    }

    @Seeds
    void setOperationsRefuseARankWithDifferentHosts(Random random) {
        PerRank a = PerRank.any(random, BOUND, true);
        PerRank b = PerRank.any(random, BOUND, true);
        ResourceSet setA = read(a, random);
        ResourceSet setB = read(b, random);

        if (a.agrees(b)) {
            assertThat(PerRank.of(setA.union(setB))).isEqualTo(a.union(b));
        } else {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> setA.union(setB))
                    .withMessageContaining("is host n");
            assertThatIllegalArgumentException().isThrownBy(() -> setA.intersect(setB));
        }
        assertThat(PerRank.of(setA.diff(setB))).isEqualTo(a.diff(b));
    }

    @Seeds
    void appendIsUnionOfSetsThatDoNotOverlap(Random random) {
        PerRank a = PerRank.any(random, BOUND, false);
        PerRank b = PerRank.any(random, BOUND, false);
        ResourceSet setA = read(a, random);
        ResourceSet setB = read(b, random);
        ResourceSet rest = setB.diff(setA);

        assertThat(setA.append(rest)).isEqualTo(setA.union(rest));
        if (a.overlaps(b)) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> setA.append(setB))
                    .withMessageContaining("overlap");
        } else {
            assertThat(setA.append(setB)).isEqualTo(setA.union(setB));
        }
    }

    @Seeds
    void thePartsOfASetCombineToTheWholeSet(Random random) {
        ResourceSet set = read(PerRank.any(random, BOUND, false), random);
        ResourceSet other = read(PerRank.any(random, BOUND, false), random);
        Idset some = Idsets.small(random, BOUND);
        ResourceSet whole = set.union(ResourceSet.EMPTY);
        ResourceSet solid = set.remove(bare(set));

        assertThat(set.keep(some).append(set.remove(some))).isEqualTo(whole);
        assertThat(PerRank.of(solid.diff(other).union(solid.intersect(other))).children())
                .isEqualTo(PerRank.of(solid).children());
        assertThat(set.union(set)).isEqualTo(whole);
        assertThat(set.diff(set).ranks()).isEqualTo(Idset.EMPTY);
        assertThat(PerRank.of(set.union(other)).children())
                .isEqualTo(PerRank.of(other.union(set)).children());
    }

    /** Returns the ranks without resources, which neither a difference nor an intersection keeps if the other set has them. */
    private static Idset bare(ResourceSet set) {
        return set.groups().stream()
                .filter(group -> group.children().isEmpty())
                .map(Group::ranks)
                .findFirst()
                .orElse(Idset.EMPTY);
    }

    @Seeds
    void remapAndRerankAreThoseOfTheModel(Random random) {
        PerRank model = PerRank.any(random, BOUND, false);
        ResourceSet set = read(model, random);
        List<String> names = new ArrayList<>(model.hosts().values());
        Collections.shuffle(names, random);

        assertThat(PerRank.of(set.remap())).isEqualTo(model.remap());
        assertThat(PerRank.of(set.rerank(Hostlist.of(names))))
                .isEqualTo(model.renamed(rank -> names.indexOf(model.host(rank))));
        assertThat(set.remap().remap()).isEqualTo(set.remap());
    }

    @Seeds
    void propertiesAreThoseOfTheModel(Random random) {
        ResourceSet set = read(PerRank.any(random, BOUND, false), random);
        Idset some = Idsets.small(random, BOUND).intersect(set.ranks());
        Idset before = set.properties().getOrDefault("batch", Idset.EMPTY);

        assertThat(property(set.withProperty("batch", some))).isEqualTo(before.union(some));
        assertThat(property(set.withoutProperty("batch", some))).isEqualTo(before.subtract(some));
        assertThat(property(set.replaceProperty("batch", some))).isEqualTo(some);
        assertThat(set.replaceProperty("batch", some).replaceProperty("batch", before))
                .isEqualTo(set);
    }

    private static Idset property(ResourceSet set) {
        return set.properties().getOrDefault("batch", Idset.EMPTY);
    }

    @Seeds
    void ranksAreFoundByHostAndHostsByRank(Random random) {
        PerRank model = PerRank.any(random, BOUND, false);
        ResourceSet set = read(model, random);
        Idset some = Idsets.small(random, BOUND).intersect(set.ranks());

        assertThat(set.hosts()).isEqualTo(model.hostlist());
        assertThat(set.ranksOf(set.hostsOf(some))).isEqualTo(some);
        assertThat(set.targets(set.hostsOf(some).toString())).isEqualTo(some);
        assertThat(set.targets(some.toString())).isEqualTo(some);
        model.hosts().forEach((rank, host) -> assertThat(set.ranksOf(host)).isEqualTo(Idset.of(rank)));
    }

    @Seeds
    void countsAreThoseOfTheModel(Random random) {
        PerRank model = PerRank.any(random, BOUND, false);
        ResourceSet set = read(model, random);
        Idset some = Idsets.small(random, BOUND);

        assertThat(set.cores()).isEqualTo(count(model, "core"));
        assertThat(set.gpus()).isEqualTo(count(model, "gpu"));
        assertThat(set.count("memory", some)).isEqualTo(count(model.keep(some::contains), "memory"));
        assertThat(set.nodes()).isEqualTo(model.children().size());
    }

    private static long count(PerRank model, String type) {
        return model.children().values().stream()
                .mapToLong(own -> own.getOrDefault(type, new TreeSet<>()).size())
                .sum();
    }

    @Seeds
    void verificationMatchesDiffInBothDirections(Random random) {
        PerRank a = PerRank.any(random, BOUND, true);
        PerRank b = PerRank.any(random, BOUND, true);
        Map<Difference.Kind, Idset> found = byKind(read(a, random).verify(read(b, random)));

        b.hosts().forEach((rank, host) -> {
            boolean known = a.hosts().containsKey(rank);
            boolean same = known && a.host(rank).equals(host);
            PerRank expected = a.keep(r -> r == rank);
            PerRank actual = b.keep(r -> r == rank);
            assertThat(has(found, Difference.Kind.UNKNOWN_RANK, rank)).isEqualTo(!known);
            assertThat(has(found, Difference.Kind.HOSTNAME, rank)).isEqualTo(known && !same);
            assertThat(has(found, Difference.Kind.MISSING, rank))
                    .isEqualTo(same && !expected.diff(actual).children().isEmpty());
            assertThat(has(found, Difference.Kind.EXTRA, rank))
                    .isEqualTo(same && !actual.diff(expected).children().isEmpty());
        });
    }

    private static Map<Difference.Kind, Idset> byKind(List<Difference> differences) {
        Map<Difference.Kind, Idset> found = new EnumMap<>(Difference.Kind.class);
        differences.forEach(difference -> found.merge(difference.kind(), difference.ranks(), Idset::union));
        return found;
    }

    private static boolean has(Map<Difference.Kind, Idset> found, Difference.Kind kind, int rank) {
        return found.getOrDefault(kind, Idset.EMPTY).contains(rank);
    }

    /** Uses ranges of every shape, including those at which sets of ids change their form. */
    @Seeds(share = 0.2)
    void largeSetsAreWrittenReadAndSplit(Random random) {
        Idset ranks = Idsets.any(random);
        Idset some = Idsets.any(random);
        Idset gpus = Idset.range(0, 3);
        Hostlist hosts = ranks.isEmpty() ? Hostlist.EMPTY : Hostlist.parse("n[0-" + (ranks.size() - 1) + "]");
        ResourceSet set = ResourceSet.of(hosts, ranks, Idset.range(0, 63), Idset.EMPTY, Map.of("p", ranks));
        ResourceSet mixed = set.union(
                ResourceSet.of(set.hostsOf(ranks.intersect(some)), ranks.intersect(some), Idset.EMPTY, gpus, Map.of()));

        assertThat(mixed.gpus()).isEqualTo(4L * ranks.intersect(some).size());
        assertThat(ResourceSet.parse(mixed.toBytes())).isEqualTo(mixed);
        assertThat(mixed.keep(some).append(mixed.remove(some))).isEqualTo(mixed);
        assertThat(mixed.remap().ranks())
                .isEqualTo(Idset.builder()
                        .addAll(ranks.isEmpty() ? Idset.EMPTY : Idset.range(0, ranks.size() - 1))
                        .build());
        assertThat(mixed.remap().hosts()).isEqualTo(hosts);
        assertThat(mixed.ranksOf(mixed.hostsOf(ranks.intersect(some)))).isEqualTo(ranks.intersect(some));
    }
}
