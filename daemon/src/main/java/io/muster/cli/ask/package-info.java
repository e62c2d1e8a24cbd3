/**
 * The ask package has the parts that several verbs need to query a daemon or to read its files: connection options, targets,
 * the overview of the inventory, and the selection and the text of events. It depends on terminal, the client, the
 * protocol's messages, the inventory and the daemon's configuration and journal. It runs on the main thread.
 */
@NullMarked
package io.muster.cli.ask;

import org.jspecify.annotations.NullMarked;
