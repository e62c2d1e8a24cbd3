package io.muster.daemon.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The transcripts under {@code src/test/resources/transcripts}: a tutorial of the protocol whose content is tested. After an intended
 * change, {@code mvn test -pl daemon -am -Dtest=TranscriptTest -Dtranscripts.rewrite=true} writes them again; read the difference before
 * you commit it.
 */
class TranscriptTest {
    private static final Path DIRECTORY = Path.of("src/test/resources/transcripts");

    static List<String> transcripts() throws IOException {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(DIRECTORY, "*.txt")) {
            files.forEach(file -> names.add(file.getFileName().toString()));
        }
        names.sort(null);
        return names;
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("transcripts")
    void theEffectsMatchTheTranscript(String name) throws IOException {
        Path file = DIRECTORY.resolve(name);
        String written = Files.readString(file);
        String performed = Play.perform(written);
        if (Boolean.getBoolean("transcripts.rewrite")) {
            Files.writeString(file, performed);
        } else {
            assertThat(performed).isEqualTo(written);
        }
    }
}
