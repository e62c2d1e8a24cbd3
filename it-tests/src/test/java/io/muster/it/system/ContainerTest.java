package io.muster.it.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.github.dockerjava.api.model.Bind;
import io.muster.it.cast.ManySchedulers;
import io.muster.it.cast.RecordingAdmin;
import io.muster.it.harness.DaemonProcess;
import io.muster.it.harness.Images;
import io.muster.it.harness.Tool;
import io.muster.protocol.client.FluxClient;
import io.muster.testing.Needs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.images.builder.Transferable;

/** The image of config/Dockerfile: the daemon, schedulers and admins, each in its own container, connected by a volume with the socket. */
@Timeout(900)
@Needs("docker")
@Tag("once")
class ContainerTest {
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final long MEMORY = 256 << 20;
    private static final int DENIED = 6;

    private static final Path FIRST_STATE = Path.of("../daemon/src/test/resources/state/v1");
    /** The configuration with which the state was written. */
    private static final Path FIRST_CONFIG = FIRST_STATE.resolveSibling("v1.toml");

    private static String image = "";
    private static String previous = "";

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    private final String run = "muster-it-run-" + UUID.randomUUID();
    private final String state = "muster-it-state-" + UUID.randomUUID();
    private final List<GenericContainer<?>> containers = new ArrayList<>();
    private boolean failed;

    @BeforeAll
    static void build() {
        Images.makeBase();
        previous = Images.make("previous");
        image = Images.make("current");
    }

    @AfterAll
    static void removeImages() {
        Images.remove(image, previous);
    }

    /** JUnit calls this after the test and before {@link #removeContainersAndVolumes}. */
    @RegisterExtension
    final AfterTestExecutionCallback outcome =
            context -> failed = context.getExecutionException().isPresent();

    @BeforeEach
    void makeVolumes() {
        for (String volume : List.of(run, state)) {
            Tool.run("docker", "volume", "create", "--label=" + Images.LABEL + "=volume", volume);
        }
    }

    /** Also checks that the logs have no unexpected lines. */
    @AfterEach
    void removeContainersAndVolumes() {
        try {
            containers.forEach(ContainerTest::readLog);
        } catch (AssertionError e) {
            failed = true;
            throw e;
        } finally {
            if (failed) {
                containers.forEach(container -> System.out.println(container.getLogs()));
            }
            containers.forEach(GenericContainer::stop);
            if (failed) {
                System.out.println("the state is kept in the volume " + state);
            } else {
                Tool.run("docker", "volume", "rm", run, state);
            }
        }
    }

    private static void readLog(GenericContainer<?> container) {
        if (container.getContainerId() != null) {
            assertThat(container.getLogs().lines())
                    .filteredOn(line -> line.matches(".* (WARN|ERROR) .*|.*Exception.*"))
                    .filteredOn(line -> !line.contains("denied topic="))
                    .isEmpty();
        }
    }

    private GenericContainer<?> container(String of, String... binds) {
        GenericContainer<?> container = new GenericContainer<>(of)
                .withLabel(Images.LABEL, "container")
                .withCreateContainerCmdModifier(create -> {
                    List<Bind> all = new ArrayList<>();
                    for (String bind : binds) {
                        all.add(Bind.parse(bind));
                    }
                    create.getHostConfig().withBinds(all).withNetworkMode("none");
                });
        containers.add(container);
        return container;
    }

    private GenericContainer<?> daemon(String of, String... config) {
        GenericContainer<?> daemon = container(of, run + ":/run/muster", state + ":/var/lib/muster")
                .withCopyToContainer(Transferable.of(String.join("\n", config) + "\n"), "/etc/muster/muster.toml")
                .waitingFor(Wait.forLogMessage(".* ready socket=.*\\n", 1).withStartupTimeout(PATIENCE));
        daemon.start();
        return daemon;
    }

    /** @param output standard output and standard error of the command */
    private record Answer(int status, String output) {}

    /** Runs the command in a container of its own, as a uid of that container. */
    private Answer muster(int uid, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(
                List.of("docker", "run", "--rm", "--network=none", "--label=" + Images.LABEL + "=container"));
        command.addAll(List.of("--user=" + uid, "--volume=" + run + ":/run/muster", image));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Answer(process.waitFor(), output);
    }

    private String admin(String... arguments) throws IOException, InterruptedException {
        Answer answer = muster(990, arguments);
        assertThat(answer.status).as(answer.output).isZero();
        return answer.output;
    }

    /** The part of the status that does not change with time. */
    private JsonNode status() throws IOException, InterruptedException {
        ObjectNode status = (ObjectNode) new ObjectMapper().readTree(admin("status", "--json"));
        return status.remove(List.of("seq", "time"));
    }

    private static String[] nodes(String... lines) {
        List<String> config = new ArrayList<>(List.of(lines));
        config.add(DaemonProcess.Setup.nodes("node[0-7]"));
        return config.toArray(String[]::new);
    }

    @Test
    void daemonSchedulerAndAdminWorkInSeparateContainers() throws Exception {
        GenericContainer<?> daemon = daemon(image, nodes());
        GenericContainer<?> scheduler = container(image, run + ":/run/muster")
                .withCommand("acquire")
                .waitingFor(Wait.forLogMessage(".*up.*\\n", 1).withStartupTimeout(PATIENCE));
        scheduler.start();
        admin("drain", "node[1-2]", "bad", "dimm");
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(scheduler.getLogs()).contains("\"down\":\"1-2\""));
        assertThat(admin("drain")).contains("bad dimm", "node[1-2]");
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(daemon.getLogs()).contains("inventory: drain idset=1-2"));

        String[] healthcheck = new ObjectMapper()
                .readValue(
                        Tool.run("docker", "inspect", "--format={{json .Config.Healthcheck.Test}}", image),
                        String[].class);
        assertThat(healthcheck[0]).isEqualTo("CMD");
        var health = daemon.execInContainer(
                List.of(healthcheck).subList(1, healthcheck.length).toArray(String[]::new));
        assertThat(health.getExitCode()).as(health.getStderr()).isZero();
    }

    @Test
    void aPeerHasTheUidOfItsOwnContainer() throws Exception {
        daemon(image, nodes("[access]", "allow-guest-user = true"));
        for (int guest : new int[] {0, 1234}) {
            assertThat(muster(guest, "status").status).isZero();
            Answer drain = muster(guest, "drain", "node1");
            assertThat(drain.status).as(drain.output).isEqualTo(DENIED);
        }
        assertThat(admin("drain")).doesNotContain("node1");
        admin("drain", "node1");
    }

    @Test
    void aRestartKeepsTheState() throws Exception {
        GenericContainer<?> daemon = daemon(image, nodes());
        changeEveryAxis();
        JsonNode before = status();
        String id = daemon.getContainerId();
        Tool.run("docker", "stop", "--time=60", id);
        assertThat(Tool.run("docker", "inspect", "--format={{.State.ExitCode}}", id)
                        .strip())
                .isEqualTo("143");
        restart(id);
        assertThat(status()).isEqualTo(before);
        admin("drain", "node7", "just", "before", "the", "crash");
        before = status();
        Tool.run("docker", "kill", "--signal=KILL", id);
        restart(id);
        assertThat(status()).isEqualTo(before);
    }

    private void restart(String id) {
        Tool.run("docker", "start", id);
        await().atMost(PATIENCE).until(() -> muster(990, "status").status == 0);
    }

    private void changeEveryAxis() throws IOException, InterruptedException {
        admin("drain", "node1", "bad", "dimm");
        admin("exclude", "node2");
        admin("offline", "node3");
        admin("property", "add", "gpu", "node[4-5]");
    }

    @Test
    void anUpgradeKeepsTheState() throws Exception {
        GenericContainer<?> old = daemon(previous, nodes());
        changeEveryAxis();
        JsonNode before = status();
        String properties = admin("property", "list");
        Tool.run("docker", "stop", "--time=60", old.getContainerId());
        readLog(old);
        containers.remove(old);
        old.stop();

        GenericContainer<?> daemon = daemon(image, nodes());
        assertThat(daemon.getContainerInfo().getConfig().getLabels())
                .containsEntry("org.opencontainers.image.version", "current");
        assertThat(status()).isEqualTo(before);
        assertThat(admin("property", "list")).isEqualTo(properties).contains("gpu");
        admin("undrain", "node1");
    }

    /** The state directory of the first version that {@code StateFormatTest} keeps; the daemon in this image reads it. */
    @Test
    void theStateOfTheFirstVersionIsRead() throws Exception {
        Path states = Tool.copy(FIRST_STATE, directory.resolve("state"));
        GenericContainer<?> daemon = ours(states, Files.readString(FIRST_CONFIG));
        daemon.start();
        try (FluxClient client = FluxClient.connect("local://" + socket())) {
            JsonNode status = client.rpc("resource.status", null);
            assertThat(status.path("drain").toString()).contains("\"firmware\"", "\"psu\"");
            assertThat(status.path("exclude").asText())
                    .as("lost, lent, and by configuration")
                    .isEqualTo("1,4,8");
            client.rpc("resource.undrain", JsonNodeFactory.instance.objectNode().put("targets", "node5"));
        }
    }

    private Path socket() {
        return directory.resolve("run/muster.sock");
    }

    /**
     * A container that uses this machine's directories for the socket and the state, and runs the daemon as the user who runs the test, so
     * that peers are its owner.
     */
    private GenericContainer<?> ours(Path states, String config) throws IOException {
        Path sockets = Files.createDirectory(directory.resolve("run"));
        int uid = (Integer) Files.getAttribute(directory, "unix:uid");
        GenericContainer<?> daemon = container(image, sockets + ":/run/muster", states + ":/var/lib/muster")
                .withCopyToContainer(Transferable.of(config), "/etc/muster/muster.toml")
                .waitingFor(Wait.forLogMessage(".* ready socket=.*\\n", 1).withStartupTimeout(PATIENCE));
        daemon.withCreateContainerCmdModifier(create -> create.withUser(Integer.toString(uid)));
        return daemon;
    }

    @Test
    void theDaemonServesUnderLoadWithinAMemoryLimit() throws Exception {
        GenericContainer<?> daemon = ours(
                Files.createDirectory(directory.resolve("state")),
                "[muster]\nacquire = \"shared\"\nsnapshot-every = 200\n" + DaemonProcess.Setup.nodes("node[0-16383]")
                        + "\n");
        daemon.withCreateContainerCmdModifier(
                create -> create.getHostConfig().withMemory(MEMORY).withMemorySwap(MEMORY));
        daemon.start();
        ManySchedulers schedulers = ManySchedulers.of(200, socket());
        try (FluxClient admin = FluxClient.connect("local://" + socket());
                RecordingAdmin recorder = RecordingAdmin.at(admin, 200)) {
            recorder.write(1000);
            await().atMost(PATIENCE)
                    .until(() -> schedulers.whoKnow(recorder.up(16_384)) == 200 || schedulers.failure() != null);
            assertThat(schedulers.failure()).isNull();
            recorder.check();
        }
        schedulers.close();
        assertThat(Tool.run(
                                "docker",
                                "inspect",
                                "--format={{.State.Running}} {{.State.OOMKilled}}",
                                daemon.getContainerId())
                        .strip())
                .isEqualTo("true false");
    }
}
