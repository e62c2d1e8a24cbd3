package io.muster.inventory.request;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/**
 * One task of a jobspec (RFC 14, "Tasks").
 *
 * @param command the program and its arguments
 * @param slot label of the slot in which the task runs
 * @param count the object that was given, with one of the keys per_slot, per_resource and total
 */
public record Task(List<String> command, String slot, JsonNode count) {
    public Task {
        command = List.copyOf(command);
    }

    ObjectNode toJson() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        command.forEach(json.putArray("command")::add);
        json.put("slot", slot);
        json.set("count", count);
        return json;
    }
}
