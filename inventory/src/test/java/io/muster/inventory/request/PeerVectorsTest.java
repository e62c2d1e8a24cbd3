package io.muster.inventory.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.MalformedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What flux-core 0.88 made of texts, recorded in {@code peer/vectors.tsv}; {@code docs/compatibility.md} names each difference. */
class PeerVectorsTest {
    static Stream<String> vectors() throws IOException {
        return Files.readAllLines(Path.of("src/test/resources/peer/vectors.tsv")).stream()
                .filter(line -> !line.startsWith("#"));
    }

    /** @param vector kind, text, result of flux-core, result of Muster where it differs; "!" is a refusal */
    @ParameterizedTest
    @MethodSource("vectors")
    void everyDifferenceFromThePeerIsWrittenDown(String vector) throws IOException {
        String[] columns = vector.split("\t", -1);
        String ours = ours(columns[0], columns[1]);
        assertThat(ours).isEqualTo(columns[columns.length - 1]);
        if (!ours.equals(columns[2])) {
            assertThat(Files.readString(Path.of("../docs/compatibility.md"))).contains("`" + columns[1] + "`");
        }
    }

    private static String ours(String kind, String text) {
        try {
            return switch (kind) {
                case "idset" -> Idset.parse(text).toString();
                case "hostlist" -> String.join(" ", Hostlist.parse(text).expand());
                default -> Resource.toJson(Shape.parse(text, "task")).toString();
            };
        } catch (MalformedException e) {
            return "!";
        }
    }
}
