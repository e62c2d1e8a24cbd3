/**
 * The operator's input: the TOML of {@code [resource]}, {@code [access]} and {@code [muster]}, and the format of the log. Depends on the
 * inventory's values, Jackson and logback, but on nothing else of the daemon and not on Netty, so that {@code muster check} runs the same
 * code and starts fast. Configurations are immutable and may be used on any thread; reading one may block on files and on the name
 * service.
 */
@NullMarked
package io.muster.daemon.config;

import org.jspecify.annotations.NullMarked;
