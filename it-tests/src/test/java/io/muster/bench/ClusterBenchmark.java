package io.muster.bench;

import io.muster.inventory.idset.Idset;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** The conditions under which every benchmark is measured, and the sets of ranks that they use. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public abstract class ClusterBenchmark {
    static final int MILLION = 1 << 20;
    /** The names of a million hosts. */
    static final String MILLION_HOSTS = "node[0-1048575]";

    /** The ids from 0 to {@code bound - 1} that satisfy the predicate. */
    static Idset ids(int bound, IntPredicate wanted) {
        return ids(0, bound, wanted);
    }

    static Idset ids(int first, int bound, IntPredicate wanted) {
        Idset.Builder ids = Idset.builder();
        for (int id = first; id < bound; id++) {
            if (wanted.test(id)) {
                ids.add(id);
            }
        }
        return ids.build();
    }
}
