/**
 * The alert package turns the messages of a Prometheus Alertmanager (webhook version 4) into holds: an alert that fires
 * drains a host, and its end ends the hold. It depends on the configuration, on core for the inventory and on the
 * inventory's commands and JSON. A message is read on any thread, and its alerts are carried out on the core thread.
 */
@NullMarked
package io.muster.daemon.alert;

import org.jspecify.annotations.NullMarked;
