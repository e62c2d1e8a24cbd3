package io.muster.inventory.request;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** RFC 46's examples, both ways, and RFC 14's use cases that they stand for. */
class SeedShapeTest {
    /** One example: its name, its shape and its YAML. */
    record Example(String name, String shape, String yaml) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Example> examples() throws IOException {
        return Arrays.stream(resource("/rfc46/examples.txt").split("(?m)^## "))
                .filter(s -> !s.isBlank())
                .map(s -> s.split("\n", 3))
                .map(p -> new Example(p[0].strip(), p[1].strip(), p[2]));
    }

    static String resource(String name) throws IOException {
        try (InputStream in = SeedShapeTest.class.getResourceAsStream(name)) {
            return new String(java.util.Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void everyUseCaseIsThere() throws IOException {
        assertThat(examples()).hasSize(17);
    }

    @ParameterizedTest
    @MethodSource("examples")
    void expandsAsTheRfcShows(Example example) throws IOException {
        JsonNode expected = new YAMLMapper().readTree(example.yaml());
        assertThat(Resource.toJson(Shape.parse(example.shape()))).isEqualTo(expected);
    }

    @ParameterizedTest
    @MethodSource("examples")
    void compactsToTheShapeOfTheRfc(Example example) {
        List<Resource> resources = Resource.parseList(example.yaml());
        assertThat(Shape.print(resources)).isEqualTo(example.shape());
    }

    /** A slot that RFC 46 leaves without a label has one of the use case's own in RFC 14, such as 2.2's. */
    @ParameterizedTest
    @MethodSource("examples")
    void theCanonicalJobspecOfTheUseCaseHoldsTheSameResources(Example example) throws IOException {
        Jobspec jobspec = Jobspec.parse(resource("/rfc14/" + example.name() + ".yaml"), Jobspec.Level.CANONICAL);
        String label = jobspec.tasks().get(0).slot();
        assertThat(jobspec.resources()).isEqualTo(Shape.parse(example.shape(), label));
    }
}
