package io.muster.daemon.core;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.axis.Report;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.ReportChanges;
import io.muster.inventory.status.JobUsage;
import io.muster.inventory.status.SchedulerMarks;
import io.muster.inventory.status.WaitingProperties;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The streams of the reporters, which report whether ranks are online and whether jobs use these ranks. When the stream of a
 * reporter ends, the liveness of its ranks is unknown.
 */
public final class Reporters implements Commits {
    private static final Logger log = LoggerFactory.getLogger("report");
    private static final long RETRY_SECONDS = 1;

    /**
     * The key in the stream of a reporter that says whether schedulers are to get properties while they run. The first response has the
     * key only if they are.
     */
    private static final String PROPERTIES = "properties";

    private static final String LIVE = "live";

    /** The shortest time between two reports of the usage by one reporter. */
    private static final long USAGE_PAUSE_NANOS = 50_000_000;

    private final Inventory inventory;
    private final ScheduledExecutorService core;
    private final LongSupplier nanos;
    private final Map<String, Reporter> streams = new LinkedHashMap<>();
    /** The R that decides which hosts the reporters mean. */
    private ResourceSet resources;
    /** The last reports of all reporters about jobs. Threads that compute metrics read this field. */
    private volatile List<JobUsage> usage = List.of();

    private boolean live;

    /** @param nanos a monotonic clock in nanoseconds */
    public Reporters(Inventory inventory, ScheduledExecutorService core, LongSupplier nanos) {
        this.inventory = inventory;
        this.core = core;
        this.nanos = nanos;
        this.resources = inventory.state().resources();
    }

    /**
     * Opens the stream of a reporter. A reporter of the same user with the same name takes the place of an earlier one.
     *
     * @throws RpcException EBUSY if another user reports under this name
     */
    public Reporter open(Sink sink, Principal by, ReportChanges.Register request) {
        inventory.checkThread();
        Answer.Failed elsewhere = inventory.elsewhere();
        if (elsewhere != null) {
            throw elsewhere.error();
        }
        Reporter before = streams.get(request.reporter());
        if (before != null && !before.by().isSamePerson(by)) {
            throw new RpcException(
                    Errno.EBUSY, request.reporter() + " reports already for " + before.by() + ": use another name");
        }
        if (before != null) {
            end(before, Errno.ECANCELED, request.reporter() + " reports on another connection");
        }
        Reporter reporter = new Reporter(request.reporter(), sink, by);
        streams.put(request.reporter(), reporter);
        inventory.submit(request, by, answer -> begin(reporter, request.ranks(), answer));
        return reporter;
    }

    /** Says to all reporters whether schedulers are to get properties while they run. */
    public void configure(boolean propertiesLive) {
        if (live != propertiesLive) {
            live = propertiesLive;
            Bytes word = Json.encode(JsonNodeFactory.instance.objectNode().put(PROPERTIES, live ? LIVE : "load"));
            streams.values().stream().filter(Reporter::hasBegun).forEach(reporter -> ask(reporter, word));
        }
    }

    private void begin(Reporter reporter, Idset ranks, Answer answer) {
        if (streams.get(reporter.name()) != reporter) {
            return;
        }
        RpcException error = answer.error();
        if (error == null) {
            reporter.begin();
            log.info("{}, {} reports for {} ranks", reporter.name(), reporter.by(), ranks.size());
            ObjectNode first = JsonNodeFactory.instance.objectNode().put("ranks", ranks.toString());
            if (live) {
                first.put(PROPERTIES, LIVE);
            }
            reporter.sink().send(Json.encode(first));
        } else {
            lose(reporter, error);
        }
    }

    private void end(Reporter reporter, Errno errno, String sentence) {
        streams.remove(reporter.name(), reporter);
        collect();
        reporter.sink().end(new RpcException(errno, sentence));
    }

    private void lose(Reporter reporter, RpcException reason) {
        release(reporter);
        reporter.sink().end(reason);
    }

    /** Removes a stream that has ended or whose connection is closed. */
    public void release(Reporter reporter) {
        if (streams.remove(reporter.name(), reporter)) {
            collect();
            lapse(reporter.name());
        }
    }

    private void lapse(String reporter) {
        inventory.submit(new ReportChanges.Lapse(reporter), Principal.DAEMON, answer -> {
            if (answer instanceof Answer.Failed && !streams.containsKey(reporter)) {
                var unused = core.schedule(() -> retry(reporter), RETRY_SECONDS, TimeUnit.SECONDS);
            } else if (answer instanceof Answer.Done done && !done.entries().isEmpty()) {
                log.warn("{} does not report any more: the liveness of its ranks is unknown", reporter);
            }
        });
    }

    private void retry(String reporter) {
        if (!streams.containsKey(reporter)) {
            lapse(reporter);
        }
    }

    /** Ends every stream, as the daemon does when it stops. The next daemon knows that these reporters are lost. */
    public void endAll(RpcException reason) {
        List<Reporter> ending = List.copyOf(streams.values());
        streams.clear();
        collect();
        ending.forEach(reporter -> reporter.sink().end(reason));
    }

    /** Ends the reports of an earlier daemon whose end could not be written when this daemon started. */
    public void start() {
        inventory.state().liveness().reports().all().forEach(report -> retry(report.reporter()));
    }

    /**
     * Checks whether a reporter may report now which ranks jobs use.
     *
     * @throws RpcException EINVAL if the reporter's stream has ended, EAGAIN if it has not begun or the reporter reports too
     * often
     */
    public void pace(Reporter reporter) {
        if (streams.get(reporter.name()) != reporter) {
            throw new RpcException(
                    Errno.EINVAL,
                    reporter.name() + " does not report on this connection any more: send resource.report again");
        }
        if (!reporter.hasBegun()) {
            throw new RpcException(Errno.EAGAIN, "the report of " + reporter.name() + " has not begun yet");
        }
        if (!reporter.mayAsk(nanos.getAsLong(), USAGE_PAUSE_NANOS)) {
            throw new RpcException(
                    Errno.EAGAIN, "usage may be reported every 50 ms: send the newest usage after that time");
        }
    }

    /**
     * Accepts a reporter's report about jobs, marks and properties.
     *
     * @param allocated all ranks of the reporter that jobs use
     * @param marks what the scheduler makes of marks; null if the reporter says nothing about marks
     * @param properties the properties that wait until the scheduler is loaded again; null if none do
     * @throws RpcException EINVAL if the reporter does not report for one of the ranks
     */
    public void use(
            Reporter reporter,
            Idset allocated,
            @Nullable SchedulerMarks marks,
            @Nullable WaitingProperties properties) {
        Report report = inventory.state().liveness().reports().of(reporter.name());
        Idset ranks = report == null ? Idset.EMPTY : report.ranks();
        if (!ranks.containsAll(allocated)) {
            int stranger = allocated.subtract(ranks).first();
            throw new RpcException(Errno.EINVAL, reporter.name() + " does not report for rank " + stranger);
        }
        reporter.uses(new JobUsage(reporter.name(), ranks, allocated, inventory.now(), marks, properties));
        collect();
    }

    private void collect() {
        usage = streams.values().stream()
                .map(Reporter::usage)
                .filter(Objects::nonNull)
                .toList();
    }

    /** Returns the last reports of the connected reporters about jobs. May be called from any thread. */
    public List<JobUsage> usage() {
        return usage;
    }

    /** Sends a question in the stream of a reporter. */
    public void ask(Reporter reporter, Bytes question) {
        reporter.sink().send(question);
    }

    /** Returns the reporter with this name that reports now; null if there is none. */
    public @Nullable Reporter named(@Nullable String name) {
        return name == null ? null : streams.get(name);
    }

    /** Returns whether the stream of a reporter is open. */
    public boolean isOpen(Reporter reporter) {
        return streams.get(reporter.name()) == reporter;
    }

    public int size() {
        return streams.size();
    }

    /** Ends the streams if a new R assigns other hosts to the ranks, because reporters name ranks. */
    @Override
    @SuppressWarnings("ReferenceEquality") // most changes leave R as it is, and comparing two R takes longer
    public void committed(List<Entry> entries, List<byte[]> lines, InventoryState state) {
        ResourceSet before = resources;
        resources = state.resources();
        if (before != resources
                && !(resources.ranks().equals(before.ranks())
                        && resources.hosts().equals(before.hosts()))) {
            RpcException stale = new RpcException(Errno.ESTALE, "R was replaced: read it again, and report again");
            List.copyOf(streams.values()).forEach(reporter -> lose(reporter, stale));
        }
    }
}
