package io.muster.inventory.status;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Acquisition;
import io.muster.inventory.axis.Times;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.state.InventoryState;

/**
 * A scheduler that has acquired the resources, as users see it.
 *
 * @param pid process id of the scheduler; 0 if unknown
 * @param since when the scheduler acquired, in seconds since the epoch
 * @param responses number of responses that the scheduler has been sent
 * @param offered ranks in the first response to the scheduler
 * @param up ranks in {@code offered} that are up according to the responses sent so far
 * @param behind whether some changes have not been sent to the scheduler yet
 * @param owner the name under which the acquisition is kept when its connection ends; "" for an acquisition without an owner
 * @param until when the acquisition ends because its owner has no connection, in seconds since the epoch; 0 while it has one
 */
public record Scheduler(
        String user,
        int userid,
        int pid,
        double since,
        long responses,
        Idset offered,
        Idset up,
        boolean behind,
        String owner,
        double until) {
    /** Returns an acquisition whose owner has no connection now. */
    public static Scheduler away(Acquisition held, double until) {
        return new Scheduler(
                held.by().names(),
                held.by().uid(),
                0,
                held.since(),
                0,
                Idset.EMPTY,
                Idset.EMPTY,
                false,
                held.owner(),
                until);
    }

    public boolean isConnected() {
        return until == 0;
    }

    /** Returns the ranks on offer that the scheduler does not know until it acquires again; none if it has no connection. */
    public Idset unknown(InventoryState state) {
        return isConnected() ? state.members().subtract(offered) : Idset.EMPTY;
    }

    /** Returns the scheduler with what it does not know, and the number of hosts whose present state it has not been sent. */
    public ObjectNode toJson(InventoryState state) {
        Idset now = state.view().up().intersect(offered);
        return toJson().put("name", toString())
                .put("unknown", state.resources().hostsOf(unknown(state)).toString())
                .put(
                        "unsent_nnodes",
                        isConnected() ? up.symmetricDifference(now).size() : 0);
    }

    public ObjectNode toJson() {
        ObjectNode json = JsonNodeFactory.instance
                .objectNode()
                .put("user", user)
                .put("userid", userid)
                .put("pid", pid)
                .put("since", Times.rfc3339(since))
                .put("responses", responses)
                .put("behind", behind)
                .put("connected", isConnected());
        json.put("owner", owner.isEmpty() ? null : owner);
        return json.put("until", isConnected() ? null : Times.rfc3339(until));
    }

    @Override
    public String toString() {
        return (owner.isEmpty() ? "" : owner + ", ") + user + "(" + Integer.toUnsignedString(userid) + ")"
                + (pid == 0 ? "" : " pid " + pid);
    }
}
