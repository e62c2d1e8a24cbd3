package io.muster.inventory.axis;

import com.fasterxml.jackson.core.JsonGenerator;
import io.muster.inventory.json.Fields;
import java.io.IOException;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How far the attempt of a hold has come. A hold of which nothing was reported has no standing.
 *
 * @param by the user that made the last step: the claimant, while the work is claimed
 * @param since when the last step was made, in seconds since the epoch
 * @param until when the claim ends, in seconds since the epoch; 0 if there is none
 * @param boot the boot id of the host before the claim, if another one has to prove the action; "" otherwise
 * @param detail the line of the report; "" for none
 */
public record Standing(Step step, Principal by, double since, double until, String boot, String detail) {
    /** The last step of an attempt. */
    public enum Step {
        /** A user does the work now. */
        CLAIMED,
        /** The work is done. If the hold has a check, its result counts from now on. */
        DONE,
        /** The work was not done. Only another attempt, which a person asks for, goes on. */
        FAILED,
        /** The check failed, and may be made again. */
        CHECK_FAILED;

        public String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        /** Returns the step with this word; null if it is none that a hold shows. */
        public static @Nullable Step of(String word) {
            return Arrays.stream(values())
                    .filter(step -> step.word().equals(word))
                    .findFirst()
                    .orElse(null);
        }
    }

    private static Step step(Fields in) {
        Step step = Step.of(in.text("step"));
        if (step == null) {
            throw in.fault("step", "is no step of an attempt");
        }
        return step;
    }

    static Standing read(Fields in) {
        return new Standing(
                step(in),
                Principal.readBy(in),
                Epoch.seconds(in, "since"),
                Epoch.instantOr(in, "until", 0),
                in.textOr("boot", ""),
                in.textOr("detail", ""));
    }

    void write(JsonGenerator out) throws IOException {
        out.writeObjectFieldStart("standing");
        out.writeStringField("step", step.word());
        Epoch.write(out, "since", since);
        writeTerms(out, until, boot, detail);
        by.writeBy(out);
        out.writeEndObject();
    }

    /** Writes the members that a step may lack into the current JSON object. */
    public static void writeTerms(JsonGenerator out, double until, String boot, String detail) throws IOException {
        if (until > 0) {
            Epoch.write(out, "until", until);
        }
        if (!boot.isEmpty()) {
            out.writeStringField("boot", boot);
        }
        if (!detail.isEmpty()) {
            out.writeStringField("detail", detail);
        }
    }
}
