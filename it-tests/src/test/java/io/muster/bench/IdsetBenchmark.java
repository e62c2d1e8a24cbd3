package io.muster.bench;

import io.muster.inventory.idset.IdMap;
import io.muster.inventory.idset.Idset;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/** Set operations over a million ranks in shapes that occur on clusters. */
public class IdsetBenchmark extends ClusterBenchmark {
    /** FULL: one range. HOLES: 1 rank in 100 missing. BLOCKS: 900 of every 1000. ALTERNATING: every second rank. */
    public enum Shape {
        FULL,
        HOLES,
        BLOCKS,
        ALTERNATING;

        boolean has(int id) {
            return switch (this) {
                case FULL -> true;
                case HOLES -> id % 100 > 0;
                case BLOCKS -> id % 1000 < 900;
                case ALTERNATING -> id % 2 == 0;
            };
        }
    }

    @Param
    public Shape shape = Shape.FULL;

    private Idset set = Idset.EMPTY;
    private Idset other = Idset.EMPTY;
    private Idset copy = Idset.EMPTY;
    private String text = "";
    private IdMap<String> map = IdMap.empty();

    @Setup
    public void makeSets() {
        set = made(0);
        other = made(MILLION / 3 + 1);
        copy = made(0);
        text = set.toString();
        map = IdMap.<String>empty().put(set, "up").put(Idset.range(MILLION / 2, MILLION), "down");
    }

    private Idset made(int offset) {
        return ids(offset, offset + MILLION, id -> shape.has(id - offset));
    }

    @Benchmark
    public Idset parse() {
        return Idset.parse(text);
    }

    @Benchmark
    public String format() {
        return set.toString();
    }

    @Benchmark
    public Idset union() {
        return set.union(other);
    }

    @Benchmark
    public Idset intersect() {
        return set.intersect(other);
    }

    @Benchmark
    public Idset subtract() {
        return set.subtract(other);
    }

    @Benchmark
    public Idset withoutOne() {
        return set.without(MILLION / 2);
    }

    @Benchmark
    public Idset withOne() {
        return set.with(MILLION + 7);
    }

    @Benchmark
    public int rangeCount() {
        return set.rangeCount();
    }

    @Benchmark
    public boolean equality() {
        return set.equals(copy);
    }

    @Benchmark
    public Idset build() {
        return made(0);
    }

    @Benchmark
    public IdMap<String> mapPutOne() {
        return map.put(Idset.range(MILLION / 4, MILLION / 4), "drained");
    }

    @Benchmark
    public IdMap<String> mapPutAll() {
        return map.put(set, "drained");
    }
}
