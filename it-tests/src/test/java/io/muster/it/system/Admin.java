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
 * Changes its slice without pause, some changes ahead of their answers, until the daemon is gone or the test says stop. A daemon
 * that goes, or does not answer, before the test expects it has failed.
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
     * @param slice as it is
     * @param first a number for the first change, beyond all that this admin used before
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

    /** It counts as asked even if the daemon dies before the last byte is there. */
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

    /** Sends no more; what is open is still waited for. */
    void finish() {
        stopping = true;
    }

    // ---- once it has ended

    /** Every state that this slice may be in now: at least all answered changes have happened, in order, and none that was not sent. */
    List<Slice> possible() {
        return states.subList(answered, states.size());
    }

    /** Every state that this slice was ever in, or would have been. */
    List<Slice> states() {
        return states;
    }

    int answered() {
        return answered;
    }

    int next() {
        return first + states.size() - 1;
    }

    /** Why a change was refused or not answered, which none should be; null. */
    @Nullable
    Throwable failure() {
        return failure;
    }
}
