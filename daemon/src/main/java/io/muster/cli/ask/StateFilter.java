package io.muster.cli.ask;

import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The option {@code -s} of flux resource: states, and online or offline, which narrow them. If only online or offline is given, all states
 * match.
 *
 * @param words states; empty for all
 */
public record StateFilter(List<String> words, boolean online, boolean offline) {
    private static final List<String> STATES = List.of("avail", "torpid", "exclude", "lost", "drained");

    public static StateFilter of(@Nullable String text) {
        List<String> words = new ArrayList<>();
        boolean online = false;
        boolean offline = false;
        boolean all = false;
        for (String word : text == null ? new String[0] : text.split(",")) {
            switch (word) {
                case "all" -> all = true;
                case "online" -> online = true;
                case "offline" -> offline = true;
                case "drain", "draining" -> words.add("drained");
                default -> words.add(known(word));
            }
        }
        boolean either = online == offline;
        return new StateFilter(all ? List.of() : words, online || either, offline || either);
    }

    private static String known(String word) {
        if (!STATES.contains(word)) {
            throw new Failure(
                    Exit.USAGE,
                    "--states: there is no state " + word,
                    "the states are " + String.join(", ", STATES) + ", and online, offline and all");
        }
        return word;
    }

    public List<StateGroup> keep(List<StateGroup> groups) {
        List<StateGroup> kept = new ArrayList<>();
        for (StateGroup group : groups) {
            boolean named = words.isEmpty() || words.contains(group.state());
            if (named && (group.online() ? online : offline)) {
                kept.add(group);
            }
        }
        return kept;
    }
}
