package io.muster.cli.ask;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.axis.Times;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.Text;
import io.muster.inventory.status.EventText;
import io.muster.inventory.status.HostState;
import io.muster.inventory.status.StateGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleFunction;

/**
 * Formats an account for people: everything that is known about a host that R names, a host that R no longer names, or a vertex of the
 * resource graph that is no node. The first line gives the result, the other lines the reasons.
 */
final class WhyText {
    private static final int LABEL = 12;
    private static final String BELOW = ": a state below the node does not take the node down";

    private final JsonNode account;
    private final double now;
    private final DoubleFunction<String> time;
    private final StringBuilder out = new StringBuilder();

    private WhyText(JsonNode account, double now, DoubleFunction<String> time) {
        this.account = account;
        this.now = now;
        this.time = time;
    }

    /**
     * @param account an object of {@code hosts} or {@code vertices} of the answer, with the last events, oldest first
     * @param silence why no events are known; "" if some may be
     * @param time prints times
     */
    static String of(JsonNode account, double now, String silence, DoubleFunction<String> time) {
        WhyText text = new WhyText(account, now, time);
        if (account.has("pool")) {
            text.vertex();
        } else if (account.has("rank")) {
            text.host();
        } else {
            text.departed();
        }
        text.trail(silence);
        return text.out.toString();
    }

    private void host() {
        String word = StateGroup.word(account);
        String use =
                word.equals(HostState.UNKNOWN.word()) ? ": schedulers " + (isUp() ? "may" : "may not") + " use it" : "";
        heading(text("host") + " (rank " + account.path("rank").asInt() + ")", word + use);
        if (account.path("absences").isEmpty()) {
            line("membership", "member");
        }
        account.path("absences").forEach(this::absence);
        liveness();
        if (account.path("holds").isEmpty()) {
            line("holds", "none");
        }
        account.path("holds").forEach(this::hold);
        account.path("planned").forEach(this::plan);
        List<String> properties = texts("properties");
        line("properties", properties.isEmpty() ? "none" : String.join(", ", properties));
        account.path("notes").forEach(note -> note(note, note.path("path").asText()));
        if (account.path("schedulers").isEmpty()) {
            line("scheduler", "none is connected");
        }
        account.path("schedulers").forEach(this::scheduler);
        jobs();
    }

    private void departed() {
        heading(text("host"), "departed: not in R; when the host returns, this applies again");
        account.path("absences").forEach(this::absence);
        account.path("holds").forEach(this::hold);
        account.path("planned").forEach(this::plan);
        List<String> edits = new ArrayList<>();
        texts("properties_added").forEach(name -> edits.add("with " + name));
        texts("properties_removed").forEach(name -> edits.add("without " + name));
        if (!edits.isEmpty()) {
            line("properties", String.join(", ", edits));
        }
        account.path("notes").forEach(note -> note(note, note.path("path").asText()));
    }

    private void vertex() {
        JsonNode mark = account.path("mark");
        heading(
                text("path") + " (" + text("pool") + ")",
                mark.isObject() ? mark.path("state").asText() : "no mark");
        if (!mark.isObject()
                && account.path("tags").isEmpty()
                && account.path("data").isEmpty()) {
            line("notes", "none");
        }
        note(account, "");
        Hostlist hosts = Hostlist.parse(text("hosts"));
        int up = account.path("up").asInt();
        if (account.path("in_node").asBoolean()) {
            line("node", hosts + " (rank " + text("ranks") + ") is " + (up == 0 ? "not up" : "up") + BELOW);
        } else if (!hosts.isEmpty()) {
            line(
                    "nodes",
                    hosts.abridged() + ": " + up + " of "
                            + Idset.parse(text("ranks")).size() + " are up");
        }
    }

    private void liveness() {
        if (account.has("unknown_since")) {
            line(
                    "liveness",
                    "unknown for " + Times.age(StateDocument.time(account.path("unknown_since")), now) + ": "
                            + text("reporter") + " does not report; what was known last is sent to schedulers:");
        }
        if (account.has("reported")) {
            String cause = text("cause").isEmpty() ? "" : ": " + text("cause");
            double since = StateDocument.time(account.path("liveness_since"));
            line("liveness", text("reported") + (since <= 0 ? "" : " for " + Times.age(since, now)) + cause);
        }
    }

    private void absence(JsonNode absence) {
        String kind = switch (absence.path("kind").asText()) {
            case "config" -> "excluded by the configuration";
            case "lost" -> "lost (shrunk)";
            default -> "excluded";
        };
        JsonNode reason = absence.path("reason");
        line("membership", kind + (reason.isTextual() ? ": " + reason.asText() : "") + attributed(absence));
    }

    private void hold(JsonNode hold) {
        double until = StateDocument.time(hold.path("until"));
        String ticket = hold.path("ticket").asText("");
        String category = hold.path("class").asText("");
        line(
                "hold",
                hold.path("holder").asText() + ": " + (ticket.isEmpty() ? "" : ticket + " ")
                        + hold.path("reason").asText("no reason given") + attributed(hold)
                        + (category.isEmpty() ? "" : ", class " + category)
                        + waits(hold)
                        + (until == 0
                                ? ""
                                : (hold.has("attempt") ? ", should end by " : ", until ") + time.apply(until)));
    }

    private static String waits(JsonNode hold) {
        String action = hold.path("action").asText("");
        String check = hold.path("check").asText("");
        return (action.isEmpty() ? "" : ", waits for " + action)
                + (check.isEmpty() ? "" : ", waits for the check " + check)
                + (hold.has("attempt") ? " (attempt " + hold.path("attempt") + ")" : "");
    }

    private void plan(JsonNode plan) {
        double until = StateDocument.time(plan.path("until"));
        line(
                "planned",
                PlanText.sentence(plan, now) + ", from " + time.apply(StateDocument.time(plan.path("from")))
                        + (until == 0 ? "" : " until " + time.apply(until)) + ", planned" + attributed(plan));
    }

    private void note(JsonNode note, String below) {
        String lead = below.isEmpty() ? "" : below + ": ";
        JsonNode mark = note.path("mark");
        if (mark.isObject()) {
            String reason = mark.path("reason").asText();
            line(
                    "mark",
                    lead
                            + mark.path("state").asText()
                            + (reason.isEmpty() ? "" : ": " + reason)
                            + attributed(mark)
                            + (lead.isEmpty() ? "" : ";" + BELOW.substring(1)));
            told(lead, mark.path("scheduler").asText());
        }
        for (JsonNode tag : note.path("tags")) {
            String value = tag.path("value").asText();
            line("tag", lead + tag.path("key").asText() + (value.isEmpty() ? "" : "=" + value) + attributed(tag));
        }
        for (JsonNode data : note.path("data")) {
            line("data", lead + data.path("key").asText() + " " + data.path("value") + attributed(data));
        }
    }

    /** @param word what a scheduler makes of the mark; "" if that is not known */
    private void told(String lead, String word) {
        String sentence = switch (word) {
            case "taken" -> "has the mark: no new job uses the vertex";
            case "unsent" -> "has yet to be sent the mark";
            case "refused" -> "refused the mark, as the log of its broker says: jobs may use the vertex";
            case "ignored" -> "takes no marks: jobs may use the vertex";
            default -> "";
        };
        if (!sentence.isEmpty()) {
            line("scheduler", lead + sentence);
        }
    }

    private void scheduler(JsonNode scheduler) {
        String owner = scheduler.path("owner").asText("");
        int pid = scheduler.path("pid").asInt();
        boolean connected = scheduler.path("connected").asBoolean();
        String name = (owner.isEmpty() ? "" : owner + ", ")
                + scheduler.path("user").asText() + "("
                + Integer.toUnsignedString(scheduler.path("userid").asInt()) + ")" + (pid == 0 ? "" : " pid " + pid);
        String since = Times.age(StateDocument.time(scheduler.path("since")), now);
        line(
                "scheduler",
                name + ": " + update(scheduler, connected)
                        + (connected ? ", connected for " + since : "; it acquired " + since + " ago"));
    }

    private String update(JsonNode scheduler, boolean connected) {
        if (!connected) {
            return "is not connected, and keeps what it was last told; it may come back until "
                    + Times.second(StateDocument.time(scheduler.path("until")));
        }
        if (!scheduler.path("offered").asBoolean()) {
            return "does not know this rank until it acquires again";
        }
        boolean sentUp = scheduler.path("up").asBoolean();
        String news = sentUp == isUp() ? "" : ", and has yet to be sent " + (isUp() ? "up" : "down");
        return (sentUp ? "was sent up" : "was sent down") + news;
    }

    private void jobs() {
        boolean known = account.path("allocated").isBoolean();
        String use = account.path("allocated").asBoolean() ? "allocated" : "none";
        line(
                "jobs",
                known
                        ? use + ", as " + text("allocated_reporter") + " reported "
                                + Times.age(StateDocument.time(account.path("allocated_time")), now) + " ago"
                        : "unknown: nobody reports them");
    }

    private void trail(String silence) {
        if (!silence.isEmpty()) {
            line("history", silence);
        }
        for (JsonNode event : account.path("events")) {
            double then = event.path("timestamp").asDouble();
            line("event", time.apply(then) + " (" + Times.age(then, now) + " ago) " + EventText.of(event, time));
        }
    }

    private boolean isUp() {
        return account.path("up").asBoolean();
    }

    private String text(String key) {
        return account.path(key).asText("");
    }

    private List<String> texts(String key) {
        List<String> texts = new ArrayList<>();
        account.path(key).forEach(text -> texts.add(text.asText()));
        return texts;
    }

    private String attributed(JsonNode fact) {
        double since = StateDocument.time(fact.path("since"));
        Principal by = Principal.of(fact.path("by"));
        String author = by.user().isEmpty() ? "" : " by " + by + by.loginNote();
        return since <= 0 ? author : author + ", " + Times.age(since, now) + " ago";
    }

    private void heading(String subject, String news) {
        out.append(Text.shown(subject)).append(": ").append(news).append('\n');
    }

    private void line(String label, String text) {
        out.append("  ").append(label).append(" ".repeat(LABEL - label.length()));
        out.append(Text.shown(text)).append('\n');
    }
}
