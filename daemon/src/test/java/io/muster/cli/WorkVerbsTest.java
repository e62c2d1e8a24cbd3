package io.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.Shell.Result;
import io.muster.cli.terminal.Exit;
import io.muster.daemon.RunningDaemon;
import io.muster.protocol.admin.ReportRequest;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.client.ResponseStream;
import io.muster.protocol.rpc.RpcException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The verbs about checks and work, against a daemon in this process. */
@Timeout(300)
final class WorkVerbsTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final String RESOURCES = """
            [[resource.config]]
            hosts = "node[0-3]"
            cores = "0-3"
            [holds]
            checks = ["nhc", "burn-in"]
            actions = ["reboot", "reseat"]
            """;

    @TempDir
    private Path directory;

    private RunningDaemon daemon;

    @BeforeEach
    void start() throws Exception {
        daemon = RunningDaemon.start(directory, RESOURCES);
    }

    @AfterEach
    void stop() throws Exception {
        daemon.close();
    }

    private Result run(String... arguments) {
        return new Shell().with("MUSTER_URI", daemon.uri()).run(arguments);
    }

    private String done(String... arguments) {
        Result result = run(arguments);
        assertThat(result.exit()).as(result.err()).isZero();
        return result.out() + result.err();
    }

    private void refused(int exit, String sentence, String... arguments) {
        Result result = run(arguments);
        assertThat(result.err()).contains(sentence);
        assertThat(result.exit()).isEqualTo(exit);
    }

    private String held() {
        return run("drain").out();
    }

    @Test
    void aResultEndsAHold() {
        done("drain", "--until-check=burn-in", "node[1-2]", "new", "dimm");
        assertThat(done("check-result", "node1", "burn-in", "failed", "60", "GB"))
                .isEmpty();
        assertThat(done("work", "list", "--json")).contains("\"state\":\"check-failed\"", "\"detail\":\"60 GB\"");
        String note = "check_fs_mount:  /nowhere not mounted; directory missing"; // as a helper of NHC gets it
        done("check-result", "node2", "burn-in", "failed", note);
        assertThat(done("work", "list", "--json", "node2")).contains("\"detail\":\"" + note + "\"");
        assertThat(done("check-result", "node1", "burn-in", "ok")).contains("ended the hold admin on node1");
        assertThat(held()).contains("node2").doesNotContain("node1");
        refused(
                Exit.CONFLICT,
                "no hold on node1 waits for the check burn-in",
                "check-result",
                "node1",
                "burn-in",
                "ok");
        refused(Exit.CONFLICT, "is of attempt 9 on node2", "check-result", "--attempt=9", "node2", "burn-in", "ok");
        refused(Exit.USAGE, "numbered from 1", "check-result", "--attempt=0", "node2", "burn-in", "ok");
        refused(Exit.USAGE, "numbered from 1", "work", "claim", "--attempt=-1", "node2");
        refused(Exit.NO_TARGET, "node9", "check-result", "node9", "burn-in", "ok");
        refused(Exit.USAGE, "the result is ok or failed, not \"good\"", "check-result", "node2", "burn-in", "good");
    }

    @Test
    void namesThatAreNotConfiguredAreRefused() {
        refused(
                Exit.USAGE,
                "there is no check \"burnin\": there are nhc, burn-in; did you mean burn-in?",
                "drain",
                "--until-check=burnin",
                "node1");
        refused(Exit.USAGE, "there is no action \"rm\": there are reboot, reseat", "drain", "--action=rm", "node1");
        assertThat(held()).doesNotContain("node1");
        String none = "there is no check \"burnin\": there are nhc, burn-in; did you mean burn-in? (holds.checks)";
        refused(Exit.USAGE, none, "check-node", "--host=node1", "burnin", "--", "true");
        refused(Exit.USAGE, none, "check-result", "node1", "burnin", "ok");
        refused(Exit.USAGE, none, "check-result", "--attempt=1", "node1", "burnin", "ok");
    }

    @Test
    void aHoldIsEndedByItsCheckAlthoughTheCheckIsNotConfiguredAnyMore() throws Exception {
        done("drain", "--until-check=burn-in", "node1", "new", "dimm");
        daemon.reconfigure(RESOURCES.replace("\"burn-in\"", "\"memtest\""));
        done("check-result", "node1", "burn-in", "failed", "60\tGB\nof 64");
        assertThat(done("work", "list", "--json")).contains("\"detail\":\"60 GB of 64\"");
        String[] line = {"check-node", "--host=node1", "burn-in", "--", "printf", "a\tb\\033[0m\\n"};
        assertThat(run(line).out()).isEqualTo("burn-in on node1: ok: a b [0m\n");
        assertThat(held()).doesNotContain("node1");
        refused(Exit.USAGE, "there is no check \"burn-in\": there are nhc, memtest", line);
    }

    @Test
    void aHealthProgramReportsForTheNodeThatRunsIt() throws Exception {
        Path nhc = Files.writeString(
                directory.resolve("nhc"),
                "#!/bin/sh\necho checking\necho 'ERROR:  nhc:  Health check failed:  check_hw_mem: 60 GB'\necho trailing\nexit $1\n");
        assertThat(nhc.toFile().setExecutable(true)).isTrue();
        String[] line = {"check-node", "--host=node1", "--convention=nhc", "nhc", "--", nhc.toString(), "1"};
        assertThat(run(line).out()).isEqualTo("no hold on node1 waits for the check nhc now\n");
        done("drain", "--until-check=nhc", "node1", "new", "dimm");
        Result failed = run(line);
        assertThat(failed.out()).isEqualTo("nhc on node1: failed: check_hw_mem: 60 GB\n");
        assertThat(failed.err()).as("the hold needs no boot id").isEmpty();
        assertThat(failed.out()).doesNotContain("trailing");
        assertThat(failed.exit()).isEqualTo(Exit.ERROR);
        assertThat(held()).contains("node1");
        refused(
                Exit.USAGE,
                "there is no convention \"zabbix\"",
                "check-node",
                "--convention=zabbix",
                "--host=node1",
                "nhc",
                "--",
                "true");
        done("drain", "--action=reboot", "--until-check=nhc", "node2", "hangs");
        Result boot = run("check-node", "--host=node2", "nhc", "--", "true");
        assertThat(boot.err()).as("the owner is not the host").contains("the boot id was not reported: user ");
        assertThat(boot.exit()).isEqualTo(Exit.DENIED);
        Result late = run("check-node", "--host=node1", "--limit=100ms", "nhc", "--", "sleep", "1000");
        assertThat(late.out()).isEqualTo("nhc on node1: failed: did not end within 100ms\n");
        Result missing = run("check-node", "--host=node1", "nhc", "--", directory + "/missing");
        assertThat(missing.out()).contains("failed: cannot be run: ").contains("No such file");
        String[] nagios = {"sh", "-c", "echo 'DISK OK - free: 10 GB | /=2;5'; echo more"};
        Result ok =
                run("check-node", "--host=node1", "--convention=nagios", "nhc", "--", nagios[0], nagios[1], nagios[2]);
        assertThat(ok.out()).isEqualTo("nhc on node1: ok: DISK OK - free: 10 GB\n");
        assertThat(ok.exit()).isZero();
        assertThat(held()).doesNotContain("node1");
        assertThat(run("history", "node1").out()).contains("nhc passed: DISK OK - free: 10 GB");
    }

    @Test
    void workIsOfferedWhenTheHostIsIdle() throws Exception {
        done("drain", "--action=reseat", "--until-check=nhc", "node1", "bad", "fan");
        refused(Exit.CONFLICT, "nobody reports whether jobs use it", "work", "claim", "node1");
        refused(Exit.USAGE, "the lease of a claim is 10 s to 7 days", "work", "claim", "--lease=5s", "node1");
        refused(Exit.CONFLICT, "is not claimed now: nobody has claimed it", "work", "done", "node1");
        assertThat(done("why", "node1")).contains("assumed, no report since R was defined");
        assertThat(done("work", "list")).containsPattern("node1 +admin +1 +reseat +nhc +busy +nobody reports");
        try (FluxClient reporter = FluxClient.connect(daemon.uri());
                ResponseStream stream = report(reporter)) {
            assertThat(done("why", "node1")).containsPattern("liveness +online for .*: reported by bridge\n");
            use(reporter, "1");
            assertThat(done("work", "list")).containsPattern("busy +jobs use it");
            awaitOffer(reporter);
            assertThat(done("work", "claim", "node1")).startsWith("reseat of node1: attempt 1 is claimed until ");
            refused(Exit.CONFLICT, "has claimed it until", "work", "claim", "node1");
            refused(Exit.CONFLICT, "counts after the action reseat", "check-result", "node1", "nhc", "ok");
            done("work", "done", "node1", "new", "fan");
            refused(Exit.CONFLICT, "is not claimed now", "work", "failed", "node1");
            assertThat(done("check-result", "node1", "nhc", "ok")).contains("ended the hold admin");
            refused(Exit.CONFLICT, "no hold on node1 waits for an action", "work", "done", "node1");
            assertThat(stream).isNotNull();
        }
    }

    @Test
    void anUndrainSaysWhoMayBeWorkingOnTheHost() throws Exception {
        done("drain", "--action=reseat", "--until-check=nhc", "node1", "bad", "fan");
        try (FluxClient reporter = FluxClient.connect(daemon.uri());
                ResponseStream stream = report(reporter)) {
            assertThat(stream).isNotNull();
            awaitOffer(reporter);
            done("work", "claim", "node1");
            String claim = "claimed the action reseat on node1 [0-9hms]+ ago and may be working there: the claim ends"
                    + " with attempt 1";
            assertThat(done("undrain", "--dry-run", "node1")).containsPattern("(?m)" + claim + "$");
            Result no = new Shell()
                    .with("MUSTER_URI", daemon.uri())
                    .onTerminal(200)
                    .typing("n\n")
                    .run("undrain", "node1");
            assertThat(no.err())
                    .containsPattern("^This changes 1 of 4 hosts \\(25 %\\): node1\\. .*" + claim + "\\. Continue\\?")
                    .contains("nothing was changed");
            assertThat(held()).contains("node1");
            assertThat(done("undrain", "node1")).containsPattern(claim);
            refused(Exit.CONFLICT, "no hold on node1 waits for an action", "work", "done", "node1");
        }
    }

    private void awaitOffer(FluxClient reporter) {
        await().atMost(PATIENCE).until(() -> {
            use(reporter, "");
            return done("work", "list", "--state=offered").contains("node1");
        });
    }

    private static ResponseStream report(FluxClient reporter) throws Exception {
        ObjectNode request = JsonNodeFactory.instance.objectNode().put("reporter", "bridge");
        ResponseStream stream =
                reporter.stream(ReportRequest.TOPIC, request.put("ranks", "0-3").put("online", "0-3"));
        assertThat(stream.next().path("ranks").asText()).isEqualTo("0-3");
        return stream;
    }

    /** Reports usage, and retries if the last report was less than 50 ms ago. */
    private static void use(FluxClient reporter, String allocated) {
        ObjectNode payload = JsonNodeFactory.instance.objectNode().put("allocated", allocated);
        await().atMost(PATIENCE).ignoreException(RpcException.class).until(() -> {
            reporter.rpc(ReportRequest.USAGE_TOPIC, payload);
            return true;
        });
    }

    @Test
    void mistakesAreRefusedWithWhatToDo() {
        refused(Exit.USAGE, "\"node[1-2]\" may be several hosts", "work", "claim", "node[1-2]");
        refused(Exit.USAGE, "\"all\" may be several hosts", "check-result", "all", "nhc", "ok");
        refused(Exit.USAGE, "\"\" names no host", "work", "claim", "");
        refused(Exit.USAGE, "\"\" names no host", "check-result", "--attempt=1", "", "nhc", "ok");
        refused(Exit.USAGE, "\"\" names no host", "work", "done", "");
        refused(Exit.USAGE, "--lease: \"inf\" is not a duration", "work", "claim", "--lease=inf", "node1");
        refused(Exit.USAGE, "--lease: \"foo\" is not a duration", "work", "claim", "--lease=foo", "node1");
        refused(Exit.USAGE, "there is no convention \"nrpe\"", "check-node", "--convention=nrpe", "nhc", "--", "true");
        refused(Exit.USAGE, "a planned hold drains no host yet", "drain", "--from=1h", "--wait=idle", "node1", "x");
        refused(Exit.USAGE, "--ticket is empty", "drain", "--ticket=", "node1", "x");
        refused(Exit.USAGE, "--until: there are no TARGETS", "drain", "--for=1h");
        done("drain", "--from=1h", "node1", "x");
        refused(Exit.CONFLICT, "-f changes it; `muster drain --planned` shows it", "drain", "--from=2h", "node1", "y");
        refused(Exit.CONFLICT, "--planned cancels holds that have not begun", "undrain", "node1");
        refused(Exit.CONFLICT, "-u skips targets without this planned hold", "undrain", "--planned", "node2");
        assertThat(held()).doesNotContain("node");
    }

    @Test
    void whyDoesNotPromiseTheEndOfAHoldThatWaits() {
        done("drain", "--until-check=nhc", "--for=1h", "node3", "x");
        assertThat(done("why", "node3")).contains("waits for the check nhc (attempt 1), should end by ");
    }
}
