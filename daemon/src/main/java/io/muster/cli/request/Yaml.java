package io.muster.cli.request;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.cli.terminal.Printable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions;

/** Writes a JSON tree as YAML, in the layout of the examples in RFC 46. */
final class Yaml {
    private Yaml() {}

    /** Returns the tree as YAML. If the text would have characters that may not be printed, everything but ASCII is escaped. */
    static String write(JsonNode json) {
        String yaml = write(json, true);
        return yaml.equals(Printable.lines(yaml, false)) ? yaml : write(json, false);
    }

    private static String write(JsonNode json, boolean unicode) {
        DumperOptions options = new DumperOptions();
        options.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
        options.setSplitLines(false);
        options.setAllowUnicode(unicode);
        return new org.yaml.snakeyaml.Yaml(options).dump(plain(json));
    }

    private static @Nullable Object plain(JsonNode json) {
        return switch (json.getNodeType()) {
            case OBJECT -> {
                Map<String, @Nullable Object> map = new LinkedHashMap<>();
                json.properties().forEach(e -> map.put(e.getKey(), plain(e.getValue())));
                yield map;
            }
            case ARRAY -> {
                List<@Nullable Object> list = new ArrayList<>();
                json.forEach(item -> list.add(plain(item)));
                yield list;
            }
            case NUMBER -> json.numberValue();
            case BOOLEAN -> json.booleanValue();
            case NULL -> null;
            default -> json.textValue();
        };
    }
}
