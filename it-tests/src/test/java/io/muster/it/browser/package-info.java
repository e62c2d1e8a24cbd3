/**
 * Tests of the page in a real browser: Debian's chromium, driven by Playwright. Depends on the harness and the cast. The profile {@code
 * browser} compiles and runs these tests, because the driver of the browser weighs 200 MB.
 */
@NullMarked
package io.muster.it.browser;

import org.jspecify.annotations.NullMarked;
