package io.muster.inventory.request;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The results of flux-core 0.88 for texts, recorded in {@code peer/*.tsv}; {@code docs/compatibility.md} names each difference. */
class PeerVectorsTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Path DIRECTORY = Path.of("src/test/resources/peer");
    private static final Path PAGE = Path.of("../docs/compatibility.md");
    private static final String REFUSED = "!";
    private static final int MOST_COUNTS = 12;
    /** The largest count that flux-core's type holds. */
    private static final long PEERS_MAX = 0xffff_fffeL;

    private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");
    private static final ResourceSet HOSTS = ResourceSet.parse("""
            {"version":1,"execution":{"R_lite":[{"rank":"0-3","children":{"core":"0-1"}}],"nodelist":["n[0-3]"],
            "properties":{"a":"0-1","b":"1-2"}}}""");

    private record Vector(String kind, String text) {}

    static List<String> vectors() throws IOException {
        return lines("vectors.tsv");
    }

    private static List<String> lines(String file) throws IOException {
        return Files.readAllLines(DIRECTORY.resolve(file)).stream()
                .filter(line -> !line.startsWith("#"))
                .toList();
    }

    /** @param vector kind, text, result of flux-core, result of Muster where it differs; "!" is a refusal */
    @ParameterizedTest
    @MethodSource("vectors")
    void everyDifferenceFromFluxCoreIsDocumented(String vector) throws IOException {
        String[] columns = vector.split("\t", -1);
        String ours = ours(columns[0], columns[1]);
        assertThat(ours).isEqualTo(columns[columns.length - 1]);
        if (!ours.equals(columns[2])) {
            assertThat(Files.readString(PAGE)).contains("`" + columns[1] + "`");
        }
    }

    @Test
    void shortTextsAreReadLikeInFluxCoreUnlessADifferenceIsDocumented() throws IOException {
        Set<String> rows = quotedInRows();
        List<String> unwritten = new ArrayList<>();
        Map<Vector, String> enumerated = enumerated();
        assertThat(enumerated).hasSizeGreaterThan(16_000);
        enumerated.forEach((vector, peer) -> {
            String ours = ours(vector.kind, vector.text);
            if (!isSame(vector.kind, ours, peer) && !rows.contains(row(vector, ours))) {
                unwritten.add(vector + ": flux-core " + peer + ", Muster " + ours);
            }
        });
        assertThat(unwritten).isEmpty();
    }

    /** The statement of a row can be checked only if flux-core was given the text of the row. */
    @Test
    void everyDocumentedDifferenceQuotesARecordedText() throws IOException {
        Set<String> texts = new LinkedHashSet<>();
        vectors().forEach(line -> texts.add(line.split("\t", -1)[1]));
        enumerated().keySet().forEach(vector -> texts.add(vector.text));
        String all = String.join("\n", texts);
        for (String row : rows()) {
            assertThat(quoted(row.split("\\|", -1)[1]))
                    .as(row)
                    .anySatisfy(text -> assertThat(all).contains(text));
        }
    }

    /** Returns the text in the table that stands for the class of a difference; the text itself if it belongs to no class. */
    private static String row(Vector vector, String ours) {
        String text = vector.text;
        return switch (vector.kind) {
            case "count" -> text.matches(".*,,.*|.*,]?") ? "1,3," : text;
            case "idset" -> text.matches("\\[?,.*|.*,,.*|.*,]?") ? "0,1," : text;
            case "hostlist" -> {
                boolean stray =
                        text.replaceAll("\\[\\d+(-\\d+)?(,\\d+(-\\d+)?)*]", "").matches(".*[\\[\\]].*");
                boolean open = text.matches(".*\\[[^\\]]*-[,\\]].*");
                String groups = ours.equals(REFUSED) ? text : "r[0-1]n[0-1]";
                String refused = open ? "a[0-]" : "a[1]]";
                yield stray && ours.equals(REFUSED) ? refused : groups;
            }
            case "constraint" -> {
                boolean refused = ours.equals(REFUSED) && text.matches("\\{\"(hostlist|ranks)\":.*");
                yield refused ? "{\"ranks\":\"0\"}" : text;
            }
            case "R" -> {
                boolean twice = text.matches(".*\"rank\":\"0.*\"rank\":\"(0\".*|1\".*)")
                        && (text.contains("\"0-1\",\"children\"") || !text.contains("\"rank\":\"1\""));
                String rest = text.contains("\"core\":\"\"") || text.contains("{\"gpu\":\"0\"}")
                        ? "\"children\":{\"gpu\":\"0\"}"
                        : "\"properties\":{\"b\":\"0\",\"a\":\"0\"}";
                String property = text.contains("{\"\":") ? "\"properties\":{\"\":\"0\"}" : rest;
                yield twice ? "{\"rank\":\"1\",\"children\":{\"core\":\"2-3\"}}" : property;
            }
            default -> text;
        };
    }

    private static boolean isSame(String kind, String ours, String peer) {
        boolean isJson = kind.equals("shape") || kind.equals("R");
        return ours.equals(peer) || (isJson && json(ours).equals(json(peer)));
    }

    private static JsonNode json(String text) {
        try {
            return JSON.readTree(text.equals(REFUSED) ? "null" : text);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(text, e);
        }
    }

    /** Returns the result of the peer for each text of {@code enumerated.tsv}. */
    private static Map<Vector, String> enumerated() throws IOException {
        Map<Vector, String> results = new LinkedHashMap<>();
        for (String line : lines("enumerated.tsv")) {
            String[] columns = line.split("\t", -1);
            if (columns[0].equals("@")) {
                List<String> tokens = Arrays.asList(columns).subList(3, columns.length);
                String between = columns[1].equals("query") ? " " : "";
                List<String> texts = List.of("");
                for (int i = 0; i < Integer.parseInt(columns[2]); i++) {
                    String glue = i == 0 ? "" : between;
                    texts = texts.stream()
                            .flatMap(text -> tokens.stream().map(token -> text + glue + token))
                            .toList();
                    texts.forEach(text -> results.put(new Vector(columns[1], text), REFUSED));
                }
            } else {
                results.put(new Vector(columns[0], columns[1]), columns[2]);
            }
        }
        return results;
    }

    private static List<String> rows() throws IOException {
        String page = Files.readString(PAGE);
        return page.substring(page.indexOf("## Shapes"))
                .lines()
                .filter(line -> line.startsWith("| ") && !line.startsWith("| shape |") && !line.startsWith("| text |"))
                .toList();
    }

    private static Set<String> quotedInRows() throws IOException {
        Set<String> texts = new LinkedHashSet<>();
        for (String row : rows()) {
            texts.addAll(quoted(row.split("\\|", -1)[1]));
        }
        return texts;
    }

    private static List<String> quoted(String cell) {
        return QUOTED.matcher(cell).results().map(found -> found.group(1)).toList();
    }

    private static String ours(String kind, String text) {
        try {
            return switch (kind) {
                case "idset" -> Idset.parse(text).toString();
                case "count" ->
                    CountTest.members(Count.parse(text))
                            .limit(MOST_COUNTS)
                            .filter(count -> count <= PEERS_MAX)
                            .mapToObj(Long::toString)
                            .collect(Collectors.joining(" "));
                case "hostlist" -> String.join(" ", Hostlist.parse(text).expand());
                case "query" -> Query.parse(text).matches(HOSTS).toString();
                case "constraint" -> Constraint.parse(text).matches(HOSTS).toString();
                case "R" -> summary(ResourceSet.parse(text).toJson().get("execution"));
                default -> Resource.toJson(Shape.parse(text, "task")).toString();
            };
        } catch (IllegalArgumentException e) { // MalformedException or InvalidException
            return REFUSED;
        }
    }

    private static String summary(JsonNode execution) {
        ArrayNode summary = JSON.createArrayNode().add(execution.get("R_lite")).add(execution.get("nodelist"));
        ArrayNode properties = summary.addArray();
        execution
                .path("properties")
                .properties()
                .forEach(
                        property -> properties.addArray().add(property.getKey()).add(property.getValue()));
        return summary.toString();
    }
}
