package io.muster.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.access.Rights;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.problem.Text;
import io.muster.protocol.operation.Right;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The rules of {@code muster flux-check}: each method compares facts and returns the result of one check. */
final class FluxFit {
    /** How Flux uses Muster. */
    @SuppressWarnings("ImmutableEnumChecker") // List.of makes immutable lists
    enum Level {
        BRIDGE(84, List.of("follow", "change", "acquire", "speak-for")),
        FEED(72, List.of("follow", "change")),
        OBSERVE(72, List.of("follow", "change"));

        /** The minor version of the first flux-core 0.x that has all features that this level needs. */
        private final int oldest;

        private final List<String> rights;

        Level(int oldest, List<String> rights) {
            this.oldest = oldest;
            this.rights = rights;
        }
    }

    /**
     * The result of a check.
     *
     * @param sentence what was found
     * @param advice what to do; "" if the check found no problem
     */
    record Check(String name, String sentence, String advice) {
        static Check ok(String name, String sentence) {
            return new Check(name, sentence, "");
        }

        boolean fits() {
            return advice.isEmpty();
        }

        String line() {
            return String.join("  ", fits() ? "ok     " : "problem", (name + "        ").substring(0, 8), sentence)
                    + (fits() ? "" : ": " + advice);
        }

        ObjectNode toJson() {
            return JsonNodeFactory.instance
                    .objectNode()
                    .put("check", name)
                    .put("fits", fits())
                    .put("sentence", sentence)
                    .put("advice", advice);
        }
    }

    /** The minor version of the newest flux-core 0.x with which Muster is tested. */
    static final int NEWEST = 88;

    private static final Pattern LIBRARY = Pattern.compile("libflux-core:\\s+(\\S+)");
    private static final Pattern VERSION = Pattern.compile("(\\d{1,4})\\.(\\d{1,4})\\.\\d+(?:[-+~].*)?");

    private FluxFit() {}

    /**
     * @param output what {@code flux version} printed
     * @param force whether to accept a version with which Muster was not tested
     */
    static Check version(String output, Level level, boolean force) {
        Matcher line = LIBRARY.matcher(output);
        String text = line.find() ? line.group(1) : output.strip();
        Matcher version = VERSION.matcher(text);
        String untested = "no version with which Muster is tested (0." + level.oldest + " to 0." + NEWEST + ")";
        if (version.matches() && version.group(1).equals("0")) {
            int minor = Integer.parseInt(version.group(2));
            if (minor < level.oldest) {
                return new Check(
                        "flux",
                        "flux-core " + text + " is older than 0." + level.oldest,
                        "upgrade flux-core"
                                + (minor < Level.FEED.oldest ? "" : ", or use muster-flux, which needs no bridge"));
            }
            if (minor <= NEWEST) {
                return Check.ok("flux", "flux-core " + text);
            }
        }
        String sentence = "flux-core \"" + text + "\" is " + untested;
        return force
                ? Check.ok("flux", sentence + "; accepted because of --force")
                : new Check("flux", sentence, "try it on a test system, and give --force if it works");
    }

    /** Checks a fact. The fact is either present, or missing with the reason why it could not be found. */
    static Check fact(String name, JsonNode facts, String fact, String meaning, String advice) {
        return facts.path(fact).asText("").isEmpty() || facts.path(fact).isNull()
                ? new Check(name, facts.path("errors").path(fact).asText("nothing is known"), advice)
                : Check.ok(name, meaning + facts.path(fact).asText());
    }

    /** @param place the broker's configuration, as the user or the default names it */
    static Check configuration(JsonNode facts, String place) {
        String socket = socket(facts);
        String problem = facts.path("errors").path("configuration").asText("");
        if (socket.isEmpty()) {
            return new Check(
                    "config",
                    problem.isEmpty() ? "[muster] socket is not set in the broker's configuration " + place : problem,
                    problem.isEmpty()
                            ? "write [muster] and socket = \"/run/muster/muster.sock\" into a file there"
                            : "correct the broker's configuration, or name another one with --flux-config");
        }
        return Check.ok("config", "[muster] socket is " + socket + " in the broker's configuration " + place);
    }

    /** Says what the scheduler can do beside RFC 28; no scheduler has to. */
    static List<Check> extras(JsonNode facts) {
        return List.of(
                extra(
                        facts,
                        "marks",
                        "the scheduler takes marks on GPUs and other parts of hosts",
                        "the scheduler takes no marks: jobs may use parts of hosts that are marked down"),
                extra(
                        facts,
                        "live",
                        "the scheduler takes properties while it runs, if R has no graph and [flux] properties is \"live\"",
                        "the scheduler takes changed properties when it is loaded again"),
                extra(
                        facts,
                        "audit",
                        "`muster audit` can compare hosts, their parts and properties with what the scheduler believes",
                        "`muster audit` can compare hosts and properties only, if the scheduler answers sched.resource-status"));
    }

    private static Check extra(JsonNode facts, String name, String yes, String no) {
        return Check.ok(
                name,
                switch (facts.path(name).asText("")) {
                    case "yes" -> yes;
                    case "no" -> no;
                    default ->
                        "it is not known whether the scheduler supports this: "
                                + facts.path("errors").path(name).asText("nothing is known");
                });
    }

    /** Returns the socket that the broker's configuration names; "" if it names none. */
    static String socket(JsonNode facts) {
        return facts.path("configuration").path("muster").path("socket").asText("");
    }

    static Check unreachable(String uri) {
        return new Check(
                "socket",
                uri + " is no path, but Flux reaches Muster only by a UNIX socket of this host",
                "set MUSTER_URI to the path of Muster's socket");
    }

    /**
     * Compares the hosts by name.
     *
     * @param brokers null if the hosts of the instance are not known
     * @param trouble why the instance is not known; "" if nothing is known about that
     */
    static Check hosts(Hostlist ours, @Nullable Hostlist brokers, String trouble) {
        if (brokers == null || brokers.isEmpty()) {
            return new Check(
                    "hosts",
                    "no running instance and no [bootstrap] hosts name the hosts of the brokers"
                            + (trouble.isEmpty() ? "" : " (" + trouble + ")"),
                    "start Flux with its own resource module, run this command as the owner, or give --flux-config");
        }
        Hostlist lost = brokers.missing(ours);
        Hostlist strangers = ours.missing(brokers);
        String all = Text.count(ours.size(), "host") + " in R, " + Text.count(brokers.size(), "broker");
        String idle =
                strangers.isEmpty() ? "" : "; these brokers get no jobs, because R has no such host: " + strangers;
        return lost.isEmpty()
                ? Check.ok("hosts", all + idle)
                : new Check(
                        "hosts",
                        all + idle + "; these hosts of R have no broker and would be down for ever: " + lost,
                        "correct R in Muster's configuration, or [bootstrap] hosts in the broker's");
    }

    /** @param rights null if Muster does not admit the user at all */
    static Check rights(String user, @Nullable Rights rights, Level level) {
        boolean all = rights != null && rights.credentials().isOwner();
        List<String> missing = new ArrayList<>(all ? List.of() : level.rights);
        Arrays.stream(Right.values())
                .filter(right -> rights != null && rights.allow(right))
                .forEach(right -> missing.remove(right.word()));
        String quoted = "\"" + String.join("\", \"", level.rights) + "\"";
        return missing.isEmpty()
                ? Check.ok("rights", "user " + user + ", who owns the instance, has the rights " + quoted)
                : new Check(
                        "rights",
                        "user " + user + ", who owns the instance, lacks on Muster: " + String.join(", ", missing),
                        "add to Muster's configuration: [[grant]] who = [\"" + user + "\"] rights = [" + quoted + "]");
    }

    /** @param offline whether hosts that Muster does not know are offline */
    static Check initial(boolean offline) {
        return offline
                ? Check.ok("initial", "hosts are offline until their broker has joined")
                : new Check(
                        "initial",
                        "muster.initial is \"online\", so hosts count as up before their broker has joined",
                        "set initial = \"offline\" in [muster] of Muster's configuration");
    }

    /** @param shown what {@code systemctl show -p LoadState -p After flux.service} printed */
    static Check order(String shown) {
        if (!shown.contains("LoadState=loaded")) {
            return Check.ok("order", "no flux.service is installed here, so there is no order of units to check");
        }
        boolean after = shown.lines()
                .filter(line -> line.startsWith("After="))
                .anyMatch(
                        line -> Arrays.asList(line.substring(6).split(" ", -1)).contains("muster.service"));
        return after
                ? Check.ok("order", "flux.service starts after muster.service")
                : new Check(
                        "order",
                        "flux.service may start before muster.service",
                        "install Muster's own muster.service, which has Before=flux.service, and run `systemctl daemon-reload`");
    }
}
