package io.muster.gates;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** The Debian package, checked as far as possible without building it. */
class PackageTest {
    private static final Path CONFIG = Path.of("../config");
    private static final Path SCRIPTS = CONFIG.resolve("deb");

    /** One file of the package, or a directory of files. */
    private record Item(String source, String target) {}

    @TempDir
    private Path target;

    private static List<Item> items() throws Exception {
        NodeList found = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(CONFIG.resolve("pom.xml").toFile())
                .getElementsByTagName("data");
        List<Item> items = new ArrayList<>();
        for (int i = 0; i < found.getLength(); i++) {
            Element data = (Element) found.item(i);
            String source = text(data, "src").replace("${project.basedir}", CONFIG.toString());
            String place = text(data, "dst");
            items.add(new Item(
                    source,
                    place.isEmpty()
                            ? text(data, "prefix") + "/" + Path.of(source).getFileName()
                            : place));
        }
        return items;
    }

    private static String text(Element in, String name) {
        NodeList found = in.getElementsByTagName(name);
        return found.getLength() == 0 ? "" : found.item(0).getTextContent();
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
    void whatGoesInIsThere() throws Exception {
        assertThat(items())
                .hasSizeGreaterThan(10)
                .filteredOn(
                        item -> !item.source().contains("${") && !item.source().contains("/target/"))
                .allSatisfy(item -> assertThat(Path.of(item.source())).exists());
    }

    @Test
    void anUpgradeAsksBeforeItReplacesWhatOperatorsEdit() throws Exception {
        assertThat(items())
                .extracting(Item::target)
                .filteredOn(place -> place.startsWith("/etc/"))
                .hasSameElementsAs(Files.readAllLines(SCRIPTS.resolve("control/conffiles")));
    }

    @Test
    void everyDocumentToWhichTheReadmeOfThePackageLinksIsInThePackage() throws Exception {
        List<String> prefixes = items().stream()
                .filter(item -> item.source().endsWith("/../docs"))
                .map(item -> Path.of(item.target()).getParent() + "/")
                .toList();
        assertThat(prefixes).containsExactly("/usr/share/doc/muster/docs/");
        assertThat(Pattern.compile("\\]\\((docs/[^)#]+)")
                        .matcher(Files.readString(Path.of("../README.md")))
                        .results())
                .isNotEmpty()
                .allSatisfy(link -> assertThat(Path.of("..", link.group(1))).exists())
                .allSatisfy(link -> assertThat(link.group(1)).matches(".*\\.(md|svg)"));
    }

    @Test
    void aTestRunPrintsNoLineForEachInstrumentedClass() throws Exception {
        assertThat(Files.readString(Path.of("../pom.xml"))).contains("<jazzer.hooks>false</jazzer.hooks>");
        assertThat(Files.readString(Path.of("../.ci/fuzz"))).doesNotContain("jazzer.hooks");
    }

    @Test
    void theUnitRunsTheCommandOfThePackage() throws Exception {
        assertThat(items()).extracting(Item::target).contains("/usr/bin/muster", "/usr/share/muster/archives.sh");
        assertThat(Files.readString(CONFIG.resolve("muster.service"))).contains("ExecStart=/usr/bin/muster serve ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "control/postinst",
                "control/prerm",
                "control/postrm",
                "finish",
                "../launcher/archives.sh",
                "../launcher/build.sh",
                "../../muster"
            })
    void scriptsAreReadableByAnyShell(String script) throws Exception {
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
        run(finish, "files", target.toString(), "1.2.3");
        assertThat(source).hasContent("*-q*, *-p, --queue, --property*=_NAME,..._::\n  Only hosts.\n");
        assertThat(unzipped(target.resolve("man/muster.1.gz"))).isEqualTo("a page\n");
        assertThat(unzipped(target.resolve("man/muster.toml.5.gz"))).isEqualTo("another page\n");
        assertThat(target.resolve("muster.completion")).hasContent("complete\n");
        assertThat(unzipped(target.resolve("changelog.gz"))).startsWith("muster (1.2.3) ");
        assertThat(unzipped(target.resolve("CHANGELOG.md.gz"))).startsWith("# Changelog");
    }
}
