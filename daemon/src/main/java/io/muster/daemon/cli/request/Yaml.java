package io.muster.daemon.cli.request;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions;

/** A JSON tree as YAML, laid out as the RFCs lay out their examples. */
final class Yaml {
    private static final int INDENT = 2;

    private Yaml() {}

    static String write(JsonNode json) {
        DumperOptions options = new DumperOptions();
        options.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
        options.setIndicatorIndent(INDENT);
        options.setIndentWithIndicator(true);
        options.setSplitLines(false);
        String text = new org.yaml.snakeyaml.Yaml(options).dump(plain(json));
        return json.isArray() && !json.isEmpty() ? text.replaceAll("(?m)^ {" + INDENT + "}", "") : text;
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
