package io.muster.inventory.state;

import io.muster.inventory.axis.Principal;
import io.muster.inventory.hostlist.Hostlist;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;

/**
 * A command whose targets a person has seen as hosts: it is refused if the targets are other hosts when it is decided, because a new R has
 * other ranks or properties.
 *
 * @param targets the targets of the command
 * @param hosts the hostlist that the person has seen, or its {@link #digest}
 */
public record Expected(Command command, List<String> targets, String hosts) implements Command {
    /** The length beyond which a hostlist is better sent as a digest. */
    public static final int LONG = 64 << 10;

    private static final String DIGEST = "sha256:";

    public Expected {
        targets = List.copyOf(targets);
    }

    /** Returns a short text that stands for the hosts, in any order, and has their number. */
    public static String digest(Hostlist hosts) {
        return digest(hosts.expand());
    }

    private static String digest(Collection<String> hosts) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            hosts.stream().sorted().forEach(host -> digest.update((host + "\n").getBytes(StandardCharsets.UTF_8)));
            return DIGEST + HexFormat.of().formatHex(digest.digest()) + ":" + hosts.size();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    public static boolean isDigest(String text) {
        return text.startsWith(DIGEST);
    }

    @Override
    public boolean takesLong() {
        return isDigest(hosts) || command.takesLong();
    }

    @Override
    public Decision decide(InventoryState state, double now, Principal by) {
        String difference = difference(TargetExpression.known(state, targets).hosts());
        return difference.isEmpty()
                ? command.decide(state, now, by)
                : Decision.reject(
                        Decision.Rejection.Kind.STALE,
                        "nothing was changed: the targets are not the hosts that were confirmed any more: "
                                + difference);
    }

    /** Returns how hosts differ from those that the person has seen; "" if they do not. */
    private String difference(Hostlist found) {
        if (found.toString().equals(hosts)) {
            return "";
        }
        Set<String> present = new HashSet<>(found.expand());
        if (isDigest(hosts)) {
            String before = hosts.substring(hosts.lastIndexOf(':') + 1);
            return digest(present).equals(hosts)
                    ? ""
                    : present.size() + " hosts now, and " + before + " then, or others";
        }
        Set<String> seen = new HashSet<>(Hostlist.parse(hosts).expand());
        String came = some(present, seen);
        String gone = some(seen, present);
        return came.isEmpty() || gone.isEmpty()
                ? (came.isEmpty() ? "" : "now also ") + came + (gone.isEmpty() ? "" : "no longer ") + gone
                : "now " + came + ", no longer " + gone;
    }

    private static String some(Set<String> hosts, Set<String> without) {
        List<String> left =
                hosts.stream().filter(host -> !without.contains(host)).sorted().toList();
        return left.isEmpty() ? "" : Hostlist.of(left).abridged();
    }
}
