package io.muster.inventory.status;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Times;
import io.muster.inventory.idset.Idset;

/**
 * A scheduler that has acquired the resources, as users see it.
 *
 * @param pid process id of the scheduler; 0 if unknown
 * @param since when the scheduler acquired, in seconds since the epoch
 * @param responses number of responses that the scheduler has been sent
 * @param offered ranks in the first response to the scheduler
 * @param up ranks in {@code offered} that are up according to the responses sent so far
 * @param behind whether some changes have not been sent to the scheduler yet
 */
public record Scheduler(
        String user, int userid, int pid, double since, long responses, Idset offered, Idset up, boolean behind) {
    public ObjectNode toJson() {
        return JsonNodeFactory.instance
                .objectNode()
                .put("user", user)
                .put("userid", userid)
                .put("pid", pid)
                .put("since", Times.rfc3339(since))
                .put("responses", responses)
                .put("behind", behind);
    }

    @Override
    public String toString() {
        return user + "(" + Integer.toUnsignedString(userid) + ")" + (pid == 0 ? "" : " pid " + pid);
    }
}
