package io.muster.bench;

import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import java.util.Map;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/** Operations of a daemon on its resource set, at the sizes of the largest systems and in an unfavourable shape. */
public class ResourceSetBenchmark extends ClusterBenchmark {
    /**
     * LIKE: 1,048,576 equal ranks. HOLES: the same with one in 100 missing. MIXED: 16,384 ranks that alternate between 200 groups, with
     * properties on every second and third rank.
     */
    public enum Shape {
        LIKE,
        HOLES,
        MIXED;

        ResourceSet make() {
            return switch (this) {
                case LIKE -> like();
                case HOLES -> like().remove(ids(MILLION, id -> id % 100 == 0));
                case MIXED -> mixed();
            };
        }

        private static ResourceSet like() {
            Idset ranks = Idset.range(0, MILLION - 1);
            Hostlist hosts = Hostlist.parse(MILLION_HOSTS);
            return ResourceSet.of(hosts, ranks, Idset.range(0, 95), Idset.range(0, 3), Map.of("batch", ranks));
        }

        private static ResourceSet mixed() {
            int groups = 200;
            int ranks = 1 << 14;
            ResourceSet all = ResourceSet.EMPTY;
            Hostlist hosts = Hostlist.parse("node[0-" + (ranks - 1) + "]");
            for (int i = 0; i < groups; i++) {
                int group = i;
                Idset own = ids(ranks, id -> id % groups == group);
                Idset gpus = group % 2 == 0 ? Idset.EMPTY : Idset.range(0, 3);
                all = all.append(ResourceSet.of(hosts.select(own), own, Idset.range(0, group), gpus, Map.of()));
            }
            return all.withProperty("batch", ids(ranks, id -> id % 2 == 0))
                    .withProperty("debug", ids(ranks, id -> id % 3 == 0));
        }
    }

    @Param
    public Shape shape = Shape.LIKE;

    private ResourceSet set = ResourceSet.EMPTY;
    private ResourceSet half = ResourceSet.EMPTY;
    private byte[] bytes = {};
    private Idset scattered = Idset.EMPTY;
    private Idset one = Idset.EMPTY;
    private String hosts = "";

    @Setup
    public void makeSets() {
        set = shape.make();
        bytes = set.toBytes();
        one = Idset.of(set.ranks().nth(set.nodes() / 3));
        scattered = ids(set.ranks().last(), id -> id % 97 == 0).intersect(set.ranks());
        half = set.keep(Idset.range(0, set.ranks().last() / 2));
        hosts = set.hostsOf(Idset.range(1000, 1999).intersect(set.ranks())).toString();
    }

    @Benchmark
    public ResourceSet parse() {
        return ResourceSet.parse(bytes);
    }

    @Benchmark
    public byte[] write() {
        return set.toBytes();
    }

    @Benchmark
    public ResourceSet removeOne() {
        return set.remove(one);
    }

    @Benchmark
    public ResourceSet removeScattered() {
        return set.remove(scattered);
    }

    @Benchmark
    public ResourceSet addProperty() {
        return set.withProperty("debug", one);
    }

    @Benchmark
    public ResourceSet setExpiration() {
        return set.withExpiration(1676562342.5);
    }

    @Benchmark
    public ResourceSet diffHalf() {
        return set.diff(half);
    }

    @Benchmark
    public ResourceSet unionHalf() {
        return set.union(half);
    }

    @Benchmark
    public Idset thousandHosts() {
        return set.targets(hosts);
    }

    @Benchmark
    public Hostlist hostsOfScattered() {
        return set.hostsOf(scattered);
    }
}
