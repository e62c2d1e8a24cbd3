package io.muster.cli.past;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.StateDirOptions;
import io.muster.cli.ask.TargetNames;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.cli.terminal.Progress;
import io.muster.daemon.config.Config;
import io.muster.daemon.journal.JournalArchive;
import io.muster.daemon.journal.disk.Disk;
import io.muster.daemon.past.HostGroups;
import io.muster.daemon.past.Inquiry;
import io.muster.daemon.past.Survey;
import io.muster.inventory.graph.Detail;
import io.muster.inventory.graph.GraphEntry;
import io.muster.inventory.graph.Structure;
import io.muster.inventory.history.Outage;
import io.muster.inventory.history.PastAnswer;
import io.muster.inventory.history.Uptime;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.json.Fields;
import io.muster.inventory.rset.Queues;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.rset.TargetException;
import io.muster.protocol.admin.AvailabilityQuery;
import io.muster.protocol.admin.PastQuery;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the past from a state directory, without a daemon. */
final class DiskPast implements PastSource {
    private final Disk disk;
    private final StateDirOptions place;
    private final Console console;
    private Inquiry.@Nullable Present present;

    DiskPast(Disk disk, StateDirOptions place, Console console) {
        this.disk = disk;
        this.place = place;
        this.console = console;
    }

    @Override
    public Hostlist hosts(String targets) throws IOException {
        ResourceSet resources = now().state().resources();
        return resources.hostsOf(TargetNames.find(resources, targets));
    }

    private Inquiry.Present now() throws IOException {
        Inquiry.Present known = present;
        if (known == null) {
            known = Inquiry.Present.of(new JournalArchive(disk), console.now());
            present = known;
        }
        return known;
    }

    @Override
    public ObjectNode ask(String topic, ObjectNode question) throws IOException {
        Inquiry.Present now = now();
        long[] done = new long[1];
        JournalArchive sized = new JournalArchive(disk);
        try (Progress progress = new Progress(console, "reading the journal", sized.bytes())) {
            JournalArchive archive = new JournalArchive(disk, bytes -> progress.at(done[0] += bytes));
            Fields in = Fields.of(topic, question);
            return switch (topic) {
                case AvailabilityQuery.TOPIC -> answer(archive, AvailabilityQuery.parse(in), now);
                case PastQuery.TOTALS -> answer(archive, PastQuery.parseTotals(in), now);
                default -> answer(archive, PastQuery.parse(in), now);
            };
        } catch (TargetException e) {
            throw new Failure(e.isMixed() ? Exit.USAGE : Exit.NO_TARGET, String.valueOf(e.getMessage()));
        } catch (IllegalArgumentException e) {
            throw new Failure(
                    Exit.ERROR,
                    disk.where() + ": not understood: " + e.getMessage(),
                    "it may have been written by a newer version");
        }
    }

    private static ObjectNode answer(JournalArchive archive, PastQuery query, Inquiry.Present now) throws IOException {
        String targets = query.targets();
        Set<String> hosts = new LinkedHashSet<>(
                Hostlist.parse(targets == null ? "" : targets).expand());
        Map<Outage, List<String>> intervals = new LinkedHashMap<>();
        Inquiry.Question asked = new Inquiry.Question(hosts, query.period(), query.notes());
        try (Inquiry inquiry = new Inquiry(archive, asked, now)) {
            while (!inquiry.isDone()) {
                inquiry.read(Integer.MAX_VALUE)
                        .forEach((outage, names) -> intervals
                                .computeIfAbsent(outage, o -> new ArrayList<>())
                                .addAll(names));
            }
            return query.document(PastAnswer.of(intervals, inquiry.coverage()), now.time());
        }
    }

    /** Racks and queues are those of the configuration. What is kept beside the journal is used and not written. */
    private ObjectNode answer(JournalArchive archive, AvailabilityQuery query, Inquiry.Present now) throws IOException {
        Uptime.By by = query.by();
        Config config = null;
        if (by == Uptime.By.RACK || by == Uptime.By.QUEUE) {
            config = place.config();
            if (config == null) {
                throw new Failure(
                        Exit.USAGE,
                        "--by=" + by.word() + " needs the configuration, which has the " + by.word() + "s",
                        "name it with -c FILE, or ask the daemon");
            }
        }
        ResourceSet resources = now.state().resources();
        List<GraphEntry> graph = config == null ? List.of() : config.graph();
        HostGroups groups = new HostGroups(
                resources,
                () -> Structure.of(resources, graph, Detail.NODES),
                config == null ? Queues.NONE : Queues.parse(config.toJson().path("queues")));
        Uptime.Rows rows = new Uptime.Rows(by, groups.by(by), query.atLeast(), query.bars());
        try (Survey survey = new Survey(archive, now, query.period(), rows, false)) {
            return survey.answer();
        }
    }

    @Override
    public String name() {
        return disk.where();
    }

    @Override
    public void close() {
        // Nothing is open between two questions.
    }
}
