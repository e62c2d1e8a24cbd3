package io.muster.bench;

import io.muster.inventory.idset.IdMap;
import io.muster.inventory.idset.Idset;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Set operations over a million ranks in the shapes that a cluster shows. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class IdsetBenchmark {
    private static final int RANKS = 1 << 20;

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
        other = made(RANKS / 3 + 1);
        copy = made(0);
        text = set.toString();
        map = IdMap.<String>empty().put(set, "up").put(Idset.range(RANKS / 2, RANKS), "down");
    }

    private Idset made(int offset) {
        Idset.Builder ids = Idset.builder();
        for (int id = 0; id < RANKS; id++) {
            if (shape.has(id)) {
                ids.add(id + offset);
            }
        }
        return ids.build();
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
        return set.without(RANKS / 2);
    }

    @Benchmark
    public Idset withOne() {
        return set.with(RANKS + 7);
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
        return map.put(Idset.range(RANKS / 4, RANKS / 4), "drained");
    }

    @Benchmark
    public IdMap<String> mapPutAll() {
        return map.put(set, "drained");
    }
}
