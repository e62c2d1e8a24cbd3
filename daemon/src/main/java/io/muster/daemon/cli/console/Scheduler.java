package io.muster.daemon.cli.console;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.inventory.idset.Idset;

/**
 * A scheduler that holds the resources, as the daemon describes it.
 *
 * @param pid 0 when unknown
 * @param since seconds since the epoch
 * @param offered the ranks of its first response
 * @param up what it has been told is up
 * @param behind whether there is something that it has not been sent yet
 */
public record Scheduler(
        String user, int userid, int pid, double since, long responses, Idset offered, Idset up, boolean behind) {
    static Scheduler parse(JsonNode json) {
        return new Scheduler(
                json.path("user").asText(),
                json.path("userid").asInt(),
                json.path("pid").asInt(),
                json.path("since").asDouble(),
                json.path("responses").asLong(),
                Idset.parse(json.path("offered").asText()),
                Idset.parse(json.path("up").asText()),
                json.path("behind").asBoolean());
    }

    @Override
    public String toString() {
        return user + "(" + Integer.toUnsignedString(userid) + ")" + (pid == 0 ? "" : " pid " + pid);
    }
}
