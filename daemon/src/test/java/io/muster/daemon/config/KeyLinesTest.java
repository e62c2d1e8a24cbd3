package io.muster.daemon.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class KeyLinesTest {
    /** @param lines a map from key paths, joined by '/', to lines */
    record Case(String toml, Map<String, Integer> lines) {}

    static List<Case> cases() {
        return List.of(
                new Case("", Map.of()),
                new Case("# a = 1\n\n", Map.of()),
                new Case("a = 1\nb=2", Map.of("a", 1, "b", 2)),
                new Case("a.b = 1\na . c = 2", Map.of("a", 1, "a/b", 1, "a/c", 2)),
                new Case("\"a b\".'c.d' = 1", Map.of("a b", 1, "a b/c.d", 1)),
                new Case("[a]\n\n[a.b] # x = 1\nc = 1", Map.of("a", 1, "a/b", 3, "a/b/c", 4)),
                new Case("[ a . b ]\r\nc = 1\r\n", Map.of("a", 1, "a/b", 1, "a/b/c", 2)),
                new Case("[[a]]\nb = 1\n[[a]]\nb = 2", Map.of("a", 1, "a/0", 1, "a/0/b", 2, "a/1", 3, "a/1/b", 4)),
                new Case("[[a]]\n[a.b]\nc = 1", Map.of("a", 1, "a/0", 1, "a/0/b", 2, "a/0/b/c", 3)),
                new Case("a = [ 1, # ]\n 2 ]\nb = 1", Map.of("a", 1, "b", 3)),
                new Case("a = [\n \"]\",\n ']' ]\nb = 1", Map.of("a", 1, "b", 4)),
                new Case("a = {b = 1}\nc = 1", Map.of("a", 1, "c", 2)),
                new Case("a = \"\\\"\\\\\" # x\nb = 1", Map.of("a", 1, "b", 2)),
                new Case("a = '\\'\nb = 1", Map.of("a", 1, "b", 2)),
                new Case("a = \"\"\"\nx = 1\n\\\"\"\" \"\"\"\nb = 1", Map.of("a", 1, "b", 4)),
                new Case("a = \"\"\"x\"\"\"\"\nb = 1", Map.of("a", 1, "b", 2)),
                new Case("a = '''\n[x]\n'''\nb = 1", Map.of("a", 1, "b", 4)),
                new Case("a = \"#\"\nb = ''\nc = \"\"", Map.of("a", 1, "b", 2, "c", 3)));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void findsTheLineOfEachKey(Case c) {
        Map<List<String>, Integer> found = KeyLines.scan(c.toml).lines();
        assertThat(found.entrySet())
                .extracting(e -> String.join("/", e.getKey()) + "=" + e.getValue())
                .containsExactlyInAnyOrderElementsOf(c.lines.entrySet().stream()
                        .map(e -> e.getKey() + "=" + e.getValue())
                        .toList());
    }
}
