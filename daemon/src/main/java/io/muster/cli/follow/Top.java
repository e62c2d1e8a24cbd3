package io.muster.cli.follow;

import io.muster.cli.ask.EventFeed;
import io.muster.cli.ask.Overview;
import io.muster.cli.ask.ServerVerb;
import io.muster.cli.ask.ZoneOption;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.cli.terminal.Pause;
import io.muster.cli.terminal.Screen;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code muster top}. */
@Command(
        name = "top",
        description = {
            "Show in the terminal which hosts are out and why, and follow the changes.",
            "Keys: up and down choose a row, Enter shows what `muster why` says about its first host, / filters by any text, h asks for "
                    + "a host, Escape goes back, q ends."
        },
        footer = {"  muster top", "  muster top --uri=ssh://admin@cluster"})
public final class Top extends ServerVerb {
    /** How long the verb waits for an event before it looks for keys. */
    private static final Duration GLANCE = Duration.ofMillis(100);

    /** After how many glances without an event the state is read again: reports about jobs are no events. */
    private static final int MOST_GLANCES = 50;

    /** After how many glances the ages are drawn again. */
    private static final int AGES = 10;

    @Mixin
    private final ZoneOption zone = new ZoneOption();

    public Top(Console console) {
        super(console);
    }

    @Override
    protected int run(FluxClient client) throws IOException {
        if (json()) {
            throw new Failure(Exit.USAGE, "this verb prints no JSON", "`muster status --json` prints the same once");
        }
        try (EventFeed journal = journal(client);
                Screen screen = Screen.open(console())) {
            TopView view = new TopView(console().style(), zone.zone(console())::second);
            int glances = MOST_GLANCES;
            while (true) {
                if (glances >= MOST_GLANCES) {
                    view.show(Overview.ask(client), System.nanoTime());
                    glances = 0;
                }
                boolean changed = glances % AGES == 0;
                for (String key = screen.key(); !key.isEmpty(); key = screen.key()) {
                    changed = true;
                    if (!view.press(key)) {
                        return Exit.OK;
                    }
                }
                if (changed) {
                    view.size(screen.columns(), screen.rows());
                    screen.draw(view.lines(console(), System.nanoTime()), view.marked());
                }
                glances = hasNews(journal) ? MOST_GLANCES : glances + 1;
            }
        }
    }

    /** Opens the journal, and leaves out what it remembers; null if the user may not read it. */
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
                throw new Failure(Exit.UNREACHABLE, "the daemon ended the connection");
            }
            news = true;
        }
        return news;
    }
}
