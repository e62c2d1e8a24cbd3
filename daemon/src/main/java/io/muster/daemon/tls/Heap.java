package io.muster.daemon.tls;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.VMOption;
import java.lang.management.ManagementFactory;

/**
 * The heap of a daemon whose peers connect in TLS. A handshake leaves some 300 kB of garbage. A full collection stops all threads for as
 * long as a hundred changes take, and the small heap with which the daemon starts needed a dozen of them in a burst of handshakes.
 */
public final class Heap {
    private static final String LEAST_FREE = "MinHeapFreeRatio";
    private static final String MOST_FREE = "MaxHeapFreeRatio";
    private static final long ROOM = 110L << 20;

    private Heap() {}

    /** Makes a small heap grow for bursts, unless the options of the JVM set how much of the heap is to be free. */
    public static void growForHandshakes() {
        HotSpotDiagnosticMXBean vm = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        VMOption least = vm.getVMOption(LEAST_FREE);
        long used = Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
        long percent = 100 * ROOM / (used + ROOM);
        if (least.getOrigin() == VMOption.Origin.DEFAULT && percent > Long.parseLong(least.getValue())) {
            vm.setVMOption(MOST_FREE, String.valueOf(Math.min(percent + 2, 100)));
            vm.setVMOption(LEAST_FREE, String.valueOf(percent));
            collect(); // only a full collection changes the size
            vm.setVMOption(LEAST_FREE, least.getValue());
        }
    }

    /** Stops all threads for some tens of milliseconds. */
    static void collect() {
        System.gc();
    }
}
