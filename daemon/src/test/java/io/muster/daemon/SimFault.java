package io.muster.daemon;

import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * A kind of fault of the simulated cluster.
 *
 * @param mix the group to which it belongs
 * @param weight how often it happens, relative to the other faults of a run
 * @param possible whether it may begin now
 * @param begin begins the fault, and schedules its end
 */
record SimFault(String name, String mix, int weight, Predicate<SimDaemon> possible, Consumer<SimDaemon> begin) {}
