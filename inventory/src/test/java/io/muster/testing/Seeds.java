package io.muster.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ArgumentsSource;

/**
 * A property: the test runs once per seed, with the seed ({@code long}) or a {@link java.util.Random} made from it as its only
 * argument.
 *
 * <p>Seeds are 1, 2, 3, ... as many as the system property {@code muster.seeds} says (200 when unset); {@code muster.seed} runs
 * that one seed alone. A failure's message starts with the seed and how to replay it.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedTest(name = "{0}")
@ArgumentsSource(SeedSource.class)
@ExtendWith(SeedReport.class)
public @interface Seeds {
    /** For a costly property: no more seeds than this part of {@code muster.seeds}, but one at least. */
    double share() default 1.0;
}
