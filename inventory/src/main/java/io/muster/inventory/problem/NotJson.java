package io.muster.inventory.problem;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import java.util.regex.Pattern;

/** Describes the fault in a text that is not JSON. */
public final class NotJson {
    private static final Pattern JACKSONS_OWN = Pattern.compile(" \\(start marker at \\[.*?]\\)| for `\\w+`.*");

    /** The fault that a reader reports if it finds more than one value. */
    public static final String GOES_ON = "goes on after the end of the value";

    private NotJson() {}

    /**
     * Returns Jackson's sentence without the parts about Jackson itself. The sentence quotes the text, so it may be shown only
     * to a user that may read all of the text, and not to a peer that named a file for the daemon to read.
     */
    public static String sentence(JsonProcessingException e) {
        return JACKSONS_OWN.matcher(e.getOriginalMessage()).replaceAll("");
    }

    /** Returns a sentence that does not quote the text, such as {@code ends too early at line 3, column 7}. */
    public static String blindSentence(JsonProcessingException e) {
        String message = e.getOriginalMessage();
        String kind = "cannot be read";
        if (message.startsWith("Unexpected end-of-input")) {
            kind = "ends too early";
        } else if (message.startsWith("Duplicate field")) {
            kind = "has a key twice in one object";
        } else if (message.startsWith("Document nesting depth")) {
            kind = "is nested too deep";
        } else if (message.startsWith(GOES_ON)) {
            kind = GOES_ON;
        }
        JsonLocation place = e.getLocation();
        return place == null ? kind : kind + " at line " + place.getLineNr() + ", column " + place.getColumnNr();
    }
}
