package io.muster.cli.ask;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.rset.ResourceSet;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.util.List;

/**
 * Selects journal events.
 *
 * @param since seconds since the epoch, like {@code until}
 * @param names names of events; empty for all
 * @param ranks only events about one of these ranks
 * @param hosts only events about one of these hosts; if an event names hosts, its hosts are compared and not its ranks. If both are empty,
 *     events about any rank and host match
 */
public record EventFilter(double since, double until, List<String> names, Idset ranks, Hostlist hosts) {
    public static final EventFilter ALL = new EventFilter(0, Double.MAX_VALUE, List.of(), Idset.EMPTY, Hostlist.EMPTY);

    public EventFilter between(double from, double to) {
        return new EventFilter(from, to, names, ranks, hosts);
    }

    public EventFilter named(List<String> some) {
        return new EventFilter(since, until, List.copyOf(some), ranks, hosts);
    }

    /**
     * A filter for targets.
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

    /** A filter for targets where R is known: hosts are also given as ranks, since some events name only ranks. */
    public EventFilter about(String targets, ResourceSet resources) {
        EventFilter filter = about(targets);
        Idset wanted = filter.ranks;
        for (String host : filter.hosts.expand()) {
            wanted = wanted.union(resources.ranksOf(host));
        }
        return new EventFilter(since, until, names, wanted, filter.hosts);
    }

    /** A filter for targets of a server's events, which may include {@code all} and {@code @PROPERTY}. */
    public EventFilter about(FluxClient client, String targets) throws IOException {
        ResourceSet resources = Overview.ask(client).resources();
        return about(TargetNames.spell(resources, targets), resources);
    }

    private static Hostlist hostlist(String targets) {
        if (targets.indexOf('@') >= 0) {
            throw new Failure(
                    Exit.USAGE,
                    targets + ": which hosts have a property, a journal does not say",
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
        return isAboutRanks(context.path("idset")) || isAboutRanksOfOne(context.path("properties"));
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
