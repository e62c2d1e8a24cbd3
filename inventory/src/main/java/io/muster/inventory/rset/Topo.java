package io.muster.inventory.rset;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.idset.Idset;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a node in which resources are close to each other, such as a socket or the whole node (RFC 49).
 *
 * @param type name of the level, "node" for the whole node
 * @param cores ids on the node of the cores in this part, without the cores in an inner domain
 * @param gpus ids on the node of the GPUs in this part, without the GPUs in an inner domain
 * @param memory GiB of memory in this part; 0 if it is not known
 * @param inner domains within this part
 */
public record Topo(String type, Idset cores, Idset gpus, long memory, List<Storage> storage, List<Topo> inner) {
    /** Storage, such as a disk. The unit is that of the capacity. */
    public record Storage(String path, BigDecimal capacity, String unit) {
        static final String DEFAULT_UNIT = "GiB";
    }

    public Topo {
        storage = List.copyOf(storage);
        inner = List.copyOf(inner);
    }

    /** Returns the ids of all cores or GPUs, also of those in inner domains. */
    public Idset ids(String unitType) {
        Idset own = unitType.equals(Contents.GPU) ? gpus : unitType.equals(Contents.CORE) ? cores : Idset.EMPTY;
        Idset.Builder all = Idset.builder().addAll(own);
        inner.forEach(domain -> all.addAll(domain.ids(unitType)));
        return all.build();
    }

    /**
     * Returns the part of the topology that these units of a node use: a domain that has units, but none of these units, is
     * left out. Units of the node that are in no domain are directly in the result.
     */
    public Topo of(Idset nodeCores, Idset nodeGpus) {
        Topo part = within(nodeCores, nodeGpus);
        Topo rest = part == null ? new Topo(type, Idset.EMPTY, Idset.EMPTY, memory, storage, List.of()) : part;
        return new Topo(
                type,
                rest.cores.union(nodeCores.subtract(rest.ids(Contents.CORE))),
                rest.gpus.union(nodeGpus.subtract(rest.ids(Contents.GPU))),
                memory,
                storage,
                rest.inner);
    }

    private @Nullable Topo within(Idset nodeCores, Idset nodeGpus) {
        List<Topo> kept = new ArrayList<>();
        for (Topo domain : inner) {
            Topo part = domain.within(nodeCores, nodeGpus);
            if (part != null) {
                kept.add(part);
            }
        }
        Topo part = new Topo(type, cores.intersect(nodeCores), gpus.intersect(nodeGpus), memory, storage, kept);
        return part.hasUnits() || !hasUnits() ? part : null;
    }

    private boolean hasUnits() {
        return !ids(Contents.CORE).isEmpty() || !ids(Contents.GPU).isEmpty();
    }

    ObjectNode toJson() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        if (!cores.isEmpty()) {
            json.put(TopoReader.CORES, cores.toString());
        }
        if (!gpus.isEmpty()) {
            json.put(TopoReader.GPUS, gpus.toString());
        }
        if (memory > 0) {
            json.put(TopoReader.MEMORY, memory);
        }
        if (!storage.isEmpty()) {
            ArrayNode list = json.putArray(TopoReader.STORAGE);
            storage.forEach(s -> list.addObject()
                    .put("path", s.path())
                    .put("capacity", s.capacity())
                    .put("unit", s.unit()));
        }
        inner.forEach(domain -> json.withArrayProperty(domain.type()).add(domain.toJson()));
        return json;
    }
}
