package io.muster.inventory.status;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The option {@code -s} of flux resource: names of states, and the words online, offline and unknown, which restrict the
 * states. If only these words are given, all states match.
 *
 * @param states empty for all
 */
public record StateFilter(Set<HostState> states, boolean online, boolean offline, boolean unknown) {
    /** @throws IllegalArgumentException naming a word that is no state */
    public static StateFilter of(@Nullable String text) {
        Set<HostState> states = EnumSet.noneOf(HostState.class);
        boolean online = false;
        boolean offline = false;
        boolean unknown = false;
        boolean all = false;
        for (String word : text == null ? new String[0] : text.split(",")) {
            switch (word) {
                case "all" -> all = true;
                case "online" -> online = true;
                case "offline" -> offline = true;
                case "unknown" -> unknown = true;
                case "drain" -> states.addAll(EnumSet.of(HostState.DRAINING, HostState.DRAINED));
                default -> states.add(known(word));
            }
        }
        boolean any = (online == offline) && (online == unknown);
        return new StateFilter(all ? Set.of() : states, online || any, offline || any, unknown || any);
    }

    private static HostState known(String word) {
        List<String> labels = new ArrayList<>();
        for (HostState state : HostState.values()) {
            if (state.label().equals(word)) {
                return state;
            }
            labels.add(state.label());
        }
        throw new IllegalArgumentException("there is no state " + word + ": the states are " + String.join(", ", labels)
                + ", and online, offline, unknown and all");
    }

    public List<StateGroup> keep(List<StateGroup> groups) {
        List<StateGroup> kept = new ArrayList<>();
        for (StateGroup group : groups) {
            boolean named = states.isEmpty() || states.contains(group.state());
            if (named && (group.lapsed() != null ? unknown : group.online() ? online : offline)) {
                kept.add(group);
            }
        }
        return kept;
    }
}
