package io.muster.inventory.rset;

import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Compares the resources that ranks have with the expected resources, as {@code flux R verify} does for one rank. */
final class Verification {
    private final ResourceSet expected;
    private final ResourceSet actual;
    private final List<Difference> differences = new ArrayList<>();

    Verification(ResourceSet expected, ResourceSet actual) {
        this.expected = expected;
        this.actual = actual;
    }

    List<Difference> differences() {
        Idset unknown = actual.ranks().subtract(expected.ranks());
        if (!unknown.isEmpty()) {
            add(Difference.Kind.UNKNOWN_RANK, unknown, ranks(unknown) + " not found in expected ranks");
        }
        Idset differentHosts = expected.placement().disagreements(actual.placement());
        differentHosts.forEach(this::hostname);
        RankContents compared = actual.layout().remove(differentHosts);
        expected.layout().forEachShared(compared, this::compare);
        differences.sort(Comparator.comparing(Difference::kind)
                .thenComparing(difference -> difference.ranks().first()));
        return List.copyOf(differences);
    }

    private void hostname(int rank) {
        String sentence = "rank " + rank + " got hostname '" + actual.hostOf(rank) + "', expected '"
                + expected.hostOf(rank) + "'";
        add(Difference.Kind.HOSTNAME, Idset.of(rank), sentence);
    }

    private void compare(Idset ranks, Contents promised, Contents found) {
        Contents missing = promised.subtract(found);
        if (!missing.isEmpty()) {
            add(Difference.Kind.MISSING, ranks, subject(ranks) + " missing resources: " + missing);
        }
        Contents extra = found.subtract(promised);
        if (!extra.isEmpty()) {
            String has = ranks.size() == 1 ? " has" : " have";
            add(Difference.Kind.EXTRA, ranks, subject(ranks) + has + " extra resources: " + extra);
        }
    }

    private void add(Difference.Kind kind, Idset ranks, String sentence) {
        Hostlist hosts = actual.hostsOf(ranks);
        differences.add(new Difference(kind, ranks, hosts, sentence));
    }

    private String subject(Idset ranks) {
        return ranks(ranks) + " (" + actual.hostsOf(ranks) + ")";
    }

    private static String ranks(Idset ranks) {
        return (ranks.size() == 1 ? "rank " : "ranks ") + ranks;
    }
}
