package io.muster.inventory.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;

/**
 * The mapper for JSON that Muster wrote itself, such as journal entries and snapshots: numbers keep all their digits when
 * they are read and written.
 */
public final class ExactJson {
    /**
     * Allows strings of any length, because the names of a million hosts are one string, and Muster must be able to read
     * whatever it wrote.
     */
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
