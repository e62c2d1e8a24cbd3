package io.muster.cli.look;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.Lifetime;
import io.muster.cli.ask.Overview;
import io.muster.cli.ask.ReadVerb;
import io.muster.cli.ask.SelectionOptions;
import io.muster.cli.ask.Standby;
import io.muster.cli.ask.StateTable;
import io.muster.cli.ask.TableOptions;
import io.muster.cli.ask.ZoneOption;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.status.Departure;
import io.muster.inventory.status.NoteText;
import io.muster.inventory.status.Scheduler;
import io.muster.inventory.status.StateFilter;
import io.muster.inventory.status.StateGroup;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code muster status}. */
@Command(
        name = "status",
        description = {
            "Show the state of all hosts, grouped by state and reason.",
            "States: avail, allocated (a job uses the host), torpid (connected, but not heard from lately), exclude, lost "
                    + "(shrunk), draining (drained, and a job still uses it), drained. A star and ✗ mark hosts that are "
                    + "offline. A question mark says that the liveness of a host is unknown, because its reporter is lost.",
            "If the table is longer than the terminal, `muster summary` is printed instead."
        },
        footer = {"  muster status", "  muster status --state=drained -o long", "  muster status @gpu"})
public final class Status extends ReadVerb {
    private static final Map<String, String> FORMATS = Map.of(
            "default",
            "state,up,nnodes,reason,nodelist",
            "long",
            "state,up,nnodes,since,holder,by,until,reason,nodelist");

    @Parameters(
            arity = "0..*",
            paramLabel = "TARGETS",
            description = "Select only these ranks, hosts or @PROPERTY. - reads them from standard input.")
    private List<String> targets = List.of();

    @Option(
            names = {"-s", "--states", "--state"},
            paramLabel = "STATE,...",
            description =
                    "Select only hosts in these states: avail, allocated, torpid, exclude, lost, draining, drained, drain "
                            + "(draining and drained), online, offline, unknown.")
    private @Nullable String states;

    @Option(
            names = "--skip-empty",
            hidden = true,
            description = "Accepted for scripts that call flux: Muster prints no empty lines.")
    void skipEmpty(boolean always) {}

    @Mixin
    private final SelectionOptions selection = new SelectionOptions();

    @Mixin
    private final TableOptions look = new TableOptions();

    @Mixin
    private final ZoneOption zone = new ZoneOption();

    public Status(Console console) {
        super(console);
    }

    @Override
    protected int run(FluxClient client) throws IOException {
        StateFilter filter = filter();
        Overview standing = Overview.ask(client);
        Standby standby = standing.flux() ? null : Standby.ask(client);
        Idset among = selection.among(client, standing.resources(), targets(client, targets));
        List<StateGroup> groups = filter.keep(standing.groups(among));
        if (json()) {
            console().json(json(standing, standby, groups));
        } else {
            if (standby != null) {
                console().complain("muster status: " + standby);
            }
            warn(standing);
            new StateTable(standing, look, console(), zone.zone(console()))
                    .print(groups, FORMATS, client, "muster status");
            mentionDeparted(standing);
        }
        return Exit.OK;
    }

    private StateFilter filter() {
        try {
            return StateFilter.of(states);
        } catch (IllegalArgumentException e) {
            throw new Failure(Exit.USAGE, "--states: " + e.getMessage());
        }
    }

    /**
     * Mentions departed hosts that are drained. They have no rank, so the table has no row for them, but a user may look for
     * their drain.
     */
    private void mentionDeparted(Overview standing) {
        Hostlist held = Departure.drained(standing.state(), standing.now(console()));
        if (!held.isEmpty() && targets.isEmpty() && states == null) {
            console().complain("muster status: these hosts left R and will be drained when they return: " + held);
        }
    }

    private void warn(Overview standing) {
        if (standing.clock() != null) {
            console().complain("muster status: " + standing.clock());
        }
        if (standing.fault() != null) {
            console().complain("muster status: the daemon takes no changes: " + standing.fault());
        }
        if (!standing.waiting().isEmpty()) {
            console()
                    .complain("muster status: a scheduler has acquired an older R; until it acquires again, these parts"
                            + " of the new R wait: " + String.join("; ", standing.waiting()));
        }
        for (Scheduler scheduler : standing.schedulers()) {
            if (!scheduler.isConnected()) {
                console()
                        .complain("muster status: " + scheduler + " is not connected; the acquisition is kept until "
                                + zone.zone(console()).second(scheduler.until()));
            }
            Idset unknown = scheduler.unknown(standing.state());
            if (!unknown.isEmpty()) {
                Hostlist hosts = standing.resources().hostsOf(unknown);
                console().complain("muster status: " + scheduler.ignorance(hosts));
            }
        }
    }

    private ObjectNode json(Overview standing, @Nullable Standby standby, List<StateGroup> groups) {
        ObjectNode json = standing.toJson();
        if (!standing.flux()) {
            json.set("standby", standby == null ? null : standby.toJson());
            ArrayNode waiting = json.putArray("waiting");
            standing.waiting().forEach(waiting::add);
            ArrayNode schedulers = json.putArray("schedulers");
            standing.schedulers().forEach(scheduler -> schedulers.add(standing.toJson(scheduler)));
        }
        Lifetime.of(standing.resources()).writeTo(json);
        json.put(
                "departed_drained",
                Departure.drained(standing.state(), standing.now(console())).toString());
        json.set("notes", NoteText.all(standing.state()));
        ArrayNode all = json.putArray("groups");
        for (StateGroup group : groups) {
            all.add(group.toJson(standing.resources(), look.expand()));
        }
        return json;
    }
}
