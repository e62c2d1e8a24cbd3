package io.muster.cli.ask;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.state.TargetExpression;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.util.List;

/**
 * A filter that selects journal events by time, name, ranks and hosts.
 *
 * @param since earliest time to select, in seconds since the epoch
 * @param until latest time to select, in seconds since the epoch
 * @param names names of events; empty for all
 * @param ranks ranks of which an event must name one; if {@code ranks} and {@code hosts} are both empty, events about any rank and host
 *     match
 * @param hosts hosts of which an event must name one; an event that names no hosts is compared by {@code ranks} instead
 */
public record EventFilter(double since, double until, List<String> names, Idset ranks, Hostlist hosts) {
    public static final EventFilter ALL = new EventFilter(0, Double.MAX_VALUE, List.of(), Idset.EMPTY, Hostlist.EMPTY);

    public EventFilter between(double from, double to) {
        return new EventFilter(from, to, names, ranks, hosts);
    }

    public EventFilter named(List<String> wanted) {
        return new EventFilter(since, until, List.copyOf(wanted), ranks, hosts);
    }

    /**
     * Returns this filter for events about the targets. If the targets are hosts, events that name only ranks do not match.
     *
     * @param targets ranks if the text is an idset, otherwise hosts
     */
    public EventFilter about(String targets) {
        try {
            return new EventFilter(since, until, names, Idset.parse(targets), Hostlist.EMPTY);
        } catch (MalformedException notRanks) {
            return new EventFilter(since, until, names, Idset.EMPTY, hostlist(targets));
        }
    }

    /**
     * Returns this filter for a server's events about the targets, in any form that the server understands. Hosts are compared by their
     * ranks too, because some events name only ranks. R may no longer name all of them.
     */
    public EventFilter about(FluxClient client, String targets) throws IOException {
        List<String> parts = TargetExpression.parts(targets);
        if (parts.stream().anyMatch(part -> TargetExpression.isSelection(part) || TargetExpression.isSearch(part))) {
            StateDocument.Found found = StateDocument.find(client, "targets", targets);
            return new EventFilter(since, until, names, found.ranks(), found.hosts());
        }
        EventFilter filter = about(targets);
        return filter.hosts.isEmpty() ? filter : filter.knowing(ranks(client, targets));
    }

    private static Idset ranks(FluxClient client, String hosts) throws IOException {
        try {
            return StateDocument.find(client, "include", hosts).ranks();
        } catch (Failure unknown) {
            if (unknown.exit() != Exit.NO_TARGET) {
                throw unknown;
            }
            return Idset.EMPTY;
        }
    }

    /** Returns this filter for events that name only ranks too. */
    EventFilter knowing(Idset ranksOfHosts) {
        return new EventFilter(since, until, names, ranksOfHosts, hosts);
    }

    private static Hostlist hostlist(String targets) {
        if (targets.indexOf('@') >= 0) {
            throw new Failure(
                    Exit.USAGE,
                    targets + ": a journal does not say which hosts have a property",
                    "give hosts or ranks");
        }
        try {
            return Hostlist.parse(targets);
        } catch (MalformedException e) {
            throw new Failure(Exit.USAGE, String.valueOf(e.getMessage()));
        }
    }

    public boolean matches(JsonNode event) {
        double time = event.path("timestamp").asDouble();
        boolean named = names.isEmpty() || names.contains(event.path("name").asText());
        return named && time >= since && time <= until && isAbout(event.path("context"));
    }

    private boolean isAbout(JsonNode context) {
        if (ranks.isEmpty() && hosts.isEmpty()) {
            return true;
        }
        String nodelist = context.path("nodelist").asText("");
        if (!hosts.isEmpty() && !nodelist.isEmpty()) {
            return !Hostlist.parse(nodelist).indexesOf(hosts).isEmpty();
        }
        return isAboutRanks(context.path("idset"))
                || isAboutRanks(context.path("ranks"))
                || isAboutRanksOfOne(context.path("properties"));
    }

    private boolean isAboutRanks(JsonNode idset) {
        return Idset.parse(idset.asText("")).intersects(ranks);
    }

    private boolean isAboutRanksOfOne(JsonNode properties) {
        for (JsonNode idset : properties) {
            if (isAboutRanks(idset)) {
                return true;
            }
        }
        return false;
    }
}
