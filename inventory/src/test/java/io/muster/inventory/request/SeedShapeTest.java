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

/** RFC 46's examples in both directions, compared with the corresponding use cases of RFC 14. */
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
    void everyExampleOfTheRfcIsRead() throws IOException {
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

    /** Where RFC 46 gives a slot no label, the use case in RFC 14 has a label, for example in 2.2. */
    @ParameterizedTest
    @MethodSource("examples")
    void theCanonicalJobspecOfTheUseCaseHoldsTheSameResources(Example example) throws IOException {
        Jobspec jobspec = Jobspec.parse(resource("/rfc14/" + example.name() + ".yaml"), Jobspec.Level.CANONICAL);
        String label = jobspec.toJson().at("/tasks/0/slot").asText();
        assertThat(jobspec.resources()).isEqualTo(Shape.parse(example.shape(), label));
    }
}
