package io.muster.inventory.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.JsonTokenId;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.core.util.JsonParserDelegate;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.muster.inventory.problem.Problems;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The mapper for JSON that Muster wrote itself, such as journal entries and snapshots: numbers keep all their digits when
 * they are read and written.
 */
public final class ExactJson {
    /**
     * Allows strings of any length, because the names of a million hosts are one string, and Muster must be able to read
     * everything that it wrote.
     */
    private static final StreamReadConstraints CONSTRAINTS =
            StreamReadConstraints.builder().maxStringLength(Integer.MAX_VALUE).build();

    /**
     * Keeps numbers digit for digit: doubles would be written with an exponent, and R read with doubles would differ from the R
     * that was written, so that every start would define it anew.
     */
    public static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(CONSTRAINTS)
                    .enable(JsonWriteFeature.COMBINE_UNICODE_SURROGATES_IN_UTF8)
                    .build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private ExactJson() {}

    /**
     * Returns the tree of a document. The node of R's key {@code scheduling} stands for a {@link RawJson}, unless {@link
     * PortableJson#mend} repairs something in the value.
     */
    public static JsonNode read(byte[] utf8, int from, int length) throws IOException {
        try (Packing in = new Packing(MAPPER.createParser(utf8, from, length))) {
            JsonNode tree = MAPPER.readValue(in, JsonNode.class);
            if (in.faults.isEmpty()) {
                return tree;
            }
        } catch (NumberFormatException e) {
            // The mapper accepts numbers that R must not have.
        }
        return MAPPER.readTree(utf8, from, length);
    }

    /** Replaces the tokens of {@code scheduling} in R by one token. */
    private static final class Packing extends JsonParserDelegate {
        private final Problems faults = new Problems();
        private @Nullable RawJson packed;

        Packing(JsonParser in) {
            super(in);
        }

        @Override
        public @Nullable JsonToken nextToken() throws IOException {
            packed = null;
            JsonToken token = delegate.nextToken();
            if (token == JsonToken.START_OBJECT
                    && isScheduling(delegate.getParsingContext().getParent())) {
                packed = StrictJson.pack(delegate, faults);
                return JsonToken.VALUE_EMBEDDED_OBJECT;
            }
            return token;
        }

        private static boolean isScheduling(JsonStreamContext r) {
            return "scheduling".equals(r.getCurrentName())
                    && r.getParent() != null
                    && "R".equals(r.getParent().getCurrentName());
        }

        @Override
        public @Nullable JsonToken currentToken() {
            return packed == null ? delegate.currentToken() : JsonToken.VALUE_EMBEDDED_OBJECT;
        }

        @Override
        public int currentTokenId() {
            return packed == null ? delegate.currentTokenId() : JsonTokenId.ID_EMBEDDED_OBJECT;
        }

        @Override
        public @Nullable Object getEmbeddedObject() throws IOException {
            return packed == null ? delegate.getEmbeddedObject() : packed;
        }
    }
}
