package io.muster.protocol.admin;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.state.Epoch;

/**
 * A scheduler that holds the resources.
 *
 * @param pid 0 when unknown
 * @param since seconds since the epoch
 * @param offered the ranks of its first response
 * @param up those of them that it has been told are up
 * @param behind whether there is something that it has not been sent yet
 */
public record Scheduler(
        String user, int userid, int pid, double since, long responses, Idset offered, Idset up, boolean behind) {
    static Scheduler parse(Members in) {
        return new Scheduler(
                in.text("user"),
                (int) (long) in.number("userid"),
                (int) in.number("pid"),
                in.number("since"),
                (long) in.number("responses"),
                in.idset("offered"),
                in.idset("up"),
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
