package io.muster.protocol.admin;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Epoch;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.Fields;

/**
 * A scheduler that has acquired the resources.
 *
 * @param pid 0 if unknown
 * @param since seconds since the epoch
 * @param offered ranks in the first response to the scheduler
 * @param up ranks in {@code offered} that are up by the responses sent so far
 * @param behind whether some changes have not been sent to the scheduler yet
 */
public record Scheduler(
        String user, int userid, int pid, double since, long responses, Idset offered, Idset up, boolean behind) {
    static Scheduler parse(Fields in) {
        return new Scheduler(
                in.text("user"),
                (int) (long) in.number("userid"),
                (int) in.number("pid"),
                in.number("since"),
                (long) in.number("responses"),
                in.parse("offered", Idset::parse),
                in.parse("up", Idset::parse),
                in.json().path("behind").asBoolean());
    }

    ObjectNode toJson() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("userid", userid).put("user", user).put("pid", pid);
        json.set("since", Epoch.number(since));
        json.put("responses", responses).put("offered", offered.toString());
        return json.put("up", up.toString()).put("behind", behind);
    }

    @Override
    public String toString() {
        return user + "(" + Integer.toUnsignedString(userid) + ")" + (pid == 0 ? "" : " pid " + pid);
    }
}
