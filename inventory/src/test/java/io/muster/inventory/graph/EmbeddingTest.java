package io.muster.inventory.graph;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.File;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.roaringbitmap.RoaringBitmap;

/** The program in {@code docs/embedding.md}, in a JVM of its own that has only this module, Jackson and bitmaps. */
class EmbeddingTest {
    private static final int LONGEST = 40;

    @TempDir
    private Path directory;

    /** Returns the block of the page after the line {@code ```kind}. */
    private static String block(String page, String kind) {
        String after = page.split("\n```" + kind + "\n", 2)[1];
        return after.substring(0, after.indexOf("```\n"));
    }

    private static String classPath() throws URISyntaxException {
        StringBuilder path = new StringBuilder();
        for (Class<?> each : new Class<?>[] {
            ResourceGraph.class, JsonMapper.class, JsonParser.class, JsonProperty.class, RoaringBitmap.class
        }) {
            Path place = Path.of(
                    each.getProtectionDomain().getCodeSource().getLocation().toURI());
            path.append(place).append(File.pathSeparatorChar);
        }
        return path.append('.').toString();
    }

    @Test
    void theDocumentedProgramRunsWithThisModuleAndItsDependenciesOnly() throws Exception {
        String page = Files.readString(Path.of("../docs/embedding.md"));
        String program = block(page, "java");
        assertThat(program.lines().filter(line -> !line.isBlank())).hasSizeLessThanOrEqualTo(LONGEST);
        Path source = Files.writeString(directory.resolve("Embedded.java"), program);
        Files.writeString(directory.resolve("R.json"), block(page, "json"));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files =
                compiler.getStandardFileManager(null, Locale.ROOT, StandardCharsets.UTF_8)) {
            assertThat(compiler.getTask(
                                    null,
                                    files,
                                    null,
                                    Stream.of("-proc:none", "-cp", classPath()).toList(),
                                    null,
                                    files.getJavaFileObjects(source))
                            .call())
                    .isTrue();
        }
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        classPath(),
                        "Embedded",
                        "R.json",
                        "subset.json")
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(printed).isZero();
        assertThat(printed).isEqualTo(block(page, "text"));
        assertThat(new JsonMapper()
                        .readTree(directory.resolve("subset.json").toFile())
                        .at("/graph/nodes")
                        .findValuesAsText("name"))
                .containsExactlyInAnyOrder("cluster0", "node4", "node5");
    }
}
