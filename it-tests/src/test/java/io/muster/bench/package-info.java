/**
 * JMH benchmarks of the figures that the documents promise; run with {@code mvn -q -Pbench -pl it-tests -am test-compile
 * -Dbench=NAME}. May depend on every module. State belongs to the benchmark's own thread.
 */
@NullMarked
package io.muster.bench;

import org.jspecify.annotations.NullMarked;
