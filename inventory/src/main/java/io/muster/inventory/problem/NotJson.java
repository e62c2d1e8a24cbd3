package io.muster.inventory.problem;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.util.regex.Pattern;

/** What is wrong with a text that is not JSON, in Jackson's words less those about Jackson. */
public final class NotJson {
    private static final Pattern JACKSONS_OWN = Pattern.compile(" \\(start marker at \\[.*?]\\)| for `\\w+`.*");

    private NotJson() {}

    public static String sentence(JsonProcessingException e) {
        return JACKSONS_OWN.matcher(e.getOriginalMessage()).replaceAll("");
    }
}
