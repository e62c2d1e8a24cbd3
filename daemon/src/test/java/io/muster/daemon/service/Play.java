package io.muster.daemon.service;

import io.muster.daemon.access.Rights;
import io.muster.daemon.access.Scope;
import io.muster.daemon.core.HandDriven;
import io.muster.daemon.core.Rig;
import io.muster.daemon.journal.FaultyDisk;
import io.muster.daemon.journal.MemoryDisk;
import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.axis.Purpose;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.state.Brake;
import io.muster.inventory.state.DefinitionChanges;
import io.muster.inventory.state.Policy;
import io.muster.protocol.operation.Right;
import io.muster.protocol.wire.Credentials;
import io.muster.protocol.wire.Header;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Performs a transcript. Lines that begin with {@code >} are commands:
 * <pre>
 * > start HOSTS                         a daemon with these hosts, of four cores each; a restart if there was one
 * > NAME: TOPIC [JSON]                  a request of NAME: fluxion and simple are schedulers, guest is a guest, robot has a token, worker has the right work, node1 and node2 report themselves, others are the owner
 * > NAME: stops reading | reads again | leaves
 * > NAME: cancels TOPIC                 the stream that NAME opened with that topic
 * > wait DURATION                       the clock advances: 50ms, 30s, 2h
 * > disk full | disk well
 * > gather 50ms                         sets muster.batch of the configuration
 * > brake HOLDER HOSTS SECONDS          the only [[brake]] of the configuration
 * > policy WHEN SECONDS HOLDER          the only [[policy]] of the configuration
 * </pre>
 * The effects of a command are written below it, indented: {@code journal} lines as they are on disk, without checksums and R, and
 * all responses with their receivers. {@code #} begins a comment.
 */
final class Play {
    private static final String INDENT = "    ";
    private static final Pattern REQUEST = Pattern.compile("(\\w+): (\\S+\\.\\S+)( .*)?");
    private static final Pattern GESTURE = Pattern.compile("(\\w+): (.*)");
    private static final Pattern DURATION = Pattern.compile("wait (\\d+)(ms|s|h)");
    private static final int CHECKSUM = 9;

    private final MemoryDisk memory = new MemoryDisk();
    private final FaultyDisk disk = new FaultyDisk(memory);
    private HandDriven clock = new HandDriven(Rig.START);
    private Stage stage = new Stage(Rig.on(disk, clock));
    private boolean started;
    private Map<String, Stage.Caller> callers = new LinkedHashMap<>();
    private final Map<String, Integer> streams = new HashMap<>();
    private int journalRead;

    /** Returns the transcript with the effects that its commands have now. */
    static String perform(String transcript) {
        Play play = new Play();
        StringBuilder out = new StringBuilder();
        try {
            for (String line : transcript.lines().toList()) {
                if (line.startsWith("> ")) {
                    out.append(line).append('\n');
                    play.act(line.substring(2))
                            .forEach(l -> out.append(INDENT).append(l).append('\n'));
                } else if (!line.startsWith(INDENT)) {
                    out.append(line).append('\n');
                }
            }
        } finally {
            play.stage.close();
        }
        return out.toString();
    }

    private List<String> act(String command) {
        List<String> outcome = new ArrayList<>();
        Matcher request = REQUEST.matcher(command);
        Matcher gesture = GESTURE.matcher(command);
        Matcher wait = DURATION.matcher(command);
        if (command.startsWith("start ")) {
            start(command.substring(6), outcome);
        } else if (wait.matches()) {
            stage.rig.advance(duration(Long.parseLong(wait.group(1)), wait.group(2)));
        } else if (command.startsWith("gather ")) {
            Matcher gather = DURATION.matcher(command.replace("gather", "wait"));
            stage.rig.acquires.configure(
                    false,
                    gather.matches() ? duration(Long.parseLong(gather.group(1)), gather.group(2)) : Duration.ZERO);
        } else if (command.startsWith("brake ")) {
            String[] words = command.split(" ");
            Brake brake = new Brake(words[1], 0, Integer.parseInt(words[2]), Double.parseDouble(words[3]));
            stage.rig.inventory.brakes().configure(List.of(brake));
        } else if (command.startsWith("policy ")) {
            String[] words = command.split(" ");
            Policy.When when = Policy.When.valueOf(words[1].toUpperCase(Locale.ROOT));
            Policy policy = new Policy(when, Double.parseDouble(words[2]), "all", words[3], words[1], Purpose.NONE);
            stage.rig.expiry.policies().configure(List.of(policy));
        } else if (command.startsWith("disk ")) {
            disk.fault(
                    command.equals("disk full")
                            ? (kind, name) -> kind == FaultyDisk.Kind.WRITE ? 0 : -1
                            : FaultyDisk.NONE);
        } else if (request.matches()) {
            String json = request.group(3);
            send(request.group(1), request.group(2), json == null ? "" : json.strip());
        } else if (gesture.matches()) {
            gesture(gesture.group(1), gesture.group(2));
        } else {
            throw new IllegalArgumentException("a transcript cannot say: " + command);
        }
        stage.rig.settle();
        outcome.addAll(journal());
        stage.sent.forEach(sent -> outcome.add(
                nameOf(sent.to()) + " < " + Stage.text(sent.response()).strip()));
        stage.sent.clear();
        return outcome;
    }

    private String nameOf(Stage.Caller caller) {
        return callers.entrySet().stream()
                .filter(entry -> entry.getValue() == caller)
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse("nobody");
    }

    private static Duration duration(long number, String unit) {
        return switch (unit) {
            case "ms" -> Duration.ofMillis(number);
            case "s" -> Duration.ofSeconds(number);
            default -> Duration.ofHours(number);
        };
    }

    private void start(String hosts, List<String> outcome) {
        if (started) {
            stage.close();
            clock.runReady();
            clock = new HandDriven(clock.instant());
            stage = new Stage(Rig.on(disk, clock));
            callers = new LinkedHashMap<>();
        }
        started = true;
        var next = Rig.nodes(hosts);
        var remap = stage.rig.state().remapTo(next);
        if (!remap.from().ranks().isEmpty()) {
            note(outcome, "moved", remap.moved());
            note(outcome, "vanished", remap.vanished());
            note(outcome, "new", remap.added());
        }
        stage.rig.inventory.submit(
                new DefinitionChanges.Define(next, "configuration", Liveness.Status.ONLINE),
                Principal.DAEMON,
                answer -> {});
        stage.rig.inventory.submit(new DefinitionChanges.Restart(), Principal.DAEMON, answer -> {});
        stage.rig.settle();
        stage.rig.expiry.start();
        stage.rig.advance(Duration.ZERO);
    }

    private static void note(List<String> outcome, String what, Hostlist hosts) {
        if (!hosts.isEmpty()) {
            outcome.add("log: hosts " + what + ": " + hosts);
        }
    }

    private Stage.Caller caller(String name) {
        return callers.computeIfAbsent(name, n -> switch (n) {
            case "fluxion", "simple" ->
                stage.join(Stage.rights(1002, Stage.scheduler().credentials().rolemask(), n, Set.of(Right.ACQUIRE)));
            case "guest" -> stage.join(Stage.guest());
            case "robot" -> stage.join(Stage.robot());
            case "worker" -> stage.join(Stage.rights(1003, Credentials.USER, n, Set.of(Right.WORK)));
            case "node1", "node2" -> stage.join(ofHost(n));
            default ->
                stage.join(Stage.rights(Stage.OWNER, Stage.owner().credentials().rolemask(), n, Set.of()));
        });
    }

    /** Returns the rights of a host that reports itself. */
    private static Rights ofHost(String host) {
        Rights plain = Stage.rights(1100, Credentials.USER, host, Set.of(Right.REPORT_CHECK));
        Scope itself = new Scope(Set.of(), Set.of(host));
        return new Rights(plain.identity(), plain.credentials(), host, plain.granted(), itself, null);
    }

    private void send(String name, String topic, String json) {
        boolean streaming = topic.matches("resource.(acquire|journal|report)");
        int matchtag = caller(name).send(topic, json.isEmpty() ? null : json, streaming ? Header.STREAMING : 0);
        streams.put(name + " " + topic, matchtag);
    }

    private void gesture(String name, String what) {
        Stage.Caller caller = caller(name);
        switch (what) {
            case "stops reading" -> caller.reads = false;
            case "reads again" -> caller.readAgain();
            case "leaves" -> {
                caller.session.close();
                callers.remove(name);
            }
            default -> {
                String topic = what.substring("cancels ".length());
                Integer matchtag = streams.get(name + " " + topic);
                caller.send(topic + "-cancel", "{\"matchtag\":" + matchtag + "}", Header.NORESPONSE);
            }
        }
    }

    /**
     * Returns a line without {@code durable}, which depends on the progress of the disk, and without R, which equals R in the first
     * response.
     */
    private static String shorten(String line) {
        return line.replaceFirst("\"durable\":\\d+,", "").replaceFirst("\"R\":\\{.*]}}", "\"R\":{...}");
    }

    /** Returns the new lines on disk. All transcripts are short enough for one segment. */
    private List<String> journal() {
        String all = new String(memory.content("journal/0000000000000001.log"), StandardCharsets.UTF_8);
        List<String> lines = all.substring(0, all.lastIndexOf('\n') + 1).lines().toList();
        List<String> news = lines.subList(Math.min(journalRead, lines.size()), lines.size()).stream()
                .filter(line -> !line.contains("\"name\":\"journal-segment\""))
                .map(line -> "journal " + shorten(line.substring(CHECKSUM)))
                .toList();
        journalRead = lines.size();
        return news;
    }
}
