package io.muster.daemon.ledger;

/** Waits for the end of a thread that writes, which an interrupt must not cut short. */
public final class ThreadEnd {
    private ThreadEnd() {}

    /** Returns when the thread has ended. An interrupt of the caller is kept for later. */
    public static void await(Thread thread) {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
