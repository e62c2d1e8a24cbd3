package io.muster.daemon;

import io.muster.daemon.config.Config;
import io.muster.daemon.machine.Simulation;
import java.util.List;

/**
 * What all simulated daemons have in common.
 *
 * @param configs the configurations between which a reload changes; the first is that of the first start
 */
record SimWorld(Simulation simulation, SimWitness witness, List<Config> configs, Telemetry telemetry) {}
