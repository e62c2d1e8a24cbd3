package io.muster.daemon;

import io.muster.daemon.config.Config;
import io.muster.daemon.config.Configurable;
import io.muster.daemon.config.Key;
import io.muster.daemon.config.SourceFile;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.Problem;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the configuration again at SIGHUP. Faults in it are logged, and the configuration in force stays. */
final class ConfigReload {
    private static final Logger log = LoggerFactory.getLogger("muster");

    private final Supplier<Config> source;
    private final Config started;
    private final List<Configurable> parts;
    private final Preparation preparation;
    private final Vitals vitals;
    private final Executor reloads;
    private volatile boolean ended;

    /**
     * @param started the configuration at the start; some of its keys stay in force
     * @param parts the parts that follow the configuration, in the order in which they are configured
     */
    ConfigReload(
            Supplier<Config> source,
            Config started,
            List<Configurable> parts,
            Preparation preparation,
            Vitals vitals,
            Executor reloads) {
        this.source = source;
        this.started = started;
        this.parts = parts;
        this.preparation = preparation;
        this.vitals = vitals;
        this.reloads = reloads;
    }

    /** Ignores later signals because the daemon is stopping. */
    void end() {
        ended = true;
    }

    void hangup() {
        if (!ended) {
            reloads.execute(this::reload);
        }
    }

    /** @return whether the new configuration is in force */
    boolean reload() {
        if (ended) {
            return false;
        }
        vitals.reloading();
        boolean successful = false;
        try {
            apply(source.get());
            successful = true;
            log.info("configuration reloaded");
        } catch (InvalidException e) {
            e.problems().forEach(problem -> log.error("{}", problem));
            log.error("the configuration was not reloaded: the daemon keeps the present one");
        } catch (Exception e) {
            if (ended) {
                log.info("the daemon stops before the configuration was reloaded as a whole");
                return false;
            }
            if (e instanceof IOException refused) {
                log.error("the configuration was reloaded in part only: {}", SourceFile.sentence(refused));
            } else {
                log.error("the configuration was reloaded in part only", e);
            }
        }
        vitals.reloaded(successful);
        return successful;
    }

    private void apply(Config next) throws Exception {
        String refusal = preparation.refusal(next);
        if (refusal != null) {
            throw new InvalidException("configuration", List.of(new Problem("", refusal)), 0);
        }
        for (Problem note : next.notes()) {
            log.warn("{}", note);
        }
        for (Key key : next.waitingForRestart(started)) {
            log.warn("{} takes effect at the next start", key);
        }
        for (Configurable part : parts) {
            part.configure(next);
        }
    }
}
