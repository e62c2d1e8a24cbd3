package io.muster.daemon.config;

/** A part of the daemon that follows the configuration. */
@FunctionalInterface
public interface Configurable {
    /**
     * Puts a new configuration in force for this part. The thread that calls this method depends on the list of the daemon
     * that contains the part.
     *
     * @throws Exception if the part cannot follow; the parts after it keep the configuration that they have
     */
    void configure(Config next) throws Exception;
}
