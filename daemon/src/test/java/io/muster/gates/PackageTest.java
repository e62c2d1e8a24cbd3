package io.muster.gates;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The packages, checked as far as possible without a build; .ci/packages builds and installs the packages. */
class PackageTest {
    private static final Path CONFIG = Path.of("../config");
    private static final Path SCRIPTS = CONFIG.resolve("packages");

    /** A line of the list of contents. */
    private record Item(String kind, String target, String source) {
        boolean isBuilt() {
            return kind.equals("link") || source.startsWith("target/") || source.contains("/target/");
        }

        /** Returns the path of the file in the package, if this line names one file. */
        String place() {
            return target + "/" + Path.of(source).getFileName();
        }
    }

    @TempDir
    private Path target;

    private static List<Item> items() throws IOException {
        return Files.readAllLines(SCRIPTS.resolve("contents")).stream()
                .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                .map(line -> line.split(" +", 3))
                .map(words -> new Item(words[0], words[1], words[2]))
                .toList();
    }

    private static void run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
    }

    private static String unzipped(Path file) throws IOException {
        try (InputStream in = new GZIPInputStream(Files.newInputStream(file))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void everyListedSourceFileExists() throws Exception {
        assertThat(items())
                .hasSizeGreaterThan(10)
                .filteredOn(item -> !item.isBuilt() && !item.source().contains("*"))
                .allSatisfy(item -> assertThat(CONFIG.resolve(item.source())).exists());
    }

    @Test
    void everyLineHasAKnownKind() throws Exception {
        assertThat(items()).extracting(Item::kind).containsOnly("644", "755", "tree", "link");
    }

    @Test
    void filesInEtcAreConffiles() throws Exception {
        assertThat(items())
                .extracting(Item::place)
                .filteredOn(place -> place.startsWith("etc/"))
                .map(place -> "/" + place)
                .hasSameElementsAs(Files.readAllLines(SCRIPTS.resolve("deb/conffiles")));
    }

    @Test
    void everyDocumentLinkedFromTheReadmeIsInThePackage() throws Exception {
        assertThat(items())
                .filteredOn(item -> item.source().startsWith("../docs/"))
                .extracting(Item::place)
                .containsExactlyInAnyOrder(
                        "usr/share/doc/muster/docs/*.md",
                        "usr/share/doc/muster/docs/*.svg",
                        "usr/share/doc/muster/docs/*.png",
                        "usr/share/doc/muster/docs/*.json");
        assertThat(Pattern.compile("\\]\\((docs/[^)#]+)")
                        .matcher(Files.readString(Path.of("../README.md")))
                        .results())
                .isNotEmpty()
                .allSatisfy(link -> assertThat(Path.of("..", link.group(1))).exists())
                .allSatisfy(link -> assertThat(link.group(1)).matches(".*\\.(md|svg|png)"));
    }

    @Test
    void aTestRunPrintsNoLineForEachInstrumentedClass() throws Exception {
        assertThat(Files.readString(Path.of("../pom.xml"))).contains("<jazzer.hooks>false</jazzer.hooks>");
        assertThat(Files.readString(Path.of("../.ci/fuzz"))).doesNotContain("jazzer.hooks");
    }

    @Test
    void theUnitRunsTheCommandOfThePackage() throws Exception {
        assertThat(items()).extracting(Item::place).contains("usr/bin/muster", "usr/share/muster/archives.sh");
        assertThat(Files.readString(CONFIG.resolve("muster.service")))
                .contains("ExecStart=/usr/bin/muster serve ")
                .containsPattern("(?m)^Before=flux\\.service$");
        assertThat(Files.readString(CONFIG.resolve("muster-relay.service")))
                .contains("ExecStart=/usr/bin/muster relay ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"muster.service", "muster-relay.service", "muster-flux@.service"})
    void aServiceThatCrashesAgainAndAgainIsStartedAgainAndHasLimits(String unit) throws Exception {
        String text = Files.readString(CONFIG.resolve(unit));
        assertThat(text)
                .containsPattern("(?m)^StartLimitIntervalSec=0$")
                .doesNotContain("StartLimitBurst")
                .containsPattern("(?m)^Restart=(always|on-failure)$")
                .containsPattern("(?m)^RestartSec=[1-5]$")
                .containsPattern("(?m)^MemoryMax=[1-4]G$")
                .containsPattern("(?m)^TasksMax=\\d+$");
        if (!unit.startsWith("muster-flux")) {
            assertThat(text).as("the process has private keys").containsPattern("(?m)^LimitCORE=0$");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "postinst",
                "posttrans",
                "prerm",
                "postrm",
                "finish",
                "../launcher/archives.sh",
                "../launcher/build.sh",
                "../../muster"
            })
    void scriptsHaveValidPosixShellSyntax(String script) throws Exception {
        run("sh", "-n", SCRIPTS.resolve(script).toString());
    }

    @Test
    void manPagesAndCompletionsAreFinished() throws Exception {
        Files.createDirectories(target.resolve("man-source"));
        Files.createDirectories(target.resolve("man"));
        Path source = target.resolve("man-source/muster-list.adoc");
        Files.writeString(source, "*-q*, *-p, --queue, --property*_=NAME,..._::\n  Only hosts.\n");
        Files.writeString(target.resolve("man/muster.1"), "a page\n");
        Files.writeString(target.resolve("man/muster.toml.5"), "another page\n");
        Files.writeString(target.resolve("muster.bash"), "#!/usr/bin/env bash\ncomplete\n");
        String finish = SCRIPTS.resolve("finish").toString();
        run(finish, "man-source", target.toString(), "1.2.3");
        run(finish, "documents", target.toString(), "1.2.3");
        assertThat(source).hasContent("*-q*, *-p, --queue, --property*=_NAME,..._::\n  Only hosts.\n");
        assertThat(unzipped(target.resolve("man/muster.1.gz"))).isEqualTo("a page\n");
        assertThat(unzipped(target.resolve("man/muster.toml.5.gz"))).isEqualTo("another page\n");
        assertThat(target.resolve("completion/muster")).hasContent("complete\n");
        assertThat(unzipped(target.resolve("changelog.gz"))).startsWith("muster (1.2.3) ");
        assertThat(unzipped(target.resolve("CHANGELOG.md.gz"))).startsWith("# Changelog");
    }
}
