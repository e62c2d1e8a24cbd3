package io.muster.daemon.core;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;

/** The listeners for changes. Used by the core thread only. */
final class Listeners {
    private final List<Commits> all = new ArrayList<>();

    /** Adds a listener. Listeners are called in the order in which they were added. */
    void add(Commits listener) {
        all.add(listener);
    }

    /** Calls all listeners in order, even if one of them throws because of a bug. */
    void tell(Consumer<Commits> news) {
        tell(all.iterator(), news);
    }

    private static void tell(Iterator<Commits> rest, Consumer<Commits> news) {
        try {
            while (rest.hasNext()) {
                news.accept(rest.next());
            }
        } finally {
            if (rest.hasNext()) {
                tell(rest, news);
            }
        }
    }
}
