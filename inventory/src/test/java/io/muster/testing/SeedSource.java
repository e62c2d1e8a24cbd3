package io.muster.testing;

import java.util.Random;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.support.AnnotationConsumer;
import org.junit.jupiter.params.support.ParameterDeclarations;

/** Provides the argument of a {@link Seeds} test. */
public final class SeedSource implements ArgumentsProvider, AnnotationConsumer<Seeds> {
    private static final String DEFAULT_COUNT = "50";

    private double share = 1.0;

    @Override
    public void accept(Seeds seeds) {
        share = seeds.share();
    }

    @Override
    public Stream<Arguments> provideArguments(ParameterDeclarations parameters, ExtensionContext context) {
        Class<?> wanted = parameters.getFirst().orElseThrow().getParameterType();
        return seeds(System.getProperty("muster.seed", ""), System.getProperty("muster.seeds", DEFAULT_COUNT), share)
                .mapToObj(seed -> Arguments.of(Named.of(title(seed), argument(wanted, seed))));
    }

    /**
     * Returns a generator whose first numbers differ much between neighbouring seeds, unlike those of {@code new Random(seed)}.
     */
    public static Random random(long seed) {
        long mixed = (seed ^ (seed >>> 30)) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
        return new Random(mixed ^ (mixed >>> 31));
    }

    static LongStream seeds(String single, String count, double share) {
        if (!single.isEmpty()) {
            return LongStream.of(Long.parseLong(single));
        }
        long wanted = count.isEmpty() ? Long.parseLong(DEFAULT_COUNT) : Long.parseLong(count);
        return LongStream.rangeClosed(1, Math.max(1, (long) (wanted * share)));
    }

    static String title(long seed) {
        return "seed " + seed + " (replay with -Dmuster.seed=" + seed + ")";
    }

    private static Object argument(Class<?> wanted, long seed) {
        if (wanted == long.class) {
            return seed;
        }
        if (wanted == Random.class) {
            return random(seed);
        }
        throw new IllegalArgumentException("a @Seeds test takes a long or a Random, not " + wanted);
    }
}
