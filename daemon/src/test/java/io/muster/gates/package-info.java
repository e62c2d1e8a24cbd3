/**
 * Tests of the code itself: allowed dependencies, and rules for the sources. These tests depend on the tree API of the compiler and on
 * ArchUnit. To fix a failure, change the code that the failure names.
 */
@NullMarked
package io.muster.gates;

import org.jspecify.annotations.NullMarked;
