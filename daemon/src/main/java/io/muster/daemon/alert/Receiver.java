package io.muster.daemon.alert;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.alert.AlertMessage.Alert;
import io.muster.daemon.config.AlertSettings;
import io.muster.daemon.config.Config;
import io.muster.daemon.config.Configurable;
import io.muster.daemon.core.Answer;
import io.muster.daemon.core.Inventory;
import io.muster.inventory.axis.Epoch;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.problem.Text;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.AlertChanges;
import io.muster.inventory.state.Braked;
import io.muster.inventory.state.Command;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out the alerts of messages, one after the other. The only memory is in the holds, whose holders contain the
 * fingerprints of the alerts, so a restart of the daemon loses no alert. All methods run on the core thread.
 */
public final class Receiver implements Configurable {
    private static final Logger log = LoggerFactory.getLogger("alert");

    private static final Pattern HOST = Pattern.compile("[A-Za-z0-9._-]{1,253}");
    private static final Pattern PORT = Pattern.compile(":\\d{1,5}$");
    private static final Pattern NAME = Pattern.compile("\\{([A-Za-z_][A-Za-z0-9_]*)}");
    private static final int LONGEST_REASON = 500;
    /** An alert is sent again before its grace is over, so a hold needs no end that is much later, whatever {@code endsAt} says. */
    private static final int MOST_GRACES = 3;

    private final Inventory inventory;
    private final Executor core;
    private final Consumer<Outcome> meter;
    private AlertSettings settings;

    /** The result of an alert. */
    public enum Outcome {
        /** The alert has placed a hold on its host, or has extended the hold. */
        HELD,
        /** The alert has ended, and the daemon has ended its hold. */
        ENDED,
        /** Nothing had to change. */
        UNCHANGED,
        /** The alert names no host of the inventory. */
        UNKNOWN,
        /** A brake permits alerts to drain no further host now. */
        BRAKE,
        /** The host has as many holds by the Alertmanager as one user may have. */
        LIMIT,
        /** The daemon cannot change anything now. The Alertmanager should try again. */
        FAILED;

        /** Returns the word for this result in metrics and responses. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * The results of the alerts of a message, in their order.
     *
     * @param sentences why an alert was not carried out; "" if it was
     */
    public record Report(List<Alert> alerts, List<Outcome> outcomes, List<String> sentences) {
        private boolean has(Outcome outcome) {
            return outcomes.contains(outcome);
        }

        /** Returns the refusal of the message: EAGAIN if the sender should try again at once, EDQUOT if later; null if all was done. */
        public @Nullable RpcException refusal() {
            boolean isLate = has(Outcome.BRAKE) || has(Outcome.LIMIT) || has(Outcome.UNKNOWN);
            return has(Outcome.FAILED)
                    ? new RpcException(Errno.EAGAIN, detail())
                    : isLate ? new RpcException(Errno.EDQUOT, detail()) : null;
        }

        /** Returns why alerts were not carried out, each reason once. */
        public String detail() {
            return String.join(
                    "; ",
                    sentences.stream()
                            .filter(each -> !each.isEmpty())
                            .distinct()
                            .limit(20)
                            .toList());
        }

        public ObjectNode toJson() {
            ObjectNode json = JsonNodeFactory.instance.objectNode();
            ArrayNode all = json.putArray("alerts");
            for (int i = 0; i < alerts.size(); i++) {
                ObjectNode each =
                        all.addObject().put("fingerprint", alerts.get(i).fingerprint());
                each.put("result", outcomes.get(i).word());
                if (!sentences.get(i).isEmpty()) {
                    each.put("detail", sentences.get(i));
                }
            }
            return json;
        }
    }

    /**
     * A message that is being carried out.
     *
     * @param settings the settings with which the rights of the sender were checked; they apply to all alerts of the message
     */
    private record Work(AlertMessage message, Principal by, AlertSettings settings, Report report) {}

    /** @param meter counts the result of each alert */
    public Receiver(Inventory inventory, Executor core, Consumer<Outcome> meter, AlertSettings settings) {
        this.inventory = inventory;
        this.core = core;
        this.meter = meter;
        this.settings = settings;
    }

    @Override
    public void configure(Config next) {
        settings = next.alerts();
    }

    /**
     * Carries out a message.
     *
     * @param then called when all alerts are carried out or refused
     * @throws RpcException if the configuration has no holder for alerts
     */
    public void receive(AlertMessage message, Principal by, Consumer<Report> then) {
        if (settings.holder().isEmpty()) {
            throw new RpcException(Errno.ENOENT, "alerts are off: the configuration has no [alerts] with a holder");
        }
        if (message.truncated() > 0) {
            log.warn(
                    "the Alertmanager left {} alerts out of a message, which therefore ends no hold: remove max_alerts"
                            + " from its receiver",
                    message.truncated());
        }
        Report report = new Report(message.alerts(), new ArrayList<>(), new ArrayList<>());
        Work work = new Work(message, by, settings, report);
        next(work, message.alerts().iterator(), () -> {
            if (!report.detail().isEmpty()) {
                log.error("alerts of {} were not carried out: {}", by, report.detail());
            }
            then.accept(report);
        });
    }

    /** Carries out the next alert when the one before is answered, so that a long message does not delay other peers. */
    private void next(Work work, Iterator<Alert> rest, Runnable then) {
        if (!rest.hasNext()) {
            then.run();
            return;
        }
        Alert alert = rest.next();
        Consumer<Answer> note = answer -> {
            note(work.report, alert, answer);
            core.execute(() -> next(work, rest, then));
        };
        boolean endsHolds = work.message.truncated() == 0;
        Command command =
                alert.firing() ? fire(alert, work.settings) : endsHolds ? resolve(alert, work.settings) : null;
        if (command == null) {
            note(work.report, Outcome.UNCHANGED, "");
            core.execute(() -> next(work, rest, then));
        } else {
            inventory.brakes().submit(command, work.by, note);
        }
    }

    private void note(Report report, Alert alert, Answer answer) {
        if (answer instanceof Answer.Done done) {
            boolean changed = !done.entries().isEmpty();
            note(report, !changed ? Outcome.UNCHANGED : alert.firing() ? Outcome.HELD : Outcome.ENDED, "");
        } else if (answer instanceof Answer.Rejected refused) {
            Outcome outcome = switch (refused.rejection().kind()) {
                case BRAKED -> Outcome.BRAKE;
                case LIMIT -> Outcome.LIMIT;
                case EXISTS, INVALID, HELD_BY_OTHER, FORGOTTEN, STALE -> Outcome.UNKNOWN;
            };
            note(report, outcome, refused.rejection().text());
        } else if (answer instanceof Answer.Failed failed) {
            note(report, Outcome.FAILED, failed.text());
        }
    }

    private void note(Report report, Outcome outcome, String sentence) {
        report.outcomes.add(outcome);
        report.sentences.add(sentence);
        meter.accept(outcome);
    }

    private Command fire(Alert alert, AlertSettings settings) {
        double now = inventory.now();
        double grace = settings.grace().seconds();
        double endsAt = Math.min(Math.max(alert.endsAt(), now), now + MOST_GRACES * grace);
        Command fire = new AlertChanges.Fire(
                host(alert, settings),
                settings.holder(),
                alert.fingerprint(),
                reason(alert, settings),
                Math.min(endsAt + grace, Epoch.LAST));
        return new Braked(fire, inventory.brakes().inForce());
    }

    private static Command resolve(Alert alert, AlertSettings settings) {
        return new AlertChanges.Resolve(settings.holder(), alert.fingerprint(), "the alert is resolved");
    }

    /**
     * Returns the host that an alert names: the first of these that the inventory has: the label as it is, the label without
     * a port, and the label without a port and a domain.
     */
    private String host(Alert alert, AlertSettings settings) {
        String label = alert.labels().getOrDefault(settings.label(), "");
        String plain = PORT.matcher(label).replaceFirst("");
        String shorter = plain.contains(".") ? plain.substring(0, plain.indexOf('.')) : plain;
        ResourceSet resources = inventory.state().resources();
        for (String name : new String[] {plain, shorter}) {
            if (HOST.matcher(name).matches() && !resources.ranksOf(name).isEmpty()) {
                return name;
            }
        }
        return label.isEmpty() ? "in the label " + settings.label() + " of " + alert.fingerprint() : Text.shown(label);
    }

    private static String reason(Alert alert, AlertSettings settings) {
        Matcher names = NAME.matcher(settings.reason());
        String text =
                names.replaceAll(name -> Matcher.quoteReplacement(alert.texts().getOrDefault(name.group(1), "")));
        String line = Text.shown(text.replaceAll("\\s+", " ")).strip().replaceAll(":$", "");
        String category = settings.category();
        String whole = category.isEmpty() || line.isEmpty() ? category + line : category + ": " + line;
        return cut(whole.isEmpty() ? alert.fingerprint() : whole);
    }

    private static String cut(String text) {
        return text.codePointCount(0, text.length()) <= LONGEST_REASON
                ? text
                : text.substring(0, text.offsetByCodePoints(0, LONGEST_REASON)) + "...";
    }
}
