/**
 * Tests of sessions and what they may ask.
 */
@NullMarked
package io.muster.daemon.service;

import org.jspecify.annotations.NullMarked;
