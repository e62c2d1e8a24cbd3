/**
 * The operator's input: the configuration in TOML and the format of the log. A {@link io.muster.daemon.config.ConfigTree} knows the files
 * and the place of each key, a {@link io.muster.daemon.config.ConfigTable} reads typed values and reports what is wrong with them, and a
 * record for each subject reads itself from tables. The package uses the inventory's values, Jackson and logback, but nothing else of the
 * daemon and not Netty, so that {@code muster check} runs the same code as the daemon and starts fast. Configurations are immutable and
 * may be used on any thread; reading one may block on files and on the name service.
 */
@NullMarked
package io.muster.daemon.config;

import org.jspecify.annotations.NullMarked;
