package io.muster.inventory.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.muster.inventory.problem.MalformedException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ShapeTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "[node] | node",
                " [ node ; core ] | [node;core]",
                "node=[2] | node=2",
                "node=[2-4] | node=2-4",
                "node = 2 - 4 | node=2-4",
                "node=1-3,5/core | node=1-3,5/core",
                "node=1 | node",
                "node{} | node",
                "node{ } | node",
                "SLOT{a}/core | \"SLOT\"{a}/core",
                "slot{x}/core | slot{x}/core",
                "slot{1}/core | slot{1}/core",
                "slot{a,x}/core | slot{a,x}/core",
                "slot{\"a b\"}/core | slot{a b}/core",
                "slot{\"+a\"}/core | slot{\"+a\"}/core",
                "slot{default}/core | slot/core",
                "slot=4 /[ core=2 ; gpu ] | slot=4/[core=2;gpu]",
                "slotted=2 | slotted=2",
                "\"Slot\"2 | !",
                "slot1/Slot | slot1/\"Slot\"",
                "\"slot\"{a}/node | slot{a}/node",
                "'slot'/node | slot/node",
                "node:x/core:5=2 | node:x/core:5=2",
                "node=4294967296 | node=4294967296",
                "node=2147483648-4294967297:2 | node=2147483648-4294967296:2",
                "node{a:True,b:NULL} | node{a:\"True\",b:\"NULL\"}",
                "node{x} | node{x}",
                "node{+x} | node{x}",
                "node{-x} | node{-x}",
                "node{x:true} | node{x}",
                "node{exclusive:false} | node{-x}",
                "node{\"x\":1} | node{\"x\":1}",
                "node{X} | node{X}",
                "node{a:{b:1,-c,x}} | node{a:{b:1,-c,x}}",
                "node{a:1.} | node{a:1.0}",
                "node{a:-0.5e3} | node{a:-500.0}",
                "node{a:01} | node{a:01}",
                "node{a:.5,b:+1,c:0x10,d:12GB,e:NaN} | node{a:.5,b:+1,c:0x10,d:12GB,e:NaN}",
                "node{a:b } | node{a:b}",
                "node{a :b c} | node{a:b c}",
                "node{a:1 } | node{a:1}",
                "node{a:'true'} | node{a:\"true\"}",
                "node{a:b:c;d/e=f+g} | node{a:b:c;d/e=f+g}",
                "node{a:\"b\\\"c\\u0041\"} | node{a:\"b\\\"cA\"}",
                "node{a:'b\\nc'} | node{a:b\\nc}",
                "node{a:[1],b:[2]} | node{a:[1],b:[2]}",
                "node{a:[\"it's\",'x',true,null,{b:1},[]]} | node{a:[\"it's\",\"x\",true,null,{b:1},[]]}",
                "node{a:[1]}/core{b:[2]} | node{a:[1]}/core{b:[2]}",
                "node{a:[1],b:\"]\"} | node{a:[1],b:\"]\"}",
                "node{a:99999999999999999999} | node{a:99999999999999999999}",
                "[node/core;gpu] | [node/core;gpu]",
                "'my type'=2 | \"my type\"=2",
                "nœud=2 | nœud=2",
                "node{unit:GB,id:a,label:b} | node{unit:GB,id:a,label:b}",
            })
    void readsAndPrintsTheShortest(String shape, String shortest) {
        if (shortest.equals("!")) {
            assertThatThrownBy(() -> Shape.parse(shape)).isInstanceOf(MalformedException.class);
            return;
        }
        List<Resource> resources = Shape.parse(shape);
        assertThat(Shape.print(resources)).isEqualTo(shortest);
        assertThat(Shape.parse(shortest)).isEqualTo(resources);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "~~ | 0 | expected a resource type, but the shape ends",
                "node= | 5 | expected a count",
                "node=/core | 5 | expected a count",
                "node=0 | 5 | at least 1",
                "node=01 | 5 | leading zero",
                "node=-1 | 5 | expected a count",
                "node=1.5 | 6 | expected '-', '+' or the end",
                "node=a | 5 | expected a count",
                "node=[[2]] | 6 | expected a count",
                "node=30-3 | 8 | max 3 is less than min 30",
                "node=3,1 | 7 | ",
                "node=2-8:1:* | 9 | operand must be at least 2",
                "node=1 ,3 | 7 | ",
                "node=2 - 1 | 9 | max 1 is less",
                "node=1 3 | 7 | expected",
                "slot | 4 | expected '/'",
                "slot=4 | 6 | expected '/'",
                "slot{a} | 7 | expected '/'",
                "slot{}/core | 5 | expected the slot's label",
                "slot{+x}/core | 5 | expected the slot's label",
                "slot{label:a}/core | 5 | expected the slot's label",
                "slot{a:1}/core | 5 | expected the slot's label",
                "slot{a,label:b}/core | 7 | given twice",
                "\"slot\"{x:1}/node | 7 | expected the slot's label",
                "\"slot\"{a} | 9 | expected '/'",
                "node{x:FALSE} | 5 | exclusive must be true or false",
                "node=1152921504606846977 | 5 | a count must be at most 1152921504606846976",
                "node=1,4294967296 | 7 | ids go up to",
                "node{type:slot}/core | 5 | \"type\" belongs in front of the braces",
                "node{count:5} | 5 | \"count\" belongs in front of the braces",
                "node{with:1}/core | 5 | \"with\" belongs after a '/'",
                "node{x:1} | 5 | exclusive must be true or false",
                "node{unit:4} | 5 | unit must be a string, not number",
                "[slot/core;slot{b}/core] | 1 | expected {label}",
                "[slot{b}/core;slot{b}/core] | 19 | label \"b\" is already used",
                "[[node]] | 1 | not a list in a list",
                "[] | 1 | expected a resource type",
                "[node;] | 6 | expected a resource type",
                "[node | 5 | expected ';' or ']', but the shape ends",
                "node;core | 4 | a list of several vertices needs [ ]",
                "a/[b;c]/d | 7 | expected '/' or the end",
                "a/[b;c];d | 7 | a list of several vertices needs [ ]",
                "node{a,} | 7 | expected a key",
                "node{,a} | 5 | expected a key",
                "node{a b:c | 10 | expected ',' or '}', but the shape ends",
                "node{x,-x} | 7 | key \"exclusive\" is given twice",
                "node{+a:1} | 7 | a key with a sign has no value",
                "node{a:} | 7 | expected a value",
                "node{a:1e400} | 7 | too large",
                "node{a:\"b\"c} | 10 | expected ',' or '}'",
                "node{a:it's} | 9 | expected ',' or '}'",
                "node{a:\"b\\q\"} | 9 | JSON's escapes",
                "node{a:\"b} | 7 | expected a closing \"",
                "node{a:[b,c]} | 8 | expected a JSON value",
                "node{a:[1} | 9 | expected ',' or ']'",
                "\"\"=2 | 0 | expected a resource type",
                "node/ | 5 | expected a resource type",
                "node core | 5 | expected '/' or the end",
                "node}  | 4 | expected '/' or the end",
                "=2 | 0 | expected a resource type",
            })
    void malformedShapesAreRefusedWithTheColumnAndTheExpectedText(String shape, int position, String reason) {
        assertThatThrownBy(() -> Shape.parse(shape)).isInstanceOfSatisfying(MalformedException.class, e -> {
            assertThat(e.reason()).contains(reason == null ? "" : reason);
            assertThat(e.position()).isEqualTo(position);
        });
    }

    @Test
    void lineBreaksAndTabsAreBlanks() {
        assertThat(Shape.parse("node\n/\tcore\r\n")).isEqualTo(Shape.parse("node/core"));
    }

    @Test
    void aCaretMarksTheFault() {
        assertThat(caret("slot=4/node{x,-x}")).isEqualTo("  slot=4/node{x,-x}\n                ^");
        assertThat(caret("node\n/core=0\n/gpu")).isEqualTo("  /core=0\n        ^");
        assertThat(caret("")).isEqualTo("  \n  ^");
        assertThat(caret("😀=0")).isEqualTo("  😀=0\n    ^");
        String[] lines = caret("a".repeat(300) + "=0" + "/b".repeat(99)).split("\n");
        assertThat(lines[0].charAt(lines[1].indexOf('^'))).isEqualTo('0');
    }

    private static String caret(String shape) {
        try {
            return "parsed: " + Shape.parse(shape);
        } catch (MalformedException e) {
            return Shape.caret(e);
        }
    }

    @Test
    void depthAndLengthAreBounded() {
        assertThat(Shape.parse("a" + "/a".repeat(99))).hasSize(1);
        assertThatThrownBy(() -> Shape.parse("a" + "/a".repeat(100))).hasMessageContaining("nested deeper than 100");
        assertThatThrownBy(() -> Shape.parse("a{b:" + "{c:".repeat(5000)))
                .hasMessageContaining("nested deeper than 100");
        assertThatThrownBy(() -> Shape.parse("a{b:" + "[".repeat(5000))).hasMessageContaining("nested deeper than 100");
        assertThatThrownBy(() -> Shape.parse("a".repeat(70_000))).hasMessageContaining("longer than 65536");
        assertThat(Shape.parse("a=1-2147483647").get(0).count().max()).isEqualTo(2147483647L);
    }

    @Test
    void aSingleSlotGetsTheGivenDefaultLabel() {
        assertThat(Shape.parse("slot/core", "task").get(0).label()).isEqualTo("task");
        assertThat(Shape.print(Shape.parse("slot{task}/core"), "task")).isEqualTo("slot/core");
        assertThat(Shape.print(Shape.parse("slot{default}/core"), "task")).isEqualTo("slot{default}/core");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[{\"type\":\"a\",\"count\":1,\"k\":\"\"}]",
                "[{\"type\":\"a\",\"count\":1,\"x\":true,\"exclusive\":false}]",
                "[{\"type\":\"a=b\",\"count\":1,\"k y\":\" edge \"}]",
                "[{\"type\":\"a\",\"count\":1,\"-k\":true,\"+k\":1,\"k:\":null}]",
                "[{\"type\":\"a\",\"count\":1,\"k\":\"1\",\"l\":\"null\",\"m\":\"TRUE\",\"n\":\"1.\"}]",
                "[{\"type\":\"a\",\"count\":1,\"k\":[\"a\",[1.5,{}],{\"x\":true,\"]\":\"[\"}]}]",
                "[{\"type\":\"slot\",\"count\":1,\"label\":\"a:b\",\"with\":[{\"type\":\"Slotted\",\"count\":2}]}]",
                "[{\"type\":\"a\",\"count\":1,\"k\":\"line\\nbreak \\u0001 \\\\\"}]",
            })
    void wordsThatNeedQuotesArePrintedWithQuotes(String json) throws Exception {
        List<Resource> resources = Resource.parseList(JSON.readTree(json));
        assertThat(Shape.parse(Shape.print(resources))).isEqualTo(resources);
    }
}
