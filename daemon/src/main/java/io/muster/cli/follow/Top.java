package io.muster.cli.follow;

import io.muster.cli.ask.Explanation;
import io.muster.cli.ask.ServerVerb;
import io.muster.cli.ask.ZoneOption;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.cli.terminal.Screen;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code muster top}. */
@Command(
        name = "top",
        description = {
            "Show in the terminal which hosts are out and why, and follow the changes.",
            "Keys: up, down, page up, page down, Home and End, or those of vi, choose a row; Enter shows the output of"
                    + " `muster why` for its first host; s sorts by newest, state or host; / filters by any text; h asks for"
                    + " a host; ? lists all keys; Escape goes back; q ends.",
            "If the connection is lost, the last view stays, with its age, and the verb connects again."
        },
        footer = {"  muster top", "  muster top --uri=ssh://admin@cluster"})
public final class Top extends ServerVerb {
    /** After this time the ages are drawn again. */
    private static final long AGES_NANOS = TimeUnit.SECONDS.toNanos(1);

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
        try (TopFeed feed = TopFeed.start(client, this::connect, this::lines);
                Screen screen = Screen.open(console())) {
            TopView view = new TopView(console().style());
            long drawn = 0;
            while (true) {
                boolean changed = drawn == 0 || System.nanoTime() - drawn > AGES_NANOS;
                for (TopFeed.News news = feed.next(); news != null; news = feed.now()) {
                    changed = true;
                    take(news, view);
                }
                for (String key = screen.key(); !key.isEmpty(); key = screen.key()) {
                    changed = true;
                    if (!view.press(key)) {
                        return Exit.OK;
                    }
                }
                feed.follow(view.host());
                if (changed) {
                    view.size(screen.columns(), screen.rows());
                    drawn = System.nanoTime();
                    screen.draw(view.lines(drawn), view.marked());
                }
            }
        }
    }

    private List<String> lines(Explanation host) {
        return host.texts(console(), zone.zone(console())).stream()
                .flatMap(String::lines)
                .toList();
    }

    private static void take(TopFeed.News news, TopView view) {
        if (news.bug() != null) {
            throw news.bug();
        } else if (news.state() != null) {
            view.show(news.state(), news.attempts(), news.host(), System.nanoTime());
        } else {
            view.lose(news.loss());
        }
    }
}
