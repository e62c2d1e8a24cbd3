/**
 * Tests of the code itself: what may depend on what, and what it looks like. Depends on the compiler's tree API and on ArchUnit;
 * a failure here is mended in the code that it names.
 */
@NullMarked
package io.muster.gates;

import org.jspecify.annotations.NullMarked;
