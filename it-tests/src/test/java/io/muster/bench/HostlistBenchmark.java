package io.muster.bench;

import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/** A million hosts: in one range, and in racks of 64. */
public class HostlistBenchmark extends ClusterBenchmark {
    private static final int RACKS = 1 << 14;

    @Param({"node", "racks"})
    public String naming = "node";

    private String text = "";
    private Hostlist hosts = Hostlist.EMPTY;
    private Hostlist some = Hostlist.EMPTY;
    private String name = "";
    private Idset odd = Idset.EMPTY;

    @Setup
    public void makeLists() {
        text = naming.equals("node") ? MILLION_HOSTS : racks();
        hosts = Hostlist.parse(text);
        some = hosts.select(Idset.parse("7,1000-1999,500000-600000"));
        name = hosts.nth(777_777);
        odd = Idset.parse("0-499999,500001-1048575");
    }

    private static String racks() {
        StringBuilder text = new StringBuilder();
        for (int rack = 0; rack < RACKS; rack++) {
            text.append(rack > 0 ? "," : "").append("rack").append(rack).append("-n[00-63]");
        }
        return text.toString();
    }

    @Benchmark
    public Hostlist parse() {
        return Hostlist.parse(text);
    }

    @Benchmark
    public String format() {
        return hosts.toString();
    }

    @Benchmark
    public String nth() {
        return hosts.nth(777_777);
    }

    @Benchmark
    public int indexOf() {
        return hosts.indexOf(name);
    }

    @Benchmark
    public int firstIndexOf() {
        return Hostlist.parse(text).indexOf(name);
    }

    @Benchmark
    public Idset indexesOfMany() {
        return hosts.indexesOf(some);
    }

    @Benchmark
    public Hostlist select() {
        return hosts.select(odd);
    }

    @Benchmark
    public Hostlist sort() {
        return hosts.sort();
    }
}
