package io.muster.protocol.admin;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.Fields;

/**
 * The question why hosts or vertices of the resource graph are in their states.
 *
 * @param targets the hosts, and paths or names of vertices
 * @param count the highest number of events about each of them
 * @param limit the highest number of hosts in the answer
 * @param after the rank after which the answer begins; -1 for the first one
 */
public record WhyQuery(String targets, int count, int limit, int after) {
    public static final String TOPIC = "resource.why";
    public static final int MOST_EVENTS = 100;
    public static final int MOST_HOSTS = 1000;
    public static final int USUAL_EVENTS = 5;

    private static final int USUAL_HOSTS = 100;

    public static WhyQuery parse(Fields in) {
        return new WhyQuery(
                in.text("targets"),
                in.has("count") ? (int) in.integer("count", 0, MOST_EVENTS) : USUAL_EVENTS,
                in.has("limit") ? (int) in.integer("limit", 1, MOST_HOSTS) : USUAL_HOSTS,
                in.has("after") ? (int) in.integer("after", 0, Idset.MAX_ID) : -1);
    }

    /** Returns the same question about other targets. */
    public WhyQuery about(String others) {
        return new WhyQuery(others, count, limit, after);
    }

    public ObjectNode toJson() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("targets", targets).put("count", count).put("limit", limit);
        return after < 0 ? json : json.put("after", after);
    }
}
