package io.muster.it.harness;

import java.nio.file.Path;

/** The image of config/Dockerfile, built as the comment in that file says, under names that are reserved for these tests. */
public final class Images {
    /** A label on every image, container and volume of these tests, so that leftovers can be found. */
    public static final String LABEL = "io.muster.it";

    private static final Path TREE = Path.of("..").toAbsolutePath().normalize();
    private static final String OWN = Long.toString(ProcessHandle.current().pid());
    private static final String BASE = "muster-it-base:" + OWN;

    private Images() {}

    public static void makeBase() {
        String script = "set -o pipefail; .ci/base-image | docker import --change 'ENV PATH=/usr/bin' --change 'LABEL "
                + LABEL + "=base' - " + BASE;
        Tool.run("env", "-C", TREE.toString(), "JAVA_HOME=" + System.getProperty("java.home"), "bash", "-c", script);
    }

    /** @return the image's name */
    public static String make(String version) {
        String name = "muster-it-" + version + ":" + OWN;
        Tool.run(
                "docker",
                "build",
                "--tag=" + name,
                "--label=" + LABEL + "=image",
                "--build-arg=BASE=" + BASE,
                "--build-arg=VERSION=" + version,
                "--file=" + TREE.resolve("config/Dockerfile"),
                TREE.toString());
        return name;
    }

    public static void remove(String... names) {
        for (String name : names) {
            Tool.run("docker", "rmi", "--force", name);
        }
        Tool.run("docker", "rmi", "--force", BASE);
    }
}
