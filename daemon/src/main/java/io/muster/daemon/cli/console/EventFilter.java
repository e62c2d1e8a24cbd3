package io.muster.daemon.cli.console;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.MalformedException;
import java.util.List;

/**
 * Which journal events somebody wants to see.
 *
 * @param since seconds since the epoch, as {@code until}
 * @param names of events; none for all
 * @param ranks only events about one of these; none for all
 * @param hosts the same by name
 */
public record EventFilter(double since, double until, List<String> names, Idset ranks, Hostlist hosts) {
    public static final EventFilter ALL = new EventFilter(0, Double.MAX_VALUE, List.of(), Idset.EMPTY, Hostlist.EMPTY);

    public EventFilter between(double from, double to) {
        return new EventFilter(from, to, names, ranks, hosts);
    }

    public EventFilter named(List<String> some) {
        return new EventFilter(since, until, List.copyOf(some), ranks, hosts);
    }

    /** @param targets ranks if they read as ranks, else hosts: an event knows both */
    public EventFilter about(String targets) {
        try {
            return new EventFilter(since, until, names, Idset.parse(targets), Hostlist.EMPTY);
        } catch (MalformedException notRanks) {
            return new EventFilter(since, until, names, Idset.EMPTY, hostlist(targets));
        }
    }

    private static Hostlist hostlist(String targets) {
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
        if (!ranks.isEmpty()) {
            return Idset.parse(context.path("idset").asText("")).intersects(ranks);
        }
        String nodelist = context.path("nodelist").asText("");
        return !nodelist.isEmpty() && !Hostlist.parse(nodelist).indexesOf(hosts).isEmpty();
    }
}
