package io.muster.inventory.problem;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import java.util.regex.Pattern;

/** What is wrong with a text that is not JSON. */
public final class NotJson {
    private static final Pattern JACKSONS_OWN = Pattern.compile(" \\(start marker at \\[.*?]\\)| for `\\w+`.*");

    /** What a reader says that finds more than one value. */
    public static final String GOES_ON = "goes on after the end of the value";

    private NotJson() {}

    /**
     * In Jackson's words, less those about Jackson. The words quote the text: they are for whoever may read all of the text, and not
     * for a peer who named a file that the daemon then read.
     */
    public static String sentence(JsonProcessingException e) {
        return JACKSONS_OWN.matcher(e.getOriginalMessage()).replaceAll("");
    }

    /** The same without a word of the text: {@code ends too early at line 3, column 7}. */
    public static String blindSentence(JsonProcessingException e) {
        String said = e.getOriginalMessage();
        String kind = "cannot be read";
        if (said.startsWith("Unexpected end-of-input")) {
            kind = "ends too early";
        } else if (said.startsWith("Duplicate field")) {
            kind = "has a key twice in one object";
        } else if (said.startsWith("Document nesting depth")) {
            kind = "is nested too deep";
        } else if (said.startsWith(GOES_ON)) {
            kind = GOES_ON;
        }
        JsonLocation place = e.getLocation();
        return place == null ? kind : kind + " at line " + place.getLineNr() + ", column " + place.getColumnNr();
    }
}
