package io.muster.inventory.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;

/** JSON that Muster wrote itself, whose numbers are read and written with the digits that they have. */
public final class ExactJson {
    /** Allows long strings, because a list of a million names is one string, and whatever was written must be readable. */
    private static final StreamReadConstraints CONSTRAINTS =
            StreamReadConstraints.builder().maxStringLength(Integer.MAX_VALUE).build();

    /**
     * Keeps numbers digit for digit: doubles would be written with an exponent, and R read with doubles would differ from the R
     * that was written, so that every start would define it anew.
     */
    public static final JsonMapper MAPPER = JsonMapper.builder(
                    JsonFactory.builder().streamReadConstraints(CONSTRAINTS).build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private ExactJson() {}
}
