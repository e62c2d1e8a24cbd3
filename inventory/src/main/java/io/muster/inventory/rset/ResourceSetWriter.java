package io.muster.inventory.rset;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.RawJson;

/**
 * Writes R version 1 in the one form that every deployed reader accepts: R_lite has one entry for each group, ordered by
 * lowest rank and always with {@code children.core}, and nodelist has one entry. The tree shares JSON values with the {@link
 * Envelope}.
 */
final class ResourceSetWriter {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private ResourceSetWriter() {}

    static ObjectNode tree(RankContents layout, RankHosts placement, PropertyMap properties, Envelope envelope) {
        ObjectNode r = JSON.objectNode().put("version", 1);
        ObjectNode execution = r.putObject("execution");
        ArrayNode entries = execution.putArray("R_lite");
        layout.groups().forEach(group -> entries.add(entry(group)));
        if (envelope.starttime() != null) {
            execution.set("starttime", envelope.starttime());
        }
        if (envelope.expiration() != null) {
            execution.set("expiration", envelope.expiration());
        }
        execution.putArray("nodelist").add(placement.hosts().toString());
        if (!properties.byName().isEmpty()) {
            ObjectNode byName = execution.putObject("properties");
            properties.byName().forEach((name, ranks) -> byName.put(name, ranks.toString()));
        }
        execution.setAll(envelope.execution());
        if (envelope.scheduling() != null) {
            r.set(ResourceSet.SCHEDULING, envelope.scheduling().node());
        }
        return r.setAll(envelope.top());
    }

    /** Returns a copy in which {@code scheduling} is a tree too. */
    static ObjectNode copy(ObjectNode tree) {
        ObjectNode copy = tree.deepCopy();
        if (copy.has(ResourceSet.SCHEDULING)) {
            copy.set(
                    ResourceSet.SCHEDULING,
                    RawJson.of(copy.get(ResourceSet.SCHEDULING)).tree());
        }
        return copy;
    }

    private static ObjectNode entry(Group group) {
        ObjectNode entry = JSON.objectNode().put("rank", group.ranks().toString());
        ObjectNode children = entry.putObject("children");
        children.put(Contents.CORE, group.contents().ids(Contents.CORE).toString());
        group.children().forEach((type, ids) -> put(children, type, ids));
        return entry.setAll(group.contents().other());
    }

    private static void put(ObjectNode children, String type, Idset ids) {
        if (!type.equals(Contents.CORE)) {
            children.put(type, ids.toString());
        }
    }
}
