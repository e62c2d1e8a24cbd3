package io.muster.inventory.hostlist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.MalformedException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostlistTest {
    /** The first nine are the test vectors of RFC 29. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ''                   | ''                                                  | ''
            foox,fooy,fooz       | foox,fooy,fooz                                      | foox,fooy,fooz
            [1-3,5-6]            | 1,2,3,5,6                                           | [1-3,5-6]
            foo[1-5]             | foo1,foo2,foo3,foo4,foo5                            | foo[1-5]
            foo[0-4]-eth2        | foo0-eth2,foo1-eth2,foo2-eth2,foo3-eth2,foo4-eth2   | foo0-eth2,foo1-eth2,foo2-eth2,foo3-eth2,foo4-eth2
            foo1,foo1,foo1       | foo1,foo1,foo1                                      | foo[1,1,1]
            [00-02]              | 00,01,02                                            | [00-02]
            [00-2]               | 00,01,02                                            | [00-02]
            foo[1,1,2,1]         | foo1,foo1,foo2,foo1                                 | foo[1,1-2,1]
            foo[00-2]            | foo00,foo01,foo02                                   | foo[00-02]
            foo[9-10]            | foo9,foo10                                          | foo[9-10]
            foo[009-10]          | foo009,foo010                                       | foo[009-010]
            foo1,foo01,foo001    | foo1,foo01,foo001                                   | foo1,foo01,foo001
            foo09,foo10          | foo09,foo10                                         | foo[09-10]
            foo10,foo09          | foo10,foo09                                         | foo10,foo09
            foo[005,4,11-13]     | foo005,foo4,foo11,foo12,foo13                       | foo005,foo[4,11-13]
            foo[098-101]         | foo098,foo099,foo100,foo101                         | foo[098-101]
            foo[5-5]             | foo5                                                | foo5
            foo1[2-3]            | foo12,foo13                                         | foo[12-13]
            foo1[8-11]           | foo18,foo19,foo110,foo111                           | foo[18-19,110-111]
            foo0[8-11]           | foo08,foo09,foo010,foo011                           | foo[08-09],foo[010-011]
            foo[1-2]3            | foo13,foo23                                         | foo[13,23]
            foo-1a-2,foo-1a-3    | foo-1a-2,foo-1a-3                                   | foo-1a-[2-3]
            foo1,fooi,foo2,foo3  | foo1,fooi,foo2,foo3                                 | foo1,fooi,foo[2-3]
            p[00-3]p             | p00p,p01p,p02p,p03p                                 | p00p,p01p,p02p,p03p
            14636                | 14636                                               | 14636
            foo[3]-x             | foo3-x                                              | foo3-x
            rack[0-1]-node       | rack0-node,rack1-node                               | rack0-node,rack1-node
            node[0-3],login      | node0,node1,node2,node3,login                       | node[0-3],login
            foo[1][2]            | foo12                                               | foo12
            r[0-1]n[00-01]       | r0n00,r0n01,r1n00,r1n01                             | r0n[00-01],r1n[00-01]
            r[09-10,3]n[1-2]     | r09n1,r09n2,r10n1,r10n2,r3n1,r3n2                   | r09n[1-2],r10n[1-2],r3n[1-2]
            a[1-2]b[3]c[4-5]-i   | a1b3c4-i,a1b3c5-i,a2b3c4-i,a2b3c5-i                 | a1b3c4-i,a1b3c5-i,a2b3c4-i,a2b3c5-i
            a[0-1][8-10]         | a08,a09,a010,a18,a19,a110                           | a[08-09],a010,a[18-19,110]
            foo99999999999999999999 | foo99999999999999999999                          | foo99999999999999999999
            """)
    void validTextIsReadAndWrittenCanonically(String text, String names, String canonical) {
        Hostlist list = Hostlist.parse(text);
        List<String> expected = names.isEmpty() ? List.of() : List.of(names.split(","));
        assertThat(list.expand()).isEqualTo(expected);
        assertThat(list).hasToString(canonical);
        assertThat(Hostlist.parse(list.toString())).isEqualTo(list).hasSameHashCodeAs(list);
        assertThat(Hostlist.of(expected)).isEqualTo(list).hasSameHashCodeAs(list);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', ignoreLeadingAndTrailingWhitespace = false, quoteCharacter = '"', textBlock = """
            foo[]|4|an element is empty
            foo[1,]|6|an element is empty
            foo[,1]|4|an element is empty
            foo[1,,2]|6|an element is empty
            foo[3-1]|6|the range ends below its start 3
            foo[a]|4|not a decimal digit
            foo[-1]|4|not a decimal digit
            foo[+1]|4|not a decimal digit
            foo[ 1]|4|not a decimal digit
            foo[1 ]|5|not a decimal digit
            foo[1-2-3]|7|not a decimal digit
            foo[1--2]|6|not a decimal digit
            foo[1x]|5|not a decimal digit
            foo[|3|'[' is never closed
            foo[1|3|'[' is never closed
            foo[1,|3|'[' is never closed
            foo[1-|6|the range has no end
            foo[1-]|6|the range has no end
            foo[1-,3]|6|the range has no end
            foo]|3|']' closes nothing
            foo[1]]|6|']' closes nothing
            foo[[1]]|4|'[' inside brackets
            foo[1[2]]|5|'[' inside brackets
            foo[1][|6|'[' is never closed
            foo[1]x[]|8|an element is empty
            foo[1]x[2]]|10|']' closes nothing
            a[0-1048576][0]|2|a range holds 1048576 hosts at most
            a[0-999999999339134974,0-999999999339134974,0-999999999339134974,0-999999999339134974,0-999999999339134974,0-999999999339134974,0-999999999339134974,0-999999999339134974,0-999999999339134974,0-999999999339134974]b[0]|2|a range holds 1048576 hosts at most
            a[0-1048575,0][0]|0|several bracket groups stand for 1048576 ranges at most
            abcdefghij[0-1048575]abcdefghij[0]|0|the names that several bracket groups stand for have 16777216 characters at most
            a[0-9999999999][0]|2|a range holds 1048576 hosts at most
            a[0-1023]b[0-1000]c[0-9]|0|several bracket groups stand for 1048576 ranges at most
            foo\u00e9|3|a host name may contain printable ASCII characters only
            foo[1]\u00e9|6|a host name may contain printable ASCII characters only
            foo[\u0661]|4|not a decimal digit
            x[0-1048576]|2|a range holds 1048576 hosts at most
            x[0-99999999999]|2|a range holds 1048576 hosts at most
            x[1,1000000000000000000]|4|a number has more than 18 digits
            """)
    void malformedTextIsRefusedWithItsPositionAndReason(String text, int position, String reason) {
        assertThatThrownBy(() -> Hostlist.parse(text))
                .asInstanceOf(type(MalformedException.class))
                .satisfies(e -> assertThat(e.what() + " at " + e.position() + ": " + e.reason())
                        .isEqualTo("hostlist at " + position + ": " + reason));
    }

    @Test
    void spacesAndTabsSeparateAndEmptyItemsAreSkipped() {
        assertThat(Hostlist.parse(", a b\tc,,d,").expand()).containsExactly("a", "b", "c", "d");
    }

    @Test
    void aNewlineIsRefused() {
        assertThatThrownBy(() -> Hostlist.parse("foo\nbar"))
                .hasMessageContaining("printable ASCII characters only at position 3");
    }

    @Test
    void plainNamesMayNotHoldBracketsOrSeparators() {
        assertThatThrownBy(() -> Hostlist.of("foo[1]")).hasMessageContaining("a host name may not contain '['");
        assertThatThrownBy(() -> Hostlist.of("a", "b,c")).hasMessageContaining("a host name may not contain ','");
        assertThatThrownBy(() -> Hostlist.of("")).hasMessageContaining("a host name may not be empty");
    }

    @Test
    void namesAreBounded() {
        String longest = "n".repeat(1023);
        assertThat(Hostlist.parse(longest).nth(0)).isEqualTo(longest);
        assertThatThrownBy(() -> Hostlist.parse("a," + longest + "n"))
                .hasMessageContaining("a host name has 1023 characters at most at position 2");
        assertThatThrownBy(() -> Hostlist.of(longest + "n")).isInstanceOf(MalformedException.class);
        String stem = "n".repeat(1021);
        assertThat(Hostlist.parse(stem + "[9-99]").size()).isEqualTo(91);
        assertThatThrownBy(() -> Hostlist.parse(stem + "[9-100]")).isInstanceOf(MalformedException.class);
    }

    @Test
    void theWholeListIsBounded() {
        String million = "a[0-1048575],";
        assertThat(Hostlist.parse(million.repeat(16)).size()).isEqualTo(Hostlist.MAX_HOSTS);
        assertThatThrownBy(() -> Hostlist.parse(million.repeat(16) + "b"))
                .hasMessageContaining("a hostlist holds 16777216 hosts at most at position 208");
        Hostlist most = Hostlist.parse(million.repeat(16));
        assertThatThrownBy(() -> most.append(Hostlist.of("b"))).hasMessage("a hostlist holds 16777216 hosts at most");
    }

    @Test
    void theNumberOfHostsWithASuffixIsBounded() {
        assertThatThrownBy(() -> Hostlist.parse("a[0-1048575]-ib,b[1-2]-ib"))
                .hasMessageContaining("a hostlist holds 1048576 hosts with a suffix at most at position 18");
        assertThat(Hostlist.parse("a[0-1048575]-ib,b[1-2]").size()).isEqualTo(1048578);
    }

    @Test
    void aMillionHostsAreOneRange() {
        Hostlist list = Hostlist.parse("node[0-1048575]");
        assertThat(list.ranges()).hasSize(1);
        assertThat(list.size()).isEqualTo(1048576);
        assertThat(list.nth(70000)).isEqualTo("node70000");
        assertThat(list.indexOf("node1048575")).isEqualTo(1048575);
        assertThat(list.select(Idset.parse("1-5,7"))).hasToString("node[1-5,7]");
        assertThat(Hostlist.parse("node[0-1048575]-ib").indexOf("node70000-ib")).isEqualTo(70000);
    }

    @Test
    void allIndexesOfANameAreFound() {
        Hostlist list = Hostlist.parse("foo[1-5],bar,foo[3-9],bar,foo[01-05],x[0-4]-eth2,x3-eth2");
        assertThat(list.indexesOf("foo4")).hasToString("3,7");
        assertThat(list.indexOf("foo4")).isEqualTo(3);
        assertThat(list.indexesOf("bar")).hasToString("5,13");
        assertThat(list.indexesOf("foo03")).hasToString("16");
        assertThat(list.indexOf("foo003")).isEqualTo(-1);
        assertThat(list.indexesOf("x3-eth2")).hasToString("22,24");
        assertThat(list.contains("fo")).isFalse();
        assertThat(list.contains("")).isFalse();
        assertThat(list.indexesOf(Hostlist.parse("foo[4-6],bar,nope"))).hasToString("3-5,7-9,13");
        assertThat(list.missing(Hostlist.parse("nope,foo[8-12],x[3-5]-eth2,bar")))
                .hasToString("nope,foo[10-12],x5-eth2");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            tst0             | tst        | -1
            tst0,tst         | tst        | 1
            tst,tst0         | tst        | 0
            tst              | tst0       | -1
            foo[1-5]-eth0    | foo3-eth0  | 2
            foo[1-5]         | foo3-eth0  | -1
            [0-5]            | 3          | 3
            [0-5]i           | 0          | -1
            i[0-5]           | i00        | -1
            i[00-05]         | i04        | 4
            f00[7-8]         | f007       | 0
            f00[7-8,10]      | f0010      | 2
            f0010001[07-08]  | f001000108 | 1
            cornp2           | corn2      | -1
            corn-p2          | corn2      | -1
            x[0-3]0,x10      | x10        | 1
            """)
    void aNameIsFoundAsFluxFindsIt(String text, String name, int place) {
        assertThat(Hostlist.parse(text).indexOf(name)).isEqualTo(place);
    }

    @Test
    void aNumberOfAnotherWidthIsFoundOnlyIfItIsWrittenTheSame() {
        Hostlist list = Hostlist.parse("foo[08-11]");
        assertThat(list.indexesOf(Hostlist.parse("foo[8-11]"))).hasToString("2-3");
        assertThat(list.missing(Hostlist.parse("foo[8-11]"))).hasToString("foo[8-9]");
    }

    @Test
    void indexesOutsideTheListAreRefused() {
        Hostlist list = Hostlist.parse("foo[1-3]");
        assertThatThrownBy(() -> list.nth(3)).hasMessage("host 3 of a hostlist of 3");
        assertThatThrownBy(() -> list.nth(-1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> list.select(Idset.of(1, 3))).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            foo[3,1,2],bar            | bar,foo[1-3]           | bar,foo[1-3]
            foo[1-5],foo[3-7]         | foo[1-3,3-4,4-5,5-7]   | foo[1-7]
            foo001,foo10,foo09,foo9   | foo9,foo[09-10],foo001 | foo9,foo[09-10],foo001
            foo[95-105],foo[1-3]      | foo[1-3,95-105]        | foo[1-3,95-105]
            b,a,b,a                   | a,a,b,b                | a,b
            [5-6],[3-4],[1-2,0]       | [0-6]                  | [0-6]
            [0-20],45,12,15           | [0-12,12-15,15-20,45]  | [0-20,45]
            [0-20],45,015             | [0-20,45],015          | [0-20,45],015
            foo[0-3],foo[0-3]         | foo[0,0-1,1-2,2-3,3]   | foo[0-3]
            foo[0-2],foo[0-2],foo[0-2] | foo[0,0,0-1,1,1-2,2,2] | foo[0-2]
            n[2-3]-ib,n1-ib           | n1-ib,n2-ib,n3-ib      | n1-ib,n2-ib,n3-ib
            foo1,foo,fo2              | fo2,foo,foo1           | fo2,foo,foo1
            ''                        | ''                     | ''
            """)
    void sortingGoesByPrefixThenLengthThenNumber(String text, String sorted, String unique) {
        assertThat(Hostlist.parse(text).sort()).hasToString(sorted);
        assertThat(Hostlist.parse(text).unique()).hasToString(unique);
    }

    @Test
    void appendingJoinsConsecutiveRanges() {
        assertThat(Hostlist.parse("foo[1-3]").append(Hostlist.parse("foo[4-5],bar")))
                .hasToString("foo[1-5],bar");
        assertThat(Hostlist.parse(List.of("foo[1-3]", "foo4", ""))).hasToString("foo[1-4]");
    }

    /** A million hosts that moved by whole racks are a handful of pairs. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "node[0-999999]|6",
                "login,node[0-999998]|6",
                "node[500000-999999,0-499999]|7",
                "rack[0-999999]|0",
            })
    void consecutiveHostsArePairedInRuns(String other, int runs) {
        int[] count = {0};
        Hostlist.parse("node[0-999999]").forEachPair(Hostlist.parse(other), (here, there, hosts) -> count[0]++);
        assertThat(count[0]).isEqualTo(runs);
    }
}
