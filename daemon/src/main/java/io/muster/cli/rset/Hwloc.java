package io.muster.cli.rset;

import io.muster.cli.rset.HwlocXml.Item;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.Topo;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The data of hwloc about a host, with the names and numbers that Flux uses: cores and GPUs are numbered in the order of the
 * topology.
 *
 * @param host the name of the host; "" if the topology does not have it
 * @param topo the levels within the host; a level with one member is left out
 */
record Hwloc(String host, Idset cores, Idset gpus, Topo topo) {
    private static final long GIB = 1L << 30;
    private static final Set<String> PACKAGES = Set.of("Package", "Socket");
    private static final Set<String> CONTAINERS = Set.of("Package", "Socket", "Die", "Group");

    /** The interfaces to GPUs that Flux counts. */
    private static final Set<String> BACKENDS = Set.of("CUDA", "NVML", "OpenCL", "RSMI");

    /**
     * Reads the XML of hwloc.
     *
     * @throws IllegalArgumentException with line and column of the fault
     */
    static Hwloc read(byte[] xml) {
        List<Item> items = HwlocXml.read(xml);
        Levels levels = new Levels(items);
        if (levels.cores.isEmpty()) {
            throw new IllegalArgumentException("has no object of type Core, so that the cores are not known");
        }
        Item machine = items.get(0);
        Topo topo = levels.of(machine, "node", true);
        long total = items.stream()
                .filter(i -> i.type.equals("NUMANode"))
                .mapToLong(i -> i.memory)
                .sum();
        long memory = levels.anyMemory ? topo.memory() : total / GIB;
        return new Hwloc(
                machine.infos.getOrDefault("HostName", ""),
                topo.ids("core"),
                topo.ids("gpu"),
                new Topo("node", topo.cores(), topo.gpus(), memory, List.of(), topo.inner()));
    }

    Hwloc withHost(String other) {
        return new Hwloc(other, cores, gpus, topo);
    }

    /**
     * Finds the levels of one topology. Hardware threads determine membership, because devices and memory have no other
     * place.
     */
    private static final class Levels {
        final List<Item> cores = new ArrayList<>();
        /** For each GPU, the hardware threads near it. */
        final List<Idset> gpus = new ArrayList<>();

        /** The memory of the NUMA domains, by hardware threads: domains that share all threads are one. */
        final Map<Idset, Long> domains = new LinkedHashMap<>();

        boolean anyMemory;

        Levels(List<Item> items) {
            Map<Item, String> backends = new HashMap<>();
            boolean pci = items.stream().anyMatch(i -> i.type.equals("PCIDev"));
            for (Item item : items) {
                if (item.type.equals("Core") && !item.cpus.isEmpty()) {
                    cores.add(item);
                } else if (item.type.equals("NUMANode") && !item.cpus.isEmpty()) {
                    domains.merge(item.cpus, item.memory, Long::sum);
                } else if (item.type.equals("OSDev") && pci) {
                    device(item, backends);
                }
            }
        }

        /** Adds a GPU, unless it is another interface to a GPU that was added. One card may have several GPUs of one interface. */
        private void device(Item device, Map<Item, String> backends) {
            String backend = device.infos.getOrDefault("Backend", "");
            if (!BACKENDS.contains(backend)) {
                return;
            }
            Item card = above(device, i -> i.type.equals("PCIDev"));
            if (card == null || backends.computeIfAbsent(card, c -> backend).equals(backend)) {
                Item near = above(device, i -> !i.cpus.isEmpty());
                gpus.add(near == null ? Idset.EMPTY : near.cpus);
            }
        }

        private static @Nullable Item above(Item item, Predicate<Item> test) {
            Item at = item.parent;
            while (at != null && !test.test(at)) {
                at = at.parent;
            }
            return at;
        }

        /**
         * Returns the domain for an object. If {@code all} is true, devices and memory that are near no part of the machine
         * belong to this domain too.
         */
        Topo of(Item item, String type, boolean all) {
            Item at = item;
            List<Item> containers = containers(at);
            while (containers.size() == 1) {
                at = containers.get(0);
                containers = containers(at);
            }
            List<Topo> inner = new ArrayList<>();
            long memory = 0;
            if (containers.isEmpty()) {
                List<Idset> numas =
                        domains.keySet().stream().filter(at.cpus::containsAll).toList();
                memory = numas.size() == 1 ? memory(numas.get(0)) : 0;
                numas.stream()
                        .filter(cpus -> numas.size() > 1)
                        .forEach(cpus -> inner.add(topo("numa", cpus, false, memory(cpus), List.of())));
            } else {
                String level = level(containers.get(0));
                containers.forEach(c -> inner.add(of(c, level, false)));
            }
            inner.removeIf(part -> part.ids("core").isEmpty() && part.ids("gpu").isEmpty());
            return topo(type, item.cpus, all, memory, inner);
        }

        private long memory(Idset cpus) {
            long gib = domains.getOrDefault(cpus, 0L) / GIB;
            anyMemory |= gib > 0;
            return gib;
        }

        private Topo topo(String type, Idset cpus, boolean all, long memory, List<Topo> inner) {
            Idset.Builder coreIds = Idset.builder();
            Idset.Builder gpuIds = Idset.builder();
            for (int i = 0; i < cores.size(); i++) {
                if (cpus.containsAll(cores.get(i).cpus)) {
                    coreIds.add(i);
                }
            }
            for (int i = 0; i < gpus.size(); i++) {
                if (all || (!gpus.get(i).isEmpty() && cpus.containsAll(gpus.get(i)))) {
                    gpuIds.add(i);
                }
            }
            Topo parts = new Topo(type, Idset.EMPTY, Idset.EMPTY, memory, List.of(), inner);
            return new Topo(
                    type,
                    coreIds.build().subtract(parts.ids("core")),
                    gpuIds.build().subtract(parts.ids("gpu")),
                    memory,
                    List.of(),
                    inner);
        }

        /** Returns the nearest packages, dies and groups in an object: those directly in it, or else those within its other parts. */
        private static List<Item> containers(Item item) {
            List<Item> found = new ArrayList<>();
            item.inner.stream().filter(Levels::isContainer).forEach(found::add);
            if (found.isEmpty()) {
                item.inner.stream()
                        .filter(i -> !i.type.equals("Core") && !i.type.equals("PU"))
                        .forEach(i -> found.addAll(containers(i)));
            }
            return found;
        }

        private static boolean isContainer(Item item) {
            return CONTAINERS.contains(item.type) && !item.cpus.isEmpty();
        }

        /** Returns the name of a level. A group has no name of its own: it is named after the level within it. */
        private String level(Item item) {
            Item at = item;
            while (at.type.equals("Group")) {
                List<Item> within = containers(at);
                if (within.size() != 1) {
                    boolean numa = domains.keySet().stream().anyMatch(at.cpus::containsAll);
                    return numa ? "numa" : "Group";
                }
                at = within.get(0);
            }
            return PACKAGES.contains(at.type) ? "socket" : at.type;
        }
    }
}
