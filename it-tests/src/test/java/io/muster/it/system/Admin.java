package io.muster.it.system;

import io.muster.protocol.client.Call;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Changes its slice without pause, with some changes sent before earlier ones are answered, until the daemon is gone or the test stops it.
 * If the daemon goes, or does not answer, before the test expects that, this admin fails.
 */
final class Admin extends Thread {
    private static final int AHEAD = 16;

    private final FluxClient client;
    private final Random random;
    private final AtomicLong answers;
    private final AtomicBoolean mayEnd;
    private final int first;
    private final List<Slice> states = new ArrayList<>();
    private final Deque<Call> open = new ArrayDeque<>();

    private int answered;
    private volatile boolean stopping;
    private volatile @Nullable Throwable failure;

    /**
     * @param slice its present state
     * @param first the number of the first change, higher than any that this admin has used
     * @param shift counts the answers of all admins, and says whether the daemon may be gone
     */
    Admin(String name, FluxClient client, Slice slice, int first, Random random, Crew.Shift shift) {
        super(name);
        this.client = client;
        this.first = first;
        this.random = random;
        this.answers = shift.answers();
        this.mayEnd = shift.mayEnd();
        states.add(slice);
    }

    @Override
    public void run() {
        try (client) {
            while (!stopping) {
                send();
                if (open.size() == AHEAD) {
                    settle();
                }
            }
            while (!open.isEmpty()) {
                settle();
            }
        } catch (IOException gone) {
            stopping = true;
            failure = mayEnd.get() ? null : gone;
        } catch (RuntimeException refused) {
            failure = refused;
        }
    }

    /** A change counts as sent even if the daemon dies before it has read the last byte. */
    private void send() throws IOException {
        Slice.Change change = states.get(states.size() - 1).random(random, getName(), next());
        states.add(change.after());
        open.add(client.call(change.topic(), change.payload()));
    }

    private void settle() throws IOException {
        open.remove().get();
        answered++;
        answers.incrementAndGet();
    }

    /** Sends no more changes, but still waits for the outstanding answers. */
    void finish() {
        stopping = true;
    }

    // ---- after the end

    /** Every state that this slice may be in now: all answered changes have happened, in order, and no change that was not sent. */
    List<Slice> possible() {
        return states.subList(answered, states.size());
    }

    /** Every state that this slice has been in, or would have been in. */
    List<Slice> states() {
        return states;
    }

    int answered() {
        return answered;
    }

    int next() {
        return first + states.size() - 1;
    }

    /** Why a change was refused or not answered, which must not happen; null if there was no failure. */
    @Nullable
    Throwable failure() {
        return failure;
    }
}
