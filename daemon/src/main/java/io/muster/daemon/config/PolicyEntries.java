package io.muster.daemon.config;

import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.Purpose;
import io.muster.inventory.problem.Text;
import io.muster.inventory.state.Brake;
import io.muster.inventory.state.Policy;
import java.util.ArrayList;
import java.util.List;

/** Reads {@code [[policy]]}, the rules by which the daemon drains hosts that were absent. */
final class PolicyEntries {
    private static final Fsd LONGEST = new Fsd(30 * 86_400);

    private PolicyEntries() {}

    /** @param alerts the first part of the holder of each alert's hold; "" if alerts are refused */
    static List<Policy> read(ConfigTable top, List<Brake> brakes, HoldSettings holds, String alerts) {
        List<Policy> policies = new ArrayList<>();
        for (ConfigTable table : top.tables(Key.POLICY.key())) {
            Policy policy = read(table, holds);
            if (AlertSettings.isHolder(alerts, policy.holder())) {
                table.problem("hold", "\"" + policy.holder() + "\" is the holder of alerts: use another name");
            } else if (brakes.stream().noneMatch(brake -> brake.covers(policy.holder()))) {
                table.problem(
                        "hold",
                        "no [[brake]] covers the holder \"" + policy.holder()
                                + "\": add one, so that a fault of the network does not drain all hosts");
            }
            policies.add(policy);
        }
        return List.copyOf(policies);
    }

    private static Policy read(ConfigTable policy, HoldSettings holds) {
        policy.refuseUnknown(List.of("when", "after", "targets", "hold"));
        for (String key : List.of("when", "after", "hold")) {
            if (!policy.has(key)) {
                policy.problem(key, "is missing: a policy has when, after and a hold");
            }
        }
        Policy.When when = policy.choice("when", Policy.When.OFFLINE);
        Fsd after = policy.duration("after", new Fsd(600));
        if (!(after.seconds() >= 1 && after.seconds() <= LONGEST.seconds())) {
            policy.problem("after", "expected 1s to 30d");
        }
        ConfigTable hold = policy.table("hold");
        hold.refuseUnknown(List.of("holder", "reason", "class", "check", "action"));
        String holder = hold.get("holder", "policy", node -> {
            String fault = Hold.holderFault(ConfigTable.textOf(node));
            ConfigTable.require(fault == null, String.valueOf(fault));
            ConfigTable.require(
                    !node.textValue().equals(Hold.SHARED),
                    "\"" + Hold.SHARED + "\" is the holder of drains that name no holder");
            return node.textValue();
        });
        String reason = hold.text("reason", reason(when, after));
        if (!reason.codePoints().allMatch(Text::isText) || reason.isBlank()) {
            hold.problem("reason", "expected one line of text");
        }
        Purpose purpose = new Purpose(hold.text("class", ""), "", hold.text("check", ""), hold.text("action", ""));
        String fault = holds.fault(purpose);
        if (fault != null) {
            policy.problem("hold", fault);
        }
        return new Policy(when, after.seconds(), policy.text("targets", "all"), holder, reason, purpose);
    }

    private static String reason(Policy.When when, Fsd after) {
        return when == Policy.When.RETURNED ? "came back after at least " + after : when.word() + " for " + after;
    }
}
