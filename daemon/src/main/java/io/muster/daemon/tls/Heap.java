package io.muster.daemon.tls;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.VMOption;
import java.lang.management.ManagementFactory;

/**
 * The heap of a daemon whose peers connect in TLS. A handshake leaves some 300 kB of garbage. A full collection stops all threads for as
 * long as a hundred changes take, and the small heap with which the daemon starts needed a dozen of them in a burst of handshakes.
 */
public final class Heap {
    /** The share of the heap that is free after the start, in percent. */
    private static final String FREE_AT_START = "90";

    private static final String LEAST_FREE = "60";
    private static final String MOST_FREE = "97";

    private Heap() {}

    /** Lets the heap grow for bursts, unless the options of the JVM say how much of the heap is to be free. */
    public static void growForHandshakes() {
        HotSpotDiagnosticMXBean vm = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        if (vm.getVMOption("MinHeapFreeRatio").getOrigin() == VMOption.Origin.DEFAULT) {
            vm.setVMOption("MaxHeapFreeRatio", MOST_FREE);
            vm.setVMOption("MinHeapFreeRatio", FREE_AT_START);
            collect(); // only a full collection changes the size
            vm.setVMOption("MinHeapFreeRatio", LEAST_FREE);
        }
    }

    /** Stops all threads for some tens of milliseconds. */
    static void collect() {
        System.gc();
    }
}
