/**
 * What the operator writes: the TOML of {@code [resource]}, {@code [access]} and {@code [muster]}, the accounts it names, and how the
 * log looks. Depends on the inventory's values and on Jackson and logback, on nothing else of the daemon and not on Netty, so that
 * {@code muster check} is the same code and starts fast. Configurations are immutable and may be used on any thread; reading one may
 * block on files and on the name service.
 */
@NullMarked
package io.muster.daemon.config;

import org.jspecify.annotations.NullMarked;
