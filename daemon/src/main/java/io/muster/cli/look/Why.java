package io.muster.cli.look;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.EventFeed;
import io.muster.cli.ask.EventFilter;
import io.muster.cli.ask.EventLines;
import io.muster.cli.ask.Overview;
import io.muster.cli.ask.ReadVerb;
import io.muster.cli.ask.ServerGraph;
import io.muster.cli.ask.TargetNames;
import io.muster.cli.ask.ZoneOption;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.inventory.axis.Departed;
import io.muster.inventory.axis.Places;
import io.muster.inventory.find.Search;
import io.muster.inventory.graph.Detail;
import io.muster.inventory.graph.Paths;
import io.muster.inventory.graph.ResourceGraph;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.UnknownPathException;
import io.muster.inventory.state.TargetExpression;
import io.muster.inventory.status.Account;
import io.muster.inventory.status.Departure;
import io.muster.inventory.status.HostStatus;
import io.muster.inventory.status.LiveGraph;
import io.muster.inventory.status.VertexStatus;
import io.muster.protocol.admin.Get;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code muster why}. */
@Command(
        name = "why",
        description =
                "Explain the state of hosts: every axis and hold, tags and marks, the last events, and what schedulers"
                        + " were sent. A path, or a name that no host has, shows the notes on a vertex of the resource"
                        + " graph.",
        footer = {"  muster why node7", "  muster why --count=20 node[7-9]", "  muster why /cluster0/node7/gpu3"})
public final class Why extends ReadVerb {
    @Parameters(
            arity = "1..*",
            paramLabel = "HOST",
            description = "Ranks, hosts, @PROPERTY, @{EXPR}, or paths or names of vertices. - reads them from standard"
                    + " input.")
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
        List<String> words = new ArrayList<>(TargetNames.read(console(), targets));
        Overview standing = Overview.ask(client);
        List<String> others = new ArrayList<>(words);
        others.removeIf(word -> Paths.isPath(word) || isNoHost(standing, word));
        List<Account> found = new ArrayList<>();
        if (others.size() < words.size()) {
            words.removeAll(others);
            others.addAll(addVertices(client, standing, words, found));
        }
        targets = targets(client, others);
        List<Account> accounts = others.isEmpty() ? new ArrayList<>() : accounts(standing);
        accounts.addAll(found);
        String silence = remember(client, standing, accounts);
        if (json()) {
            ObjectNode json = standing.toJson();
            ArrayNode hosts = json.putArray("hosts");
            ArrayNode vertices = json.putArray("vertices");
            accounts.forEach(account -> (account instanceof VertexStatus ? vertices : hosts).add(account.toJson()));
            console().json(json);
        } else {
            double now = standing.now(console());
            for (Account account : accounts) {
                account.events().replaceAll(event -> EventLines.fitting(event, console()));
                console().print(account.text(now, silence, zone.zone(console())::second));
            }
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
        Idset ranks = Idset.EMPTY;
        for (String text : present) {
            ranks = ranks.union(TargetNames.find(standing.resources(), text));
        }
        ranks.forEach(rank -> accounts.add(host(standing, rank)));
        departed.forEach((host, left) -> accounts.add(new Departure(host, left, new ArrayList<>())));
        return accounts;
    }

    /** Returns whether a word is a single name that is not the name of a host. It may be the name of another vertex. */
    private static boolean isNoHost(Overview standing, String word) {
        return word.matches("[^-@0-9,\\[\\]][^,\\[\\]]*")
                && !TargetExpression.isSelection(word)
                && !standing.resources().hosts().contains(word)
                && !standing.state().departed().containsKey(word);
    }

    /**
     * Adds the data about the vertices at paths, or with names that only one vertex has. A path of a node stands for its
     * host.
     *
     * @return the names that no vertex has
     */
    private static List<String> addVertices(
            FluxClient client, Overview standing, List<String> names, List<Account> accounts) throws IOException {
        Get answer = Get.parse(client.rpc("resource.get", null));
        ResourceGraph graph = ServerGraph.of(answer, Detail.UNITS);
        Paths paths = new Paths(graph, answer.resources());
        List<String> unknown = new ArrayList<>();
        for (String name : names) {
            try {
                Idset found = Paths.isPath(name) ? paths.find(name) : graph.named(Set.of(name));
                if (found.isEmpty()) {
                    unknown.add(name);
                } else if (found.size() > 1 && !Paths.isPath(name)) {
                    throw new Failure(
                            Exit.NO_TARGET,
                            found.size() + " vertices have the name " + name + ", such as "
                                    + graph.address(found.first()),
                            "give the path of one of them; `muster find " + name + "` prints all");
                }
                found.forEach(vertex -> {
                    Places place = LiveGraph.places(paths, Idset.of(vertex));
                    boolean host = place.inside().containsKey("");
                    Idset nodes = Search.hosts(graph, answer.resources(), Idset.of(vertex));
                    accounts.add(
                            host
                                    ? host(standing, nodes.first())
                                    : new VertexStatus(
                                            standing.state(),
                                            graph.address(vertex),
                                            graph.pool(vertex).type(),
                                            place,
                                            nodes,
                                            new ArrayList<>()));
                });
            } catch (UnknownPathException e) {
                throw new Failure(Exit.NO_TARGET, String.valueOf(e.getMessage()));
            }
        }
        return unknown;
    }

    private static HostStatus host(Overview standing, int rank) {
        return new HostStatus(standing.state(), rank, standing.usage(), standing.schedulers(), new ArrayList<>());
    }

    /**
     * Reads the last events about each host from the journal.
     *
     * @return why the journal cannot be read; "" if it can
     */
    private String remember(FluxClient client, Overview standing, List<Account> accounts) throws IOException {
        List<Deque<ObjectNode>> last = new ArrayList<>();
        List<Predicate<ObjectNode>> filters = new ArrayList<>();
        for (Account account : accounts) {
            last.add(new ArrayDeque<>());
            filters.add(
                    account instanceof VertexStatus vertex
                            ? vertex::isAbout
                            : EventFilter.ALL.about(account.host(), standing.resources())::matches);
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

    private void keep(Deque<ObjectNode> last, Predicate<ObjectNode> filter, ObjectNode event) {
        if (!event.path("name").asText().equals("restart") && filter.test(event)) {
            last.add(event);
            if (last.size() > count) {
                last.remove();
            }
        }
    }
}
