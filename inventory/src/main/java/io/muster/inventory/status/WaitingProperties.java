package io.muster.inventory.status;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.idset.Idset;
import java.util.SortedMap;

/**
 * The properties that a scheduler does not have as Muster has them, until it is loaded again.
 *
 * @param why why the scheduler does not get them while it runs
 * @param ranks for each property the ranks that the scheduler does not know to have it, or that have it in the scheduler only
 */
public record WaitingProperties(String why, SortedMap<String, Idset> ranks) {
    ObjectNode toJson() {
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("why", why);
        ArrayNode waiting = json.putArray("waiting");
        ranks.forEach((name, of) -> waiting.addObject()
                .put("name", name)
                .put("ranks", of.toString())
                .put("nnodes", of.size()));
        return json;
    }
}
