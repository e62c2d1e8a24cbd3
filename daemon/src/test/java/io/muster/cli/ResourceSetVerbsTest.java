package io.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.cli.Shell.Result;
import io.muster.cli.terminal.Exit;
import org.junit.jupiter.api.Test;

/** Tests `muster R` with the test cases of flux R. */
class ResourceSetVerbsTest {
    private static String r(String... arguments) {
        return piped("", arguments);
    }

    private static String piped(String in, String... arguments) {
        Result result = run(in, arguments);
        assertThat(result.err()).isEmpty();
        assertThat(result.exit()).isZero();
        return result.out();
    }

    private static Result run(String in, String... arguments) {
        String[] all = new String[arguments.length + 1];
        all[0] = "R";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        return new Shell().typing(in).run(all);
    }

    private static final String PAIR = r("encode", "-H", "foo[0-1]", "-c", "0-3", "-g", "0", "-p", "fast:1");

    @Test
    void encodeWritesEqualRanksAndDecodePrintsThem() {
        assertThat(PAIR)
                .isEqualTo(
                        "{\"version\":1,\"execution\":{\"R_lite\":[{\"rank\":\"0-1\",\"children\":{\"core\":\"0-3\",\"gpu\":\"0\"}}],"
                                + "\"starttime\":0.0,\"expiration\":0.0,\"nodelist\":[\"foo[0-1]\"],\"properties\":{\"fast\":\"1\"}}}\n");
        assertThat(piped(PAIR, "decode", "-s")).isEqualTo("rank[0-1]/core[0-3],gpu0\n");
        assertThat(piped(PAIR, "decode", "-n", "-r")).isEqualTo("foo[0-1]\n0-1\n");
        assertThat(piped(PAIR, "decode", "-c", "core")).isEqualTo("8\n");
        assertThat(piped(PAIR, "decode", "-c", "node")).isEqualTo("2\n");
        assertThat(piped(PAIR, "decode", "-c", "gpu", "-x", "0")).isEqualTo("1\n");
        assertThat(piped(PAIR, "decode", "-n", "-p", "fast")).isEqualTo("foo1\n");
        assertThat(piped(PAIR, "decode", "-n", "-p", "^fast")).isEqualTo("foo0\n");
        assertThat(piped(PAIR, "decode", "-n", "-p", "foo0")).isEqualTo("foo0\n");
        assertThat(piped(PAIR, "decode", "-n", "-i", "1,7")).isEqualTo("foo1\n");
    }

    @Test
    void encodeHasTheDefaultsOfFlux() {
        assertThat(piped(r("encode"), "decode", "-s")).isEqualTo("rank0/core0\n");
        assertThat(piped(r("encode", "-r", "2-3", "-g", "0"), "decode", "-s")).isEqualTo("rank[2-3]/gpu0\n");
        assertThat(run("", "encode", "-r", "0-2", "-H", "foo[1-2]").err())
                .contains("2 hosts in foo[1-2] and 3 ranks in 0-2");
        assertThat(run("", "encode", "-r", "x").exit()).isEqualTo(Exit.USAGE);
        assertThat(run("", "encode", "-H", "n[").exit()).isEqualTo(Exit.USAGE);
    }

    @Test
    void setsAreCombinedByUnionDiffIntersectAndAppend() {
        String more = r("encode", "-r", "1-2", "-H", "foo[1-2]", "-c", "2-5");
        assertThat(piped(piped(PAIR + more, "union"), "decode", "-s"))
                .isEqualTo("rank0/core[0-3],gpu0 rank1/core[0-5],gpu0 rank2/core[2-5]\n");
        assertThat(piped(piped(PAIR + more, "diff"), "decode", "-s"))
                .isEqualTo("rank0/core[0-3],gpu0 rank1/core[0-1],gpu0\n");
        assertThat(piped(piped(PAIR + more, "intersect"), "decode", "-s")).isEqualTo("rank1/core[2-3]\n");
        assertThat(run(PAIR + more, "append").err()).contains("overlap").contains("rank1/core[2-3]");
        assertThat(run(PAIR, "diff").err()).contains("1 set where at least 2 are needed");
    }

    @Test
    void remapRenumbersRanksAndRerankReordersThem() {
        String late = r("encode", "-r", "5,9", "-H", "a,b", "-c", "2-3", "-p", "p:9");
        assertThat(piped(late, "remap"))
                .contains("\"rank\":\"0-1\",\"children\":{\"core\":\"0-1\"}")
                .contains("\"p\":\"1\"");
        assertThat(piped(late, "rerank", "b,a")).contains("\"nodelist\":[\"b,a\"],\"properties\":{\"p\":\"0\"}");
        assertThat(run(late, "rerank", "a,a").exit()).isEqualTo(Exit.ERROR);
    }

    @Test
    void setPropertySetsPropertiesAndRefusesUnknownRanks() {
        assertThat(piped(PAIR, "set-property", "fast:0", "all"))
                .contains("\"properties\":{\"all\":\"0-1\",\"fast\":\"0\"}");
        assertThat(run(PAIR, "set-property", "x:9").err()).contains("rank 9 is not in the resource set");
    }

    @Test
    void verifyReportsMissingAndExtraResources() {
        String less = r("encode", "-r", "1", "-H", "foo1", "-c", "0-2", "-g", "0");
        Result missing = run(PAIR + less, "verify");
        assertThat(missing.exit()).isEqualTo(Exit.ERROR);
        assertThat(missing.err()).isEqualTo("rank 1 (foo1) missing resources: core3\n");
        Result extra =
                run(less + PAIR.replace("0-1\",\"children", "1\",\"children").replace("foo[0-1]", "foo1"), "verify");
        assertThat(extra.exit()).isZero();
        assertThat(extra.err()).contains("extra resources: core3");
    }

    @Test
    void malformedSetsAreRefusedWithTheirPosition() {
        assertThat(run(PAIR + "junk", "decode").err()).startsWith("muster R decode: standard input, set 2: not JSON");
        assertThat(run("{}", "decode").exit()).isEqualTo(Exit.ERROR);
        assertThat(run("", "decode").err()).contains("0 sets where at least 1 is needed");
    }
}
