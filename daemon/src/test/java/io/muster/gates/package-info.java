/**
 * Tests of the code itself: allowed dependencies, and rules for the sources. Depends on the compiler's tree API and on ArchUnit. To repair
 * a failure, change the code that it names.
 */
@NullMarked
package io.muster.gates;

import org.jspecify.annotations.NullMarked;
