package io.muster.inventory.json;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.Collections;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Members of a JSON object that this version does not know. They are kept beside the known ones and written again, because another
 * version may have written them and may read them again.
 *
 * @param members JSON text of each member
 */
public record Extras(SortedMap<String, String> members) {
    public static final Extras NONE = new Extras(Collections.emptySortedMap());

    /** Returns the members of {@code in} that are not among {@code known}. */
    public static Extras besides(Fields in, Set<String> known) {
        SortedMap<String, String> members = new TreeMap<>();
        in.json().properties().forEach(member -> {
            if (!known.contains(member.getKey())) {
                members.put(member.getKey(), member.getValue().toString());
            }
        });
        return members.isEmpty() ? NONE : new Extras(Collections.unmodifiableSortedMap(members));
    }

    /** Writes the members without braces. */
    public void write(JsonGenerator out) throws IOException {
        for (var member : members.entrySet()) {
            out.writeFieldName(member.getKey());
            out.writeRawValue(member.getValue());
        }
    }
}
