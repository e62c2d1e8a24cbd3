package io.muster.daemon;

import io.muster.daemon.config.Config;
import io.muster.daemon.config.Environment;
import io.muster.daemon.config.Key;
import io.muster.daemon.config.Logging;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.Problem;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the configuration again at SIGHUP. Faults in it are logged, and the configuration in force stays. */
final class Reload {
    private static final Logger log = LoggerFactory.getLogger("muster");

    private final Daemon daemon;
    private final @Nullable Path file;
    private final Environment environment;
    private final Runnable before;
    private final Consumer<Boolean> after;
    private volatile boolean ended;

    /**
     * @param before called when a reload begins
     * @param after called when the reload is over, with whether the new configuration is in force
     */
    Reload(Daemon daemon, @Nullable Path file, Environment environment, Runnable before, Consumer<Boolean> after) {
        this.daemon = daemon;
        this.file = file;
        this.environment = environment;
        this.before = before;
        this.after = after;
    }

    /** Ignores later signals because the daemon is stopping. */
    void end() {
        ended = true;
    }

    void hangup() {
        if (!ended) {
            daemon.threads().reloads().execute(this::reload);
        }
    }

    void reload() {
        if (ended) {
            return;
        }
        before.run();
        boolean successful = false;
        try {
            apply(Config.load(file, environment));
            successful = true;
            log.info("configuration reloaded");
        } catch (InvalidException e) {
            e.problems().forEach(problem -> log.error("{}", problem));
            log.error("the configuration was not reloaded: the one in force stays");
        } catch (Exception e) {
            if (ended) {
                log.info("the daemon stops before the configuration was reloaded as a whole");
                return;
            }
            log.error("the configuration was reloaded in part only", e);
        }
        after.accept(successful);
    }

    private void apply(Config next) throws Exception {
        String refusal = daemon.refusal(next);
        if (refusal != null) {
            throw new InvalidException("configuration", List.of(new Problem("", refusal)), 0);
        }
        for (Problem note : next.notes()) {
            log.warn("{}", note);
        }
        for (Key key : daemon.waitingForRestart(next)) {
            log.warn("{} takes effect at the next start", key);
        }
        Logging.apply(next.reporting().logLevel(), next.reporting().logFormat());
        daemon.reconfigure(next);
    }
}
