package io.muster.inventory.rset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.StrictJson;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.Problem;
import io.muster.inventory.problem.Problems;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ResourceSetParseTest {
    /** RFC 20, "Example R". */
    static final String RFC20_EXAMPLE = """
            {
              "version": 1,
              "execution": {
                "R_lite": [
                  {
                    "rank": "19-22",
                    "children": {
                      "core": "0-47",
                      "gpu": "0-7"
                    }
                  }
                ],
                "nodelist": [
                  "node[186-189]"
                ],
                "starttime": 1676560542,
                "expiration": 1676562342
              }
            }
            """;

    /** RFC 28, the resources of the example of "Initial Acquire Response". */
    static final String RFC28_EXAMPLE = """
            {
            "version": 1,
            "execution": {
            "R_lite": [
            {
            "rank": "0-5",
            "children": {
            "core": "0-5",
            "gpu": "0"
            }
            }
            ],
            "starttime": 0,
            "expiration": 0,
            "nodelist": [
            "host[0-5]"
            ]
            }
            }
            """;

    private static final String EXECUTION =
            "{'R_lite':[{'rank':'0-1','children':{'core':'0-3'}}],'nodelist':['n[0-1]']}";

    @Test
    void readsTheExampleOfRfc20() {
        ResourceSet r = ResourceSet.parse(RFC20_EXAMPLE);

        assertThat(r.ranks()).isEqualTo(Idset.range(19, 22));
        assertThat(r.hosts()).hasToString("node[186-189]");
        assertThat(r.hostOf(20)).isEqualTo("node187");
        assertThat(r.ranksOf("node189")).isEqualTo(Idset.of(22));
        assertThat(r.nodes()).isEqualTo(4);
        assertThat(r.cores()).isEqualTo(4 * 48);
        assertThat(r.gpus()).isEqualTo(4 * 8);
        assertThat(r.starttime()).isEqualTo(1676560542);
        assertThat(r.expiration()).isEqualTo(1676562342);
        assertThat(r.groups()).hasToString("[rank[19-22]/core[0-47],gpu[0-7]]");
        assertThat(r.toJson()).isEqualTo(json(RFC20_EXAMPLE));
    }

    @Test
    void readsTheExampleOfRfc28InWhichZeroTimesAreUnset() {
        ResourceSet r = ResourceSet.parse(RFC28_EXAMPLE);

        assertThat(r.starttime()).isZero();
        assertThat(r.expiration()).isZero();
        assertThat(r.toJson()).isEqualTo(json(RFC28_EXAMPLE));
    }

    @Test
    void keepsUnknownKeysAndTheFormOfNumbers() {
        String text = "{\"version\":1,\"execution\":{\"R_lite\":[{\"rank\":\"0\",\"children\":{\"core\":\"0\","
                + "\"memory\":\"0-3\"},\"x\":[1.50]}],\"starttime\":1676560542,\"expiration\":1676562342.250,"
                + "\"nodelist\":[\"a\"],\"properties\":{\"+inst\":\"0\",\"amd@gpu\":\"0\"},\"nslots\":4,"
                + "\"future\":{\"a\":null}},\"scheduling\":42,\"attributes\":{\"system\":{\"n\":0.0,\"m\":1e2}},"
                + "\"comment\":\"caf\u00e9 \\\"x\\\"\"}";

        assertThat(ResourceSet.parse(text)).hasToString(text.replace("1e2", "1E+2"));
        assertThat(ResourceSet.parse(text.getBytes(StandardCharsets.UTF_8)).toBytes())
                .asString(StandardCharsets.UTF_8)
                .isEqualTo(text.replace("1e2", "1E+2"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"42", "'opaque'", "null", "[]", "{'graph':{'nodes':[],'edges':[]},'writer':'fluxion'}", "true"})
    void keepsAnyScheduling(String scheduling) {
        String text = quoted("{'version':1,'execution':" + EXECUTION + ",'scheduling':" + scheduling + "}");

        assertThat(ResourceSet.parse(text)).hasToString(text);
    }

    @Test
    void writesRanksInOrderGroupedByEqualResourcesAndOneNodelistEntry() {
        String r = execution("""
                'R_lite':[{'rank':'5','children':{'gpu':'0','core':'0-1'}},{'rank':'1','children':{'core':'0-1'}},
                {'rank':'7','children':{'core':'[0,1]','gpu':''}},{'rank':'0','children':{'core':'0,1','gpu':'0'}}],
                'nodelist':['n[0-2]','n3']""");

        assertThat(ResourceSet.parse(r))
                .hasToString(execution("'R_lite':[{'rank':'0,5','children':{'core':'0-1','gpu':'0'}},"
                        + "{'rank':'1,7','children':{'core':'0-1'}}],'nodelist':['n[0-3]']"));
    }

    @Test
    void mapsHostsToRanksInAscendingOrderOfRank() {
        ResourceSet r = ResourceSet.parse(
                execution("'R_lite':[{'rank':'1','children':{'core':'0'}},{'rank':'0','children':{'core':'0'}}],"
                        + "'nodelist':['a','b']"));

        assertThat(r.hostOf(0)).isEqualTo("a");
        assertThat(r.hostOf(1)).isEqualTo("b");
    }

    @Test
    void keepsEntriesWithDifferentUnknownKeysSeparate() {
        String r = execution("'R_lite':[{'rank':'0','children':{'core':'0'},'x':1},"
                + "{'rank':'1','children':{'core':'0'}}],'nodelist':['n[0-1]']");

        assertThat(ResourceSet.parse(r)).hasToString(r);
    }

    @Test
    void readsAndWritesTheEmptySetAsFluxDoes() {
        String r = execution("'R_lite':[],'nodelist':['']");

        assertThat(ResourceSet.parse(r).ranks()).isEqualTo(Idset.EMPTY);
        assertThat(ResourceSet.parse(r)).hasToString(r);
        assertThat(ResourceSet.EMPTY)
                .hasToString(execution("'R_lite':[],'starttime':0.0,'expiration':0.0,'nodelist':['']"));
    }

    @Test
    void aRankWithoutCoresIsWrittenWithAnEmptyMemberCore() {
        assertThat(ResourceSet.parse(execution("'R_lite':[{'rank':'0','children':{'gpu':'0'}}],'nodelist':['a']")))
                .hasToString(execution("'R_lite':[{'rank':'0','children':{'core':'','gpu':'0'}}],'nodelist':['a']"));
    }

    @Test
    void warnsAboutDeviationsThatAreAccepted() {
        Problems problems = new Problems();
        JsonNode r =
                json(execution("'R_lite':[{'rank':'0','children':{'gpu':'0'}},{'rank':'','children':{'core':'1'}}],"
                        + "'nodelist':['a'],'properties':{'p':''}"));

        ResourceSet set = Objects.requireNonNull(ResourceSet.parse(r, problems));

        assertThat(problems.warnings())
                .containsExactly(
                        new Problem("/execution/R_lite/0/children", "has no core; it is taken as no cores"),
                        new Problem("/execution/R_lite/1/rank", "names no rank; the entry is dropped"),
                        new Problem("/execution/properties/p", "is on no rank; it is dropped"));
        assertThat(set.properties()).isEmpty();
        assertThat(set.ranks()).isEqualTo(Idset.of(0));
    }

    static Stream<Arguments> malformed() {
        return Stream.of(
                bad("[]", "", "must be a JSON object, not an array"),
                bad("", "", "must be a JSON object, not nothing"),
                bad("null", "", "must be a JSON object, not null"),
                bad("{} {}", "", "is not JSON: it goes on after the end of the value at line 1, column 4"),
                bad(
                        "{'version':1,'version':1}",
                        "",
                        "is not JSON: it has a key twice in one object at line 1, column "),
                bad("{'version':1,", "", "is not JSON: it ends too early at line 1, column "),
                bad("{'version':01}", "", "is not JSON: it cannot be read at line 1, column "),
                bad("[".repeat(300), "", "is not JSON: it is nested too deep"),
                bad("{'version':'\\ud800'}", "/version", "has half of a surrogate pair"),
                bad("{'x':1e29999999999999}", "", "has a number that is out of range"),
                bad("{'x':{'y~':[9223372036854775808]}}", "/x/y~0/0", "is an integer of more than 64 bits"),
                bad("{'x':[-1e309]}", "/x/0", "is out of a double's range"),
                bad("{'x':'a\\u0000'}", "/x", "has the character U+0000, which no string may have"),
                bad("{'x':'\\u001b[2J'}", "/x", "has the character U+001B, which no string may have"),
                bad("{'x':'\u009b'}", "/x", "has the character U+009B, which no string may have"),
                bad("{'a\\u0000':1}", "/a\\u0000", "the key has the character U+0000, which no name may have"),
                bad("{'a\\nb':1}", "/a\\nb", "the key has the character U+000A, which no name may have"),
                bad("{'x':1e-10001}", "", "has a number that is out of range"),
                bad("{'version':1}", "", "has neither execution nor scheduling"),
                bad("{'execution':" + EXECUTION + "}", "/version", "version is missing"),
                bad("{'version':2,'execution':" + EXECUTION + "}", "/version", "must be the integer 1, not 2"),
                bad("{'version':1.0,'execution':" + EXECUTION + "}", "/version", "must be the integer 1, not 1.0"),
                bad("{'version':'1','execution':" + EXECUTION + "}", "/version", "must be the integer 1, not a string"),
                bad("{'version':4294967297,'execution':" + EXECUTION + "}", "/version", "must be the integer 1, not"),
                bad("{'version':1,'execution':[]}", "/execution", "must be an object, not an array"),
                bad("{'version':1,'scheduling':42}", "/scheduling", "has no graph, so that"),
                inExecution("'nodelist':['']", "/execution/R_lite", "R_lite is missing"),
                inExecution("'R_lite':{},'nodelist':['']", "/execution/R_lite", "must be an array, not an object"),
                inExecution("'R_lite':[]", "/execution/nodelist", "nodelist is missing"),
                inExecution("'R_lite':[],'nodelist':'a'", "/execution/nodelist", "must be an array, not a string"),
                inExecution(
                        "'R_lite':[],'nodelist':[7]",
                        "/execution/nodelist/0",
                        "must be a hostlist string, not a number"),
                inExecution("'R_lite':[],'nodelist':['','a[2-1]']", "/execution/nodelist/1", "hostlist \"a[2-1]\": "),
                inExecution(
                        "'R_lite':[],'nodelist':['a']",
                        "/execution/nodelist",
                        "nodelist has 1 host, but R_lite has 0 ranks"),
                inExecution(
                        entry("'rank':'0-3','children':{'core':'0'}") + ",'nodelist':['a[0-2]']",
                        "/execution/nodelist",
                        "nodelist has 3 hosts, but R_lite has 4 ranks"),
                inExecution("'R_lite':[3],'nodelist':['']", "/execution/R_lite/0", "must be an object, not a number"),
                inEntry("'children':{'core':'0'}", "/rank", "rank is missing"),
                inEntry("'rank':0,'children':{'core':'0'}", "/rank", "must be an idset string, not a number"),
                inEntry("'rank':'01','children':{'core':'0'}", "/rank", "idset \"01\": "),
                inEntry("'rank':'0'", "/children", "children is missing"),
                inEntry("'rank':'0','children':'core'", "/children", "must be an object, not a string"),
                inEntry("'rank':'0','children':{'core':3}", "/children/core", "must be an idset string, not a number"),
                inEntry("'rank':'0','children':{'core':'3-1'}", "/children/core", "idset \"3-1\": "),
                inEntry(
                        "'rank':'0','children':{'core':'0','a/b':{}}",
                        "/children/a~1b",
                        "must be an idset string, not an object"),
                withProperties("[]", "", "must be an object, not an array"),
                withProperties("{'p':7}", "/p", "must be an idset string, not a number"),
                withProperties("{'p':'x'}", "/p", "idset \"x\": "),
                withProperties("{'p':'0-5,9'}", "/p", "ranks 2-5,9 not in R_lite"),
                withProperties("{'p':'2'}", "/p", "rank 2 not in R_lite"),
                withProperties("{'a\\r':'0'}", "/a\\u000d", "the key has the character U+000D, which no name may have"),
                withProperties("{'':'0'}", "/", "a property name is empty"),
                withTimes("'starttime':'1'", "/execution/starttime", "must be seconds since the epoch, not a string"),
                withTimes("'starttime':null", "/execution/starttime", "must be seconds since the epoch, not null"),
                withTimes("'expiration':1e400", "/execution/expiration", "is out of a double's range"),
                withTimes(
                        "'starttime':2.5,'expiration':1",
                        "/execution/expiration",
                        "expiration 1 must be after starttime 2.5"),
                withTimes(
                        "'starttime':2,'expiration':2",
                        "/execution/expiration",
                        "expiration 2 must be after starttime 2"),
                withTimes("'nslots':'4'", "/execution/nslots", "must be an integer, not a string"));
    }

    @ParameterizedTest
    @MethodSource
    void malformed(String r, String place, String sentence) {
        InvalidException refusal = refusal(r);

        assertThat(refusal.problems()).hasSize(1);
        assertThat(refusal.problems().get(0).place()).isEqualTo(place);
        assertThat(refusal.problems().get(0).sentence()).startsWith(sentence);
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1",
        "1.0, 1.0",
        "1.50, 1.50",
        "1e0, 1.0",
        "1e2, 1E+2",
        "9223372036854775807, 9223372036854775807",
        "-0, 0",
        "-0.0, 0.0",
        "-0.50, -0.50",
        "1e-7, 1E-7"
    })
    void integersAndFloatsKeepTheirForm(String number, String written) {
        String r = execution("'R_lite':[],'nodelist':[''],'x':%s");

        assertThat(ResourceSet.parse(r.replace("%s", number))).hasToString(r.replace("%s", written));
    }

    @ParameterizedTest
    @ValueSource(strings = {"!", "&", "'", "\\\"", "^", "`", "|", "(", ")"})
    void refusesPropertyNamesWithTheCharactersThatRfc20Forbids(String character) {
        String name = "a" + character + "b";
        String r = "{\"version\":1,\"execution\":{\"R_lite\":[],\"nodelist\":[\"\"],\"properties\":{\"" + name
                + "\":\"\"}}}";

        assertThat(refusal(r).problems())
                .containsExactly(new Problem(
                        "/execution/properties/" + name.replace("\\", ""),
                        "property name \"" + name.replace("\\", "") + "\" has the illegal character "
                                + character.replace("\\", "")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a b", "+inst", "amd-mi50@gpu", "\u00e9t\u00e9", "-", "*"})
    void acceptsOtherPropertyNames(String name) {
        String r = execution(
                "'R_lite':[{'rank':'0','children':{'core':'0'}}],'nodelist':['a'],'properties':{'" + name + "':'0'}");

        assertThat(ResourceSet.parse(r)).hasToString(r);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"'starttime':5,'expiration':0", "'starttime':5,'expiration':-1.0", "'starttime':-1", "'nslots':0"
            })
    void acceptsUnsetTimesAndSlots(String keys) {
        assertThat(ResourceSet.parse(execution("'R_lite':[],'nodelist':['']," + keys))
                        .expiration())
                .isZero();
    }

    @Test
    void namesTheEarlierEntryOfARepeatedRank() {
        String r = execution("'R_lite':[{'rank':'0-7','children':{'core':'0'}},{'rank':'8','children':{'core':'1'}},"
                + "{'rank':'7,9','children':{'core':'1'}},{'rank':'3-4,8','children':{'core':'0'}}],"
                + "'nodelist':['n[0-99]']");

        assertThat(refusal(r).problems())
                .containsExactly(
                        new Problem("/execution/R_lite/2/rank", "rank 7 appears twice (also in /execution/R_lite/0)"),
                        new Problem("/execution/R_lite/3/rank", "ranks 3-4 appear twice (also in /execution/R_lite/0)"),
                        new Problem("/execution/R_lite/3/rank", "rank 8 appears twice (also in /execution/R_lite/1)"));
    }

    @Test
    void reportsAllProblemsAtOnce() {
        String r = "{'version':3,'execution':{'R_lite':[{'rank':'x','children':{'core':7}},{'rank':'0'}],"
                + "'nodelist':['a]'],'properties':{'p|':'0-'},'starttime':[],'expiration':{},'nslots':true}}";

        assertThat(refusal(quoted(r)).problems())
                .extracting(Problem::place)
                .containsExactly(
                        "/version",
                        "/execution/R_lite/0/rank",
                        "/execution/R_lite/0/children/core",
                        "/execution/R_lite/1/children",
                        "/execution/nodelist/0",
                        "/execution/properties/p|",
                        "/execution/properties/p|",
                        "/execution/starttime",
                        "/execution/expiration",
                        "/execution/nslots");
    }

    @Test
    void refusesBytesThatAreNotUtf8() {
        assertThatExceptionOfType(InvalidException.class)
                .isThrownBy(() -> ResourceSet.parse(new byte[] {'{', '"', (byte) 0xff, '"', ':', '1', '}'}))
                .withMessage("R: is not valid UTF-8");
    }

    @Test
    void aLaterChangeOfATreeDoesNotChangeTheSet() {
        JsonNode r = json(quoted("{'version':1,'execution':" + EXECUTION + ",'scheduling':{'a':[1]}}"));
        ResourceSet set = ResourceSet.parse(r);
        String before = set.toString();

        ((ObjectNode) r.get("scheduling")).put("b", 2);
        set.toJson().putObject("execution");

        assertThat(set).hasToString(before);
    }

    private static InvalidException refusal(String r) {
        InvalidException refusal = catchThrowableOfType(InvalidException.class, () -> ResourceSet.parse(r));
        assertThat(refusal).as(r).isNotNull();
        return refusal;
    }

    private static Arguments bad(String r, String place, String sentence) {
        return Arguments.of(quoted(r), place, sentence);
    }

    private static Arguments inExecution(String members, String place, String sentence) {
        return Arguments.of(execution(members), place, sentence);
    }

    private static Arguments inEntry(String members, String place, String sentence) {
        return inExecution(entry(members) + ",'nodelist':['a']", "/execution/R_lite/0" + place, sentence);
    }

    private static Arguments withProperties(String properties, String place, String sentence) {
        String rest = entry("'rank':'0-1','children':{'core':'0'}") + ",'nodelist':['a[0-1]'],'properties':";
        return inExecution(rest + properties, "/execution/properties" + place, sentence);
    }

    private static Arguments withTimes(String members, String place, String sentence) {
        return inExecution("'R_lite':[],'nodelist':['']," + members, place, sentence);
    }

    private static String entry(String members) {
        return "'R_lite':[{" + members + "}]";
    }

    static String execution(String members) {
        return quoted("{'version':1,'execution':{" + members.replace("\n", "") + "}}");
    }

    /** Returns JSON from text with ' in place of ", which is easier to read in Java. */
    static String quoted(String json) {
        return json.replace('\'', '"');
    }

    static JsonNode json(String text) {
        Problems problems = new Problems();
        JsonNode tree = StrictJson.read(text, problems);
        assertThat(problems.errors()).isEqualTo(List.of());
        return Objects.requireNonNull(tree);
    }
}
