package io.muster.cli.look;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.EventFeed;
import io.muster.cli.ask.EventFilter;
import io.muster.cli.ask.Overview;
import io.muster.cli.ask.SelectionOptions;
import io.muster.cli.ask.ServerVerb;
import io.muster.cli.ask.ZoneOption;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.inventory.axis.Departed;
import io.muster.inventory.status.Account;
import io.muster.inventory.status.Departure;
import io.muster.inventory.status.HostStatus;
import io.muster.inventory.status.Scheduler;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code muster why}. */
@Command(
        name = "why",
        description =
                "Explain the state of hosts: every axis and hold, the last events, and what schedulers were sent.",
        footer = {"  muster why node7", "  muster why --count=20 node[7-9]"})
public final class Why extends ServerVerb {
    @Parameters(
            arity = "1..*",
            paramLabel = "HOST",
            description = "Ranks, hosts, @PROPERTY or @{EXPR}. - reads them from standard input.")
    private List<String> targets = List.of();

    @Option(
            names = {"-c", "--count"},
            paramLabel = "N",
            description = "Show this many of the last events. Default: 5.")
    private int count = 5;

    @Mixin
    private final ZoneOption zone = new ZoneOption();

    public Why(Console console) {
        super(console);
    }

    @Override
    protected int run(FluxClient client) throws IOException {
        targets = targets(client, targets);
        Overview standing = Overview.ask(client);
        List<Account> accounts = accounts(standing);
        String silence = remember(client, standing, accounts);
        if (json()) {
            ObjectNode json = standing.toJson();
            ArrayNode hosts = json.putArray("hosts");
            accounts.forEach(account -> hosts.add(account.toJson()));
            console().json(json);
        } else {
            double now = standing.now(console());
            accounts.forEach(account -> console().print(account.text(now, silence, zone.zone(console())::second)));
        }
        return Exit.OK;
    }

    /** Returns the hosts by rank, followed by those that have departed and so have only a name. */
    private List<Account> accounts(Overview standing) {
        Map<String, Departed> departed = new TreeMap<>(standing.state().departed());
        departed.keySet().retainAll(targets);
        departed.keySet().removeIf(standing.resources().hosts()::contains);
        List<String> present = new ArrayList<>(targets);
        present.removeAll(departed.keySet());
        List<Account> accounts = new ArrayList<>();
        @Nullable List<Scheduler> schedulers = standing.flux() ? null : standing.schedulers();
        SelectionOptions.find(standing.resources(), present)
                .forEach(rank -> accounts.add(
                        new HostStatus(standing.state(), rank, standing.usage(), schedulers, new ArrayList<>())));
        departed.forEach((host, left) -> accounts.add(new Departure(host, left, new ArrayList<>())));
        return accounts;
    }

    /**
     * Reads the last events about each host from the journal.
     *
     * @return why the journal cannot be read; "" if it can
     */
    private String remember(FluxClient client, Overview standing, List<Account> accounts) throws IOException {
        List<Deque<ObjectNode>> last = new ArrayList<>();
        List<EventFilter> filters = new ArrayList<>();
        for (Account account : accounts) {
            last.add(new ArrayDeque<>());
            filters.add(EventFilter.ALL.about(account.host(), standing.resources()));
        }
        try (EventFeed journal = EventFeed.follow(client)) {
            for (ObjectNode event = journal.remembered(); event != null; event = journal.remembered()) {
                for (int i = 0; i < filters.size(); i++) {
                    keep(last.get(i), filters.get(i), event);
                }
            }
        } catch (RpcException e) {
            if (e.errno().equals(Errno.EPERM)) {
                return "only admins may read the journal";
            }
            throw e;
        }
        for (int i = 0; i < last.size(); i++) {
            accounts.get(i).events().addAll(last.get(i));
        }
        return "";
    }

    private void keep(Deque<ObjectNode> last, EventFilter filter, ObjectNode event) {
        if (!event.path("name").asText().equals("restart") && filter.matches(event)) {
            last.add(event);
            if (last.size() > count) {
                last.remove();
            }
        }
    }
}
