package io.muster.it.cast;

import io.muster.protocol.client.FluxClient;
import io.muster.protocol.client.SentRequest;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * An admin that makes random changes to its ranks without pause, some sent before earlier ones are answered, until the daemon is gone or
 * the test stops it. If the daemon goes, or does not answer, before the test expects that, this admin fails.
 */
final class RandomAdmin extends Thread {
    private static final int AHEAD = 16;

    private final FluxClient client;
    private final Random random;
    private final ConcurrentAdmins.Shift shift;
    private final int first;
    private final List<AdminModel> states = new ArrayList<>();
    private final Deque<SentRequest> open = new ArrayDeque<>();

    private int answered;
    private volatile boolean stopping;
    private volatile @Nullable Throwable failure;

    /**
     * @param state the present state of its ranks
     * @param first the number of the first change, higher than any that this admin has used
     * @param shift counts the answers of all admins, and says whether the daemon may be gone
     */
    RandomAdmin(FluxClient client, AdminModel state, int first, Random random, ConcurrentAdmins.Shift shift) {
        super(state.name());
        this.client = client;
        this.first = first;
        this.random = random;
        this.shift = shift;
        states.add(state);
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
            failure = shift.mayEnd().get() ? null : gone;
        } catch (RuntimeException | AssertionError refused) {
            failure = refused;
        }
    }

    /** A change counts as sent even if the daemon dies before it has read the last byte. */
    private void send() throws IOException {
        AdminModel.Change change = states.get(states.size() - 1).random(random, next());
        states.add(change.after());
        open.add(client.call(change.topic(), change.payload()));
    }

    private void settle() throws IOException {
        open.remove().get();
        answered++;
        shift.answers().incrementAndGet();
    }

    /** Sends no more changes, but still waits for the outstanding answers. */
    void finish() {
        stopping = true;
    }

    // ---- after the end

    /** Every state that the ranks may have now: after all answered changes and a prefix of the unanswered ones, in the order of sending. */
    List<AdminModel> possible() {
        return states.subList(answered, states.size());
    }

    /** Every state that the ranks had, or would have had after unanswered changes. */
    List<AdminModel> states() {
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
