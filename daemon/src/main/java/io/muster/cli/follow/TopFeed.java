package io.muster.cli.follow;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.muster.cli.ask.EventFeed;
import io.muster.cli.ask.Explanation;
import io.muster.cli.ask.StateDocument;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.cli.terminal.Pause;
import io.muster.protocol.admin.WhyQuery;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads the state of a daemon for {@code muster top}: after each event and every few seconds, because reports about jobs are no events. If
 * the connection is lost, it connects again. All of this is done on the thread {@code top}, so that keys never wait for a daemon.
 */
final class TopFeed implements AutoCloseable {
    /** How long the thread waits for an event before it looks whether it should end. */
    private static final Duration GLANCE = Duration.ofMillis(100);

    private static final int MOST_GLANCES = 50;
    private static final long FIRST_PAUSE_MILLIS = 250;
    private static final long LONGEST_PAUSE_MILLIS = 8000;

    /**
     * A report of the thread.
     *
     * @param state null if the connection is lost, or could not be made again
     * @param attempts what holds wait for, as in the document about work
     * @param host what is known about the host that is shown; none for no host
     * @param loss the reason; "" with a state
     * @param bug the exception that ended the thread; null if the thread continues
     */
    record News(
            @Nullable StateDocument state,
            JsonNode attempts,
            List<String> host,
            String loss,
            @Nullable RuntimeException bug) {
        static News lost(String loss, @Nullable RuntimeException bug) {
            return new News(null, MissingNode.getInstance(), List.of(), loss, bug);
        }
    }

    /** Connects to the first daemon that accepts the connection. */
    interface Dial {
        FluxClient connect() throws IOException;
    }

    private final Dial dial;
    private final Function<Explanation, List<String>> print;
    private final BlockingQueue<News> news = new LinkedBlockingQueue<>();
    private final Thread thread;
    private volatile boolean ended;
    /** The host that is shown; "" for none. */
    private volatile String host = "";

    private TopFeed(
            Dial dial, FluxClient client, @Nullable EventFeed journal, Function<Explanation, List<String>> print) {
        this.dial = dial;
        this.print = print;
        this.thread = new Thread(() -> run(client, journal), "top");
        thread.setDaemon(true);
    }

    /**
     * Begins to read over a connection, which belongs to the thread until the feed is closed. If the daemon does not let the
     * user read, this method throws an exception.
     */
    static TopFeed start(FluxClient client, Dial dial, Function<Explanation, List<String>> print) throws IOException {
        EventFeed journal = journal(client);
        TopFeed feed = new TopFeed(dial, client, journal, print);
        feed.tell(client);
        feed.thread.start();
        return feed;
    }

    /** Returns the latest report, for which the method waits for a moment; null if there is no new one. */
    @Nullable
    News next() throws InterruptedIOException {
        try {
            return news.poll(GLANCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }

    /** Returns the latest report; null if there is no new one. */
    @Nullable
    News now() {
        return news.poll();
    }

    private void run(FluxClient first, @Nullable EventFeed journal) {
        try {
            follow(() -> read(first, journal));
            long pause = FIRST_PAUSE_MILLIS;
            while (!ended) {
                Pause.of(pause);
                boolean[] connected = {false};
                follow(() -> {
                    try (FluxClient client = dial.connect()) {
                        EventFeed again = journal(client);
                        connected[0] = tell(client);
                        read(client, again);
                    }
                });
                pause = connected[0] ? FIRST_PAUSE_MILLIS : Math.min(LONGEST_PAUSE_MILLIS, pause * 2);
            }
        } catch (RuntimeException bug) {
            say(News.lost("", bug));
        } catch (Error bug) {
            say(News.lost("", new IllegalStateException(bug)));
        } catch (IOException interrupted) {
            // The verb has ended.
        }
    }

    /** A part of the work that ends with the connection. */
    private interface Part {
        void run() throws IOException;
    }

    private void follow(Part part) {
        try {
            part.run();
        } catch (RpcException lost) {
            say(News.lost(lost.sentence(), null));
        } catch (UncheckedIOException lost) {
            say(News.lost(String.valueOf(Objects.requireNonNull(lost.getCause()).getMessage()), null));
        } catch (IOException | Failure lost) {
            say(News.lost(String.valueOf(lost.getMessage()), null));
        }
    }

    private void read(FluxClient client, @Nullable EventFeed journal) throws IOException {
        String told = "";
        for (int glances = 1; !ended; glances++) {
            if (hasNews(journal) || glances >= MOST_GLANCES || !told.equals(host)) {
                told = host;
                tell(client);
                glances = 0;
            }
        }
    }

    private boolean tell(FluxClient client) throws IOException {
        String shown = host;
        StateDocument state = StateDocument.ask(client, StateDocument.STATUS, JsonNodeFactory.instance.objectNode());
        return say(new News(
                state, attempts(client, state), shown.isEmpty() ? List.of() : account(client, shown), "", null));
    }

    private static JsonNode attempts(FluxClient client, StateDocument state) throws IOException {
        return state.json().path("groups").findValue("attempt") == null
                ? MissingNode.getInstance()
                : StateDocument.ask(client, StateDocument.WORK, JsonNodeFactory.instance.objectNode())
                        .json()
                        .path("attempts");
    }

    private List<String> account(FluxClient client, String name) throws IOException {
        try {
            return print.apply(Explanation.ask(client, new WhyQuery(name, WhyQuery.USUAL_EVENTS, 1, -1)));
        } catch (Failure gone) {
            if (gone.exit() != Exit.NO_TARGET) {
                throw gone;
            }
            return List.of(gone.sentence());
        }
    }

    /** Sets the host of which reports tell everything; "" for none. */
    void follow(String name) {
        host = name;
    }

    /**
     * Passes on a report. The report replaces one that was not taken yet, so that a terminal that does not accept output
     * costs no memory.
     */
    private boolean say(News next) {
        news.clear();
        return news.add(next);
    }

    /** Opens the journal, and skips the remembered events; null if the user may not read it. */
    private static @Nullable EventFeed journal(FluxClient client) throws IOException {
        EventFeed journal = EventFeed.follow(client);
        try {
            while (journal.remembered() != null) {
                // The state has these events already.
            }
            return journal;
        } catch (RpcException e) {
            journal.close();
            if (e.errno().equals(Errno.EPERM)) {
                return null;
            }
            throw e;
        }
    }

    /** Waits for a moment. Returns whether there were events, all of which are taken. */
    private static boolean hasNews(@Nullable EventFeed journal) throws IOException {
        if (journal == null) {
            Pause.of(GLANCE.toMillis());
            return false;
        }
        boolean news = false;
        for (boolean more = journal.await(GLANCE); more; more = journal.await(Duration.ZERO)) {
            if (journal.next() == null) {
                throw new EOFException("the daemon ended the connection");
            }
            news = true;
        }
        return news;
    }

    /** Ends the thread, and waits for a moment until the thread no longer uses the connection. */
    @Override
    public void close() {
        ended = true;
        try {
            thread.join(2 * GLANCE.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
