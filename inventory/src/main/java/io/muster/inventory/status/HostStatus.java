package io.muster.inventory.status;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.HoldSet;
import io.muster.inventory.axis.LivenessState;
import io.muster.inventory.axis.Membership;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.axis.Report;
import io.muster.inventory.axis.Times;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.Text;
import io.muster.inventory.state.InventoryState;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Everything that is known about one rank, axis by axis. {@code muster why} shows it.
 *
 * @param usage the reports of reporters about jobs
 * @param schedulers the schedulers that were offered the inventory; null if the server does not send them, as a Flux broker
 */
public record HostStatus(
        InventoryState state,
        int rank,
        List<JobUsage> usage,
        @Nullable List<Scheduler> schedulers,
        List<ObjectNode> events)
        implements Account {
    @Override
    public String host() {
        return state.resources().hostOf(rank);
    }

    private boolean up() {
        return state.view().up().contains(rank);
    }

    @Override
    public String text(double now, String silence, DoubleFunction<String> time) {
        StringBuilder out = new StringBuilder();
        out.append(heading(
                host() + " (rank " + rank + ")", up() ? "up" : "not up: " + String.join(", ", Told.of(state, rank))));
        membership(out, now);
        liveness(out, now);
        holds(out, now, time);
        List<String> properties = properties();
        line(out, "properties", properties.isEmpty() ? "none" : String.join(", ", properties));
        state.notes().on(rank).forEach((path, note) -> NoteText.lines(out, path, note, now));
        schedulers(out, now);
        jobs(out, now);
        trail(out, events, silence, now, time);
        return out.toString();
    }

    static String heading(String subject, String news) {
        return Text.shown(subject) + ": " + news + "\n";
    }

    static void trail(
            StringBuilder out, List<ObjectNode> events, String silence, double now, DoubleFunction<String> time) {
        if (!silence.isEmpty()) {
            line(out, "history", silence);
        }
        for (ObjectNode event : events) {
            double then = event.path("timestamp").asDouble();
            String age = " (" + Times.age(then, now) + " ago) ";
            line(out, "event", time.apply(then) + age + EventText.of(event, time));
        }
    }

    static void line(StringBuilder out, String label, String text) {
        out.append("  ").append(label);
        for (int i = label.length(); i < 12; i++) {
            out.append(' ');
        }
        out.append(Text.shown(text)).append('\n');
    }

    private void membership(StringBuilder out, double now) {
        List<Membership.Absence> absences = state.membership().of(rank);
        if (absences.isEmpty()) {
            line(out, "membership", "member");
        }
        absences.forEach(absence -> membership(out, absence, now));
    }

    static void membership(StringBuilder out, Membership.Absence absence, double now) {
        String kind = switch (absence.kind()) {
            case CONFIG -> "excluded by the configuration";
            case ADMIN -> "excluded";
            case LOST -> "lost (shrunk)";
        };
        String reason = absence.reason() == null ? "" : ": " + absence.reason();
        line(out, "membership", kind + reason + attributed(absence.by(), absence.since(), now));
    }

    private void liveness(StringBuilder out, double now) {
        Report lapsed = state.liveness().reports().lapsedOn(rank);
        if (lapsed != null) {
            line(
                    out,
                    "liveness",
                    "unknown for " + Times.age(lapsed.lapsed(), now) + ": " + lapsed.reporter()
                            + " does not report; what was known last is sent to schedulers:");
        }
        LivenessState report = state.liveness().of(rank);
        if (report != null) {
            String cause = report.cause().isEmpty() ? "" : ": " + report.cause();
            String since = report.since() <= 0 ? "" : " for " + Times.age(report.since(), now);
            line(out, "liveness", report.status().word() + since + cause);
        }
    }

    private void jobs(StringBuilder out, double now) {
        JobUsage known = knownUsage();
        String text = known == null
                ? "unknown: nobody reports them"
                : (known.allocated().contains(rank) ? "allocated" : "none") + ", as " + known.reporter() + " reported "
                        + Times.age(known.time(), now) + " ago";
        line(out, "jobs", text);
    }

    private @Nullable JobUsage knownUsage() {
        for (JobUsage each : usage) {
            if (each.ranks().contains(rank)) {
                return each;
            }
        }
        return null;
    }

    private void holds(StringBuilder out, double now, DoubleFunction<String> time) {
        HoldSet holds = state.holds().on(rank);
        if (holds == null) {
            line(out, "holds", "none");
            return;
        }
        holds.holds().forEach(hold -> hold(out, hold, now, time));
    }

    static void hold(StringBuilder out, Hold hold, double now, DoubleFunction<String> time) {
        String reason = hold.reason() == null ? "no reason given" : hold.reason();
        String until = hold.until() == 0 ? "" : ", until " + time.apply(hold.until());
        line(out, "hold", hold.holder() + ": " + reason + attributed(hold.by(), hold.since(), now) + until);
    }

    static String attributed(Principal by, double since, double now) {
        String author = by.user().isEmpty() ? "" : " by " + by + by.loginNote();
        return since <= 0 ? author : author + ", " + Times.age(since, now) + " ago";
    }

    private List<String> properties() {
        List<String> names = new ArrayList<>();
        state.resources().properties().forEach((name, ranks) -> {
            if (ranks.contains(rank)) {
                names.add(name);
            }
        });
        return names;
    }

    private void schedulers(StringBuilder out, double now) {
        if (schedulers != null && schedulers.isEmpty()) {
            line(out, "scheduler", "none is connected");
        }
        for (Scheduler scheduler : connected()) {
            line(
                    out,
                    "scheduler",
                    scheduler + ": " + updateText(scheduler)
                            + (scheduler.isConnected() ? ", connected for " : "; it acquired ")
                            + Times.age(scheduler.since(), now) + (scheduler.isConnected() ? "" : " ago"));
        }
    }

    private List<Scheduler> connected() {
        return schedulers == null ? List.of() : schedulers;
    }

    private String updateText(Scheduler scheduler) {
        if (!scheduler.isConnected()) {
            return "is not connected, and keeps what it was last told; it may come back until "
                    + Times.second(scheduler.until());
        }
        if (!scheduler.offered().contains(rank)) {
            return "does not know this rank until it acquires again";
        }
        String word = scheduler.up().contains(rank) ? "was sent up" : "was sent down";
        boolean news = scheduler.up().contains(rank) != up();
        return word + (news ? ", and has yet to be sent " + (up() ? "up" : "down") : "");
    }

    @Override
    public ObjectNode toJson() {
        Idset self = Idset.of(rank);
        ObjectNode json =
                StateGroup.of(state, JobUsage.allocated(usage), self).get(0).toJson(state.resources(), false);
        json.remove(List.of("up", "nnodes", "hosts", "ranks"));
        json.put("host", host()).put("rank", rank).put("up", up());
        LivenessState report = state.liveness().of(rank);
        if (report != null) {
            boolean lost = state.liveness().reports().lapsedOn(rank) != null;
            json.put("liveness", lost ? "unknown" : report.status().word()).put("cause", report.cause());
            json.put("liveness_since", report.since() <= 0 ? null : Times.rfc3339(report.since()));
        }
        JobUsage known = knownUsage();
        json.put("allocated", known == null ? null : known.allocated().contains(rank));
        json.put("allocated_time", known == null ? null : Times.rfc3339(known.time()));
        ArrayNode properties = json.putArray("properties");
        properties().forEach(properties::add);
        json.set("notes", NoteText.toJson(state.notes().on(rank)));
        ArrayNode array = json.putArray("schedulers");
        for (Scheduler scheduler : connected()) {
            ObjectNode entry = array.addObject();
            entry.put("user", scheduler.user()).put("pid", scheduler.pid());
            entry.put("owner", scheduler.owner().isEmpty() ? null : scheduler.owner());
            entry.put("connected", scheduler.isConnected());
            entry.put("offered", scheduler.offered().contains(rank));
            entry.put("up", scheduler.up().contains(rank));
        }
        ArrayNode last = json.putArray("events");
        events.forEach(last::add);
        return json;
    }
}
