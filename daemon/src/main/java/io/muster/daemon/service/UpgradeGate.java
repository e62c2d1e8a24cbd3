package io.muster.daemon.service;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Checks the conditions for the end of an upgrade that do not follow from the state. */
@FunctionalInterface
public interface UpgradeGate {
    /**
     * Returns why the newest format level may not be written yet, or null; may block.
     *
     * @throws IOException if this cannot be found out
     */
    @Nullable
    String refusal() throws IOException;
}
