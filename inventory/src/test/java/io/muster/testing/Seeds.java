package io.muster.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ArgumentsSource;

/**
 * Marks a property test, which runs once for each seed, with the seed ({@code long}) or a {@link java.util.Random} made from
 * the seed as its only argument.
 *
 * <p>Seeds are 1, 2, 3, ... up to the value of the system property {@code muster.seeds} (50 if unset); {@code muster.seed}
 * selects a single seed. The message of a failure starts with the seed and how to replay it.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Tag("seeds")
@ParameterizedTest(name = "{0}")
@ArgumentsSource(SeedSource.class)
@ExtendWith(SeedReport.class)
public @interface Seeds {
    /** Part of {@code muster.seeds} that runs, at least one seed; for costly properties. */
    double share() default 1.0;
}
