package io.muster.inventory.status;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Names of states that select groups. The words online, offline and unknown restrict the other states; without others, they select from
 * all states. The words of flux are understood too: avail, exclude, drain, and a word with a star for hosts that are offline.
 */
public final class StateFilter {
    private static final Set<HostState> OF_LIVENESS = EnumSet.of(HostState.OFFLINE, HostState.UNKNOWN);
    /** The states in which schedulers may use a host that is online. A host in one of them that goes offline is in the state offline. */
    private static final Set<HostState> FREE = EnumSet.of(HostState.AVAILABLE, HostState.ALLOCATED, HostState.TORPID);

    private static final Map<String, Set<HostState>> OF_FLUX = Map.of(
            "avail", EnumSet.of(HostState.AVAILABLE),
            "exclude", EnumSet.of(HostState.EXCLUDED),
            "drain", EnumSet.of(HostState.DRAINING, HostState.DRAINED));
    private static final String ONLINE = "online";

    /** The terms, of which a group must satisfy one. */
    private final List<Term> terms = new ArrayList<>();

    private StateFilter() {}

    /**
     * States, and the words about liveness that restrict them.
     *
     * @param states empty for all
     * @param liveness empty for all
     */
    private record Term(Set<HostState> states, Set<String> liveness) {
        boolean takes(StateGroup group) {
            String live = group.online() ? ONLINE : group.liveness().word();
            boolean named = states.isEmpty()
                    || states.contains(group.state())
                    || (OF_LIVENESS.contains(group.state())
                            && !liveness.isEmpty()
                            && states.stream().anyMatch(FREE::contains));
            return named && (liveness.isEmpty() || liveness.contains(live));
        }
    }

    /**
     * @param text words with commas between them; null for all
     * @throws IllegalArgumentException naming a word that is no state
     */
    public static StateFilter of(@Nullable String text) {
        StateFilter filter = new StateFilter();
        Set<HostState> states = EnumSet.noneOf(HostState.class);
        List<String> liveness = new ArrayList<>();
        boolean all = text == null;
        boolean plain = false;
        for (String word : text == null ? new String[0] : text.split(",")) {
            if (word.endsWith("*")) {
                Set<HostState> starred = states(word.substring(0, word.length() - 1));
                filter.terms.add(new Term(starred, Set.of(HostState.OFFLINE.word())));
                continue;
            }
            plain = true;
            all |= word.equals("all");
            if (word.equals(ONLINE)
                    || OF_LIVENESS.stream().anyMatch(state -> state.word().equals(word))) {
                liveness.add(word);
            } else if (!word.equals("all")) {
                states.addAll(states(word));
            }
        }
        if (all || plain) {
            filter.terms.add(new Term(all ? Set.of() : states, Set.copyOf(liveness)));
        }
        return filter;
    }

    private static Set<HostState> states(String word) {
        Set<HostState> ofFlux = OF_FLUX.get(word);
        if (ofFlux != null) {
            return ofFlux;
        }
        if (!words().contains(word)) {
            throw new IllegalArgumentException("there is no state " + word + ": the states are "
                    + String.join(", ", words()) + ", and online and all");
        }
        return EnumSet.of(HostState.valueOf(word.toUpperCase(Locale.ROOT)));
    }

    /** Returns the words for the states of hosts that R names. */
    public static List<String> words() {
        return Arrays.stream(HostState.values())
                .filter(state -> state != HostState.DEPARTED)
                .map(HostState::word)
                .toList();
    }

    public List<StateGroup> keep(List<StateGroup> groups) {
        return groups.stream()
                .filter(group -> terms.stream().anyMatch(term -> term.takes(group)))
                .toList();
    }
}
