package io.muster.inventory.rset;

import static io.muster.inventory.rset.ResourceSetParseTest.execution;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares with what {@code flux R} of flux-core 0.88 prints for the same sets, unless a test says otherwise. */
class ResourceSetAlgebraTest {
    private static final ResourceSet A = set("foo[3-5]", "5,99,1000", "0-1", "1")
            .withProperty("xx", Idset.of(5))
            .withScheduling(json("42"));
    private static final ResourceSet B = set("foo[3,5]", "5,1000", "1-3", "").withProperty("yy", Idset.of(1000));

    @Test
    void anEncodedSetIsWrittenAsFluxWritesIt() {
        assertThat(A.withoutScheduling())
                .hasToString(execution("'R_lite':[{'rank':'5,99,1000','children':{'core':'0-1','gpu':'1'}}],"
                        + "'starttime':0.0,'expiration':0.0,'nodelist':['foo[3-5]'],'properties':{'xx':'5'}"));
    }

    /** A change reads its targets when it is found, decided and answered. */
    @Test
    void aTextThatIsReadAgainIsNotResolvedAgain() {
        Idset first = A.targets("foo[3,5]");
        assertThat(A.targets("foo[3,5]")).isSameAs(first);
        assertThat(A.targets("foo4")).hasToString("99");
        assertThat(A.targets("foo[3,5]")).isEqualTo(first);
    }

    @Test
    void unionHasTheIdsOfBoth() {
        assertThat(shortForm(A.union(B))).isEqualTo("rank[5,1000]/core[0-3],gpu1 rank99/core[0-1],gpu1");
        assertThat(A.union(B).hosts()).hasToString("foo[3-5]");
    }

    /** flux-core loses the properties of ranks that the second set covers. */
    @Test
    void unionHasThePropertiesOfBoth() {
        assertThat(A.union(B).properties()).isEqualTo(Map.of("xx", Idset.of(5), "yy", Idset.of(1000)));
    }

    @Test
    void diffRemovesIdsAndKeepsTheOtherPartsOfTheFirstSet() {
        ResourceSet diff = A.diff(B);

        assertThat(shortForm(diff)).isEqualTo("rank[5,1000]/core0,gpu1 rank99/core[0-1],gpu1");
        assertThat(diff.hosts()).hasToString("foo[3-5]");
        assertThat(diff.properties()).isEqualTo(Map.of("xx", Idset.of(5)));
        assertThat(diff.scheduling()).hasToString("42");
    }

    @Test
    void diffDropsRanksWithoutRemainingIds() {
        ResourceSet diff = A.diff(set("x[0-1]", "5,99", "0-7", "0-7"));

        assertThat(shortForm(diff)).isEqualTo("rank1000/core[0-1],gpu1");
        assertThat(diff.hosts()).hasToString("foo5");
        assertThat(diff.properties()).isEmpty();
    }

    @Test
    void intersectKeepsCommonIds() {
        ResourceSet both = A.intersect(B);

        assertThat(shortForm(both)).isEqualTo("rank[5,1000]/core1");
        assertThat(both.hosts()).hasToString("foo[3,5]");
    }

    /** flux-core's result has no properties, even for two equal sets. */
    @Test
    void intersectHasThePropertiesOfBoth() {
        assertThat(A.intersect(B).properties()).isEqualTo(Map.of("xx", Idset.of(5), "yy", Idset.of(1000)));
    }

    @Test
    void anEmptyResultHasNoScheduling() {
        assertThat(A.diff(A)).isEqualTo(ResourceSet.EMPTY);
        assertThat(A.intersect(set("a", "0", "0", ""))).isEqualTo(ResourceSet.EMPTY);
        assertThat(A.remove(A.ranks()).scheduling()).isNull();
        assertThat(A.keep(Idset.EMPTY).scheduling()).isNull();
    }

    @Test
    void appendCombinesSetsWithoutCommonIds() {
        ResourceSet appended = set("n[0-1]", "0-1", "0-1", "").append(set("n[1-2]", "1-2", "2-3", ""));

        assertThat(shortForm(appended)).isEqualTo("rank0/core[0-1] rank1/core[0-3] rank2/core[2-3]");
        assertThat(appended.hosts()).hasToString("n[0-2]");
    }

    @Test
    void appendRefusesCommonIds() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> A.append(B))
                .withMessage("resource sets overlap: both have rank[5,1000]/core1");
    }

    @Test
    void appendKeepsTheFirstSchedulingThatIsPresent() {
        ResourceSet other = set("a", "0", "0", "");

        assertThat(A.append(other).scheduling()).hasToString("42");
        assertThat(other.append(A).scheduling()).hasToString("42");
        assertThat(A.append(other.withScheduling(json("43"))).scheduling()).hasToString("42");
    }

    @Test
    void appendPutsHostsInTheOrderOfRanks() {
        ResourceSet odd = set("o[1,3,5]", "1,3,5", "0", "");
        ResourceSet even = set("e[0,2,4]", "0,2,4", "0", "");

        assertThat(odd.append(even).hosts().expand()).containsExactly("e0", "o1", "e2", "o3", "e4", "o5");
        assertThat(even.append(odd)).isEqualTo(odd.append(even));
    }

    /** flux-core silently takes one of the two names. */
    @Test
    void aRankWithDifferentHostsIsRefused() {
        ResourceSet elsewhere = set("foo3,bar9", "5,1000", "7", "");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> A.union(elsewhere))
                .withMessage("rank 1000 is host foo5 in one resource set and bar9 in the other");
        assertThatIllegalArgumentException().isThrownBy(() -> A.append(elsewhere));
        assertThatIllegalArgumentException().isThrownBy(() -> A.intersect(elsewhere));
    }

    @Test
    void aCombinationOfTwoSetsHasNeitherTimesNorSlots() {
        ResourceSet allocation = ResourceSet.parse(
                execution("'R_lite':[{'rank':'0','children':{'core':'0-3'}}],'nodelist':['a'],'nslots':4,"
                        + "'starttime':5,'expiration':9,'x':1"));
        ResourceSet other = set("a", "0", "1-4", "");
        String rest = "],'starttime':0.0,'expiration':0.0,'nodelist':['a'],'x':1";

        assertThat(allocation.union(other))
                .hasToString(execution("'R_lite':[{'rank':'0','children':{'core':'0-4'}}" + rest));
        assertThat(allocation.diff(other))
                .hasToString(execution("'R_lite':[{'rank':'0','children':{'core':'0'}}" + rest));
        assertThat(allocation.intersect(other))
                .hasToString(execution("'R_lite':[{'rank':'0','children':{'core':'1-3'}}" + rest));
    }

    @Test
    void aSubsetOfTheRanksKeepsTheTimesButNotTheSlots() {
        ResourceSet allocation = ResourceSet.parse(
                execution("'R_lite':[{'rank':'0-3','children':{'core':'0-3'}}],'starttime':5,'expiration':9,"
                        + "'nodelist':['a[0-3]'],'properties':{'p':'1','q':'0-2'},'nslots':4"));

        assertThat(allocation.remove(Idset.parse("1,7")))
                .hasToString(execution("'R_lite':[{'rank':'0,2-3','children':{'core':'0-3'}}],'starttime':5,"
                        + "'expiration':9,'nodelist':['a[0,2-3]'],'properties':{'q':'0,2'}"));
        assertThat(allocation.keep(Idset.parse("0,2-9"))).isEqualTo(allocation.remove(Idset.of(1)));
        assertThat(allocation.keep(Idset.range(0, 9))).isSameAs(allocation);
        assertThat(allocation.remove(Idset.range(4, 9))).isSameAs(allocation);
    }

    @Test
    void remapRenumbersRanksAndAllIdsButGpus() {
        ResourceSet r = set("a,b", "5,1000", "3,7", "2-3").union(set("c", "99", "1", ""));

        ResourceSet remapped = r.withProperty("p", Idset.of(99, 1000)).remap();

        assertThat(shortForm(remapped)).isEqualTo("rank[0,2]/core[0-1],gpu[2-3] rank1/core0");
        assertThat(remapped.hosts()).hasToString("a,c,b");
        assertThat(remapped.properties()).isEqualTo(Map.of("p", Idset.range(1, 2)));
    }

    @Test
    void remapGroupsRanksThatGetEqualIds() {
        ResourceSet r = set("a", "5", "3", "").union(set("b", "6", "4", ""));

        assertThat(shortForm(r.remap())).isEqualTo("rank[0-1]/core0");
    }

    @Test
    void rerankGivesTheFirstHostRankZero() {
        ResourceSet reranked = A.rerank(Hostlist.parse("foo[5,3,4]"));

        assertThat(shortForm(reranked)).isEqualTo("rank[0-2]/core[0-1],gpu1");
        assertThat(reranked.hosts()).hasToString("foo[5,3-4]");
        assertThat(reranked.properties()).isEqualTo(Map.of("xx", Idset.of(1)));
        assertThat(reranked.scheduling()).hasToString("42");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            foo[3-4]       | too few hosts: 2 were named, but the resource set has 3
            foo[3-6]       | host foo6 is not in the resource set
            foo[3,9],x     | hosts foo9,x are not in the resource set
            foo[3,3,4,5]   | a host is named twice: foo3
            ''             | too few hosts: 0 were named, but the resource set has 3
            """)
    void rerankNeedsEachHostOnce(String order, String sentence) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> A.rerank(Hostlist.parse(order)))
                .withMessage(sentence);
    }

    @Test
    void rerankRefusesASetWhoseHostsAreNotDistinct() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> set("a,a", "0-1", "0", "").rerank(Hostlist.of("a")))
                .withMessage("too few hosts: 1 were named, but the resource set has 2");
    }

    @Test
    void countsByTypeAndRanks() {
        assertThat(A.cores()).isEqualTo(6);
        assertThat(A.gpus()).isEqualTo(3);
        assertThat(A.nodes()).isEqualTo(3);
        assertThat(A.count("core", Idset.parse("5-99"))).isEqualTo(4);
        assertThat(A.count("memory", A.ranks())).isZero();
    }

    @Test
    void countsDoNotOverflow() {
        Idset many = Idset.range(0, (1 << 20) - 1);
        ResourceSet r = ResourceSet.of(Hostlist.parse("n[0-1048575]"), many, many, Idset.EMPTY, Map.of());

        assertThat(r.cores()).isEqualTo(1L << 40);
        assertThat(r.count("core", Idset.range(0, 8191))).isEqualTo(1L << 33);
    }

    @Test
    void ranksAreFoundByHostAndHostsByRank() {
        assertThat(A.hostOf(99)).isEqualTo("foo4");
        assertThat(A.ranksOf("foo5")).isEqualTo(Idset.of(1000));
        assertThat(A.ranksOf("foo6")).isEqualTo(Idset.EMPTY);
        assertThat(A.ranksOf(Hostlist.parse("foo[5,3]"))).isEqualTo(Idset.of(5, 1000));
        assertThat(A.hostsOf(Idset.of(5, 1000))).hasToString("foo[3,5]");
        assertThat(set("a,b,a", "0-2", "0", "").ranksOf("a")).isEqualTo(Idset.of(0, 2));
    }

    @Test
    void unknownHostsAndRanksAreNamed() {
        assertThatExceptionOfType(TargetException.class)
                .isThrownBy(() -> A.hostOf(6))
                .withMessage("rank 6 is not in the resource set, which has 5,99,1000");
        assertThatExceptionOfType(TargetException.class)
                .isThrownBy(() -> A.hostsOf(Idset.range(4, 6)))
                .withMessage("ranks 4,6 are not in the resource set, which has 5,99,1000");
        assertThatExceptionOfType(TargetException.class)
                .isThrownBy(() -> A.ranksOf(Hostlist.parse("foo[2-6],bar,bar")))
                .withMessage("hosts bar,foo[2,6] are not in the resource set")
                .satisfies(e -> assertThat(e.missingHosts()).isEqualTo(Hostlist.parse("bar,foo[2,6]")));
        assertThatExceptionOfType(TargetException.class)
                .isThrownBy(() -> ResourceSet.EMPTY.hostOf(0))
                .withMessage("rank 0 is not in the resource set, which has no ranks");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            5-5,x          | ranks and hosts cannot be mixed: no host is named 5-5,x; name only ranks, or only hosts
            5,1000         | 5,1000
            [99]           | 99
            foo[3-4]       | 5,99
            foo5           | 1000
            ''             | ''
            5,6            | rank 6 is not in the resource set, which has 5,99,1000
            foo[4-6]       | host foo6 is not in the resource set
            1000,5         | idset "1000,5": ids must ascend, but 5 comes after 1000 at position 5
            foo[           | hostlist "foo[": '[' is never closed at position 3
            """)
    void targetsAreReadAsRanksOrElseAsHosts(String targets, String expected) {
        assertThat(outcome(targets)).isEqualTo(expected);
    }

    @Test
    void aHostThatLooksLikeABrokenIdsetIsFound() {
        assertThat(set("3-1", "0", "0", "").targets("3-1")).isEqualTo(Idset.of(0));
    }

    @Test
    void propertiesAreAddedReplacedAndRemoved() {
        ResourceSet r = set("n[0-3]", "0-3", "0", "").withProperty("p", Idset.of(1));

        assertThat(r.withProperty("p", Idset.of(3)).properties()).isEqualTo(Map.of("p", Idset.of(1, 3)));
        assertThat(r.replaceProperty("p", Idset.of(3)).properties()).isEqualTo(Map.of("p", Idset.of(3)));
        assertThat(r.withoutProperty("p", Idset.range(0, 99)).properties()).isEmpty();
        assertThat(r.withoutProperty("q", Idset.of(0))).isSameAs(r);
        assertThat(r.withProperty("p", Idset.of(1))).isSameAs(r);
        assertThat(r.properties()).isEqualTo(Map.of("p", Idset.of(1)));
    }

    @Test
    void aPropertyNeedsKnownRanksAndALegalName() {
        assertThatExceptionOfType(TargetException.class)
                .isThrownBy(() -> A.withProperty("p", Idset.range(4, 5)))
                .withMessage("rank 4 is not in the resource set, which has 5,99,1000");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> A.withProperty("a|b", Idset.of(5)))
                .withMessage("property name \"a|b\" has the illegal character |");
    }

    @ParameterizedTest
    @CsvSource({"1676562342, 1676562342.0", "1676562342.123456, 1676562342.123456", "0, 0.0", "1e10, 10000000000.0"})
    void expirationIsWrittenAsAFloatInPlainDigits(double seconds, String text) {
        ResourceSet r = A.withExpiration(seconds);

        assertThat(r.expiration()).isEqualTo(seconds);
        assertThat(r.toString()).contains("\"expiration\":" + text + ",");
        assertThat(ResourceSet.parse(r.toString())).isEqualTo(r);
    }

    @ParameterizedTest
    @ValueSource(doubles = {-1, Double.NaN, Double.POSITIVE_INFINITY, 5, 4.5})
    void expirationMustBeATimeAfterTheStart(double seconds) {
        ResourceSet r = ResourceSet.parse(execution("'R_lite':[],'nodelist':[''],'starttime':5"));

        assertThatIllegalArgumentException().isThrownBy(() -> r.withExpiration(seconds));
        assertThat(r.withExpiration(0).expiration()).isZero();
        assertThat(r.withExpiration(5.5).expiration()).isEqualTo(5.5);
    }

    @Test
    void aSetNeedsAsManyHostsAsRanks() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> set("foo[1-2]", "0-2", "0", ""))
                .withMessage("nodelist has 2 hosts, but R_lite has 3 ranks");
        assertThatExceptionOfType(TargetException.class)
                .isThrownBy(() -> ResourceSet.of(
                        Hostlist.of("a"), Idset.of(0), Idset.EMPTY, Idset.EMPTY, Map.of("p", Idset.of(1))));
    }

    private static String outcome(String targets) {
        try {
            return A.targets(targets).toString();
        } catch (IllegalArgumentException e) {
            return String.valueOf(e.getMessage());
        }
    }

    static String shortForm(ResourceSet r) {
        return String.join(" ", r.groups().stream().map(Group::toString).toList());
    }

    static ResourceSet set(String hosts, String ranks, String cores, String gpus) {
        return ResourceSet.of(
                Hostlist.parse(hosts), Idset.parse(ranks), Idset.parse(cores), Idset.parse(gpus), Map.of());
    }

    private static JsonNode json(String text) {
        return ResourceSetParseTest.json(text);
    }
}
