package io.muster.inventory.request;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.muster.inventory.idset.Idset;
import io.muster.testing.Seeds;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

class ShapePropsTest {
    private static final String CHARS = "ab1x+-={}[]/;,:\"'\\ .0eé\n\t😀_";

    @Seeds
    void everyResourcesListSurvivesItsShape(Random random) {
        List<Resource> resources = list(random, 0, new int[1]);
        String shape = Shape.print(resources);
        assertThat(Shape.parse(shape)).isEqualTo(resources);
        assertThat(Shape.print(Shape.parse(shape))).isEqualTo(shape);
    }

    @Seeds
    void everyResourcesListSurvivesJsonAndYaml(Random random) throws Exception {
        List<Resource> resources = list(random, 0, new int[1]);
        JsonNode json = Resource.toJson(resources);
        assertThat(Resource.parseList(json)).isEqualTo(resources);
        assertThat(Resource.parseList(json.toString())).isEqualTo(resources);
        assertThat(Resource.parseList(new YAMLMapper().writeValueAsString(json)))
                .isEqualTo(resources);
    }

    @Seeds
    void everyCountSurvivesItsText(Random random) {
        Count count = count(random);
        assertThat(Count.parse(count.toString())).isEqualTo(count);
        assertThat(Count.parse("[" + count + "]")).isEqualTo(count);
    }

    private static List<Resource> list(Random random, int depth, int[] labels) {
        List<Resource> list = new ArrayList<>();
        for (int i = random.nextInt(4) == 0 ? 2 : 1; i > 0; i--) {
            boolean slot = depth < 6 && random.nextInt(3) == 0;
            List<Resource> with =
                    slot || depth > 6 || random.nextInt(5) < depth ? List.of() : list(random, depth + 1, labels);
            list.add(new Resource(
                    slot ? "slot" : type(random),
                    count(random),
                    attributes(random, slot, labels),
                    slot ? list(random, depth + 1, labels) : with));
            if (depth > 6) {
                break;
            }
        }
        return list;
    }

    private static String type(Random random) {
        List<String> slots = List.of("Slot", "SLOT", "slots", "slot1", "slot:x", " slot");
        return random.nextInt(4) == 0 ? slots.get(random.nextInt(slots.size())) : "t" + word(random);
    }

    private static Map<String, JsonNode> attributes(Random random, boolean slot, int[] labels) {
        Map<String, JsonNode> attributes = new LinkedHashMap<>();
        if (slot) {
            String label = random.nextInt(4) == 0 ? "default" : word(random);
            attributes.put("label", JsonNodeFactory.instance.textNode(label + (labels[0]++ > 0 ? labels[0] : "")));
        }
        if (random.nextBoolean()) {
            attributes.put("exclusive", JsonNodeFactory.instance.booleanNode(random.nextBoolean()));
        }
        for (int i = random.nextInt(3); i > 0; i--) {
            attributes.put("k" + word(random), value(random, 0));
        }
        return attributes;
    }

    private static JsonNode value(Random random, int depth) {
        JsonNodeFactory json = JsonNodeFactory.instance;
        return switch (random.nextInt(depth > 3 ? 6 : 8)) {
            case 0 -> json.textNode(word(random).substring(1));
            case 1 ->
                json.textNode(List.of("true", "True", "Null", "1", "-0.5", "1e9", "x", "", "01")
                        .get(random.nextInt(9)));
            case 2 -> json.numberNode(random.nextInt());
            case 3 -> json.numberNode(random.nextGaussian() * Math.pow(10, random.nextInt(40) - 20));
            case 4 -> json.booleanNode(random.nextBoolean());
            case 5 -> json.nullNode();
            case 6 -> json.arrayNode().add(value(random, depth + 1)).add(value(random, depth + 1));
            default -> {
                ObjectNode object = json.objectNode();
                for (int i = random.nextInt(3); i > 0; i--) {
                    object.set(word(random).substring(1), value(random, depth + 1));
                }
                yield object;
            }
        };
    }

    /** Returns a word of hostile characters. The first character is plain, so that callers may keep or drop it. */
    private static String word(Random random) {
        StringBuilder word = new StringBuilder("w");
        int[] chars = CHARS.codePoints().toArray();
        for (int i = random.nextInt(5); i > 0; i--) {
            word.appendCodePoint(chars[random.nextInt(chars.length)]);
        }
        return word.toString();
    }

    private static Count count(Random random) {
        int min = 2 + random.nextInt(50);
        Count.Operator operator = List.of(Count.Operator.values()).get(random.nextInt(3));
        return switch (random.nextInt(5)) {
            case 0 -> Count.of(min);
            case 4 -> Count.of(min + (random.nextLong() >>> (5 + random.nextInt(59))));
            case 1 -> Count.range(min, -1, operator, 2 + random.nextInt(3));
            case 2 -> Count.range(min, min + random.nextInt(1000), operator, 2 + random.nextInt(3));
            default -> Count.of(Idset.of(min, min + 1 + random.nextInt(5), min + 10));
        };
    }

    @Seeds
    void anyTextIsReadOrRefusedWithAPosition(Random random) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(30); i > 0; i--) {
            text.append(List.of(
                            "slot", "Slot", "True", "node", "=", "2", "-", "+", "{", "}", "[", "]", "/", ";", ",", "x",
                            ":", "\"", "'", " ", "^", "a")
                    .get(random.nextInt(22)));
        }
        try {
            List<Resource> resources = Shape.parse(text);
            assertThat(Shape.parse(Shape.print(resources))).isEqualTo(resources);
        } catch (io.muster.inventory.problem.MalformedException e) {
            assertThat(e.position()).isBetween(0, text.length());
            assertThat(Shape.caret(e)).contains("^");
        }
    }
}
