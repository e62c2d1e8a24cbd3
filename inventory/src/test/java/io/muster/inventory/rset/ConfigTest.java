package io.muster.inventory.rset;

import static io.muster.inventory.rset.ResourceSetAlgebraTest.shortForm;
import static io.muster.inventory.rset.ResourceSetParseTest.json;
import static io.muster.inventory.rset.ResourceSetParseTest.quoted;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.Problem;
import io.muster.inventory.problem.Problems;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConfigTest {
    /** The example of flux-config-resource(5). */
    @Test
    void laterEntriesAddToTheResourcesOfEarlierEntries() {
        ResourceSet r = read("""
                [{'hosts':'test[1-100]','cores':'0-7'},{'hosts':'test[1,2]','gpus':'0-1'},
                {'hosts':'test[1-89]','properties':['batch']},{'hosts':'test[90-100]','properties':['debug']}]""");

        assertThat(shortForm(r)).isEqualTo("rank[0-1]/core[0-7],gpu[0-1] rank[2-99]/core[0-7]");
        assertThat(r.hosts()).hasToString("test[1-100]");
        assertThat(r.properties()).isEqualTo(Map.of("batch", Idset.range(0, 88), "debug", Idset.range(89, 99)));
        assertThat(ResourceSet.parse(r.toBytes())).isEqualTo(r);
    }

    @Test
    void ranksFollowTheOrderInWhichHostsAreFirstNamed() {
        ResourceSet r = read("[{'hosts':'z,a,z','cores':'0'},{'hosts':'m,a','gpus':'0'},{'hosts':'z','cores':'1'}]");

        assertThat(r.hosts()).hasToString("z,a,m");
        assertThat(shortForm(r)).isEqualTo("rank0/core[0-1] rank1/core0,gpu0 rank2/gpu0");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            []                                         | resource.config                   | no hosts configured
            {}                                         | resource.config                   | must be an array of tables, not an object
            [3]                                        | resource.config/0                 | must be a table, not a number
            [{}]                                       | resource.config/0/hosts           | hosts is missing
            [{'hosts':'','cores':'0'}]                 | resource.config/0/hosts           | names no host
            [{'hosts':'foo[p]','cores':'0'}]           | resource.config/0/hosts           | hostlist "foo[p]": not a decimal digit at position 4
            [{'hosts':7,'cores':'0'}]                  | resource.config/0/hosts           | must be a string, not a number
            [{'hosts':'a','cores':'0-'}]               | resource.config/0/cores           | idset "0-": the range has no end at position 2
            [{'hosts':'a','cores':'0','gpus':'2,1'}]   | resource.config/0/gpus            | idset "2,1": ids must ascend, but 1 comes after 2 at position 2
            [{'hosts':'a','cores':0}]                  | resource.config/0/cores           | must be a string, not a number
            [{'hosts':'a','cores':'0','junk':5}]       | resource.config/0/junk            | is not known; known are cores, gpus, hosts, properties
            [{'hosts':'a','cores':'0','properties':['de^bug']}]  | resource.config/0/properties/0 | property name "de^bug" has the illegal character ^
            [{'hosts':'a','cores':'0','properties':[1]}]         | resource.config/0/properties/0 | must be a string, not a number
            [{'hosts':'a','cores':'0','properties':'x'}]         | resource.config/0/properties   | must be an array of strings, not a string
            [{'hosts':'a','cores':'0'},{'hosts':'b[1-2]'}]       | resource.config                | b[1-2] assigned no resources
            [{'hosts':'a[1-9]','cores':'0-3'},{'hosts':'a[2-3],b','cores':'3-5'}] | resource.config/1/cores | core3 of a[2-3] is in an earlier entry already
            """)
    void refusesInvalidEntriesLikeFlux(String entries, String place, String sentence) {
        assertThat(problems(entries)).isEqualTo(place + ": " + sentence);
    }

    @Test
    void reportsTheProblemsOfAllEntries() {
        assertThat(problems("[{'hosts':'a','cores':'x'},{'cores':'0','extra':1},{'hosts':'b','gpus':'y'}]"))
                .contains("resource.config/0/cores: ", "resource.config/1/extra: ", "resource.config/1/hosts: ");
    }

    @Test
    void entriesMayBeGivenDirectly() {
        ConfigEntry entry = new ConfigEntry("x/7", Hostlist.of("a"), Idset.of(0), Idset.EMPTY, List.of("x|"));

        Problems problems = new Problems();
        assertThat(ResourceSet.fromConfig(List.of(entry, entry), problems)).isNull();
        assertThat(problems.errors())
                .extracting(Problem::place)
                .containsExactly("x/7/properties", "x/7/cores", "x/7/properties");
    }

    @Test
    void aMillionHostsAreOneGroup() {
        ResourceSet r = set(List.of(
                new ConfigEntry("0", Hostlist.parse("n[0-1048575]"), Idset.range(0, 63), Idset.EMPTY, List.of()),
                new ConfigEntry("1", Hostlist.parse("n[0-524287]"), Idset.EMPTY, Idset.range(0, 3), List.of("gpu"))));

        assertThat(shortForm(r)).isEqualTo("rank[0-524287]/core[0-63],gpu[0-3] rank[524288-1048575]/core[0-63]");
    }

    private static ResourceSet read(String entries) {
        Problems problems = new Problems();
        List<ConfigEntry> read = ConfigEntry.readAll(json(quoted(entries)), "resource.config", problems);
        assertThat(problems.errors()).isEqualTo(List.of());
        return set(read);
    }

    private static ResourceSet set(List<ConfigEntry> entries) {
        Problems problems = new Problems();
        ResourceSet r = ResourceSet.fromConfig(entries, problems);
        assertThat(problems.errors()).isEqualTo(List.of());
        return Objects.requireNonNull(r);
    }

    private static String problems(String entries) {
        Problems problems = new Problems();
        List<ConfigEntry> read = ConfigEntry.readAll(json(quoted(entries)), "resource.config", problems);
        assertThat(ResourceSet.fromConfig(read, problems)).isNull();
        return problems.errors().stream().map(Problem::toString).collect(Collectors.joining("\n"));
    }
}
