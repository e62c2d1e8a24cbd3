package io.muster.protocol.acquire;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.DefinitionChanges;
import io.muster.inventory.state.Event;
import io.muster.inventory.state.InventoryState;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The memory that a change of a property allocates must not depend on the number of properties. */
class PropertyGrowthTest {
    private static final int FEW = 500;
    private static final int MANY = 16_000;

    @Test
    void theMemoryForAddingAPropertyDoesNotDependOnTheNumberOfProperties() {
        InventoryState few = having(FEW);
        InventoryState many = having(MANY);
        allocated(few); // the first change also loads classes
        assertThat(allocated(many)).isLessThan(2 * allocated(few) + 50_000);
    }

    private static InventoryState having(int count) {
        Map<String, Idset> properties = new TreeMap<>();
        for (int i = 0; i < count; i++) {
            properties.put("p" + i, Idset.of(i % 64));
        }
        ResourceSet resources = ResourceSet.of(
                Hostlist.parse("node[0-63]"), Idset.range(0, 63), Idset.range(0, 3), Idset.EMPTY, properties);
        return after(
                InventoryState.empty(),
                new DefinitionChanges.Define(resources, "configuration", Liveness.Status.ONLINE));
    }

    private static long allocated(InventoryState state) {
        SentView told = SentView.first(state.view());
        ThreadMXBean thread = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = thread.getThreadAllocatedBytes(Thread.currentThread().getId());
        InventoryState changed =
                after(state, new DefinitionChanges.ChangeProperties(true, new TreeMap<>(Map.of("fresh", "7"))));
        Next next = Objects.requireNonNull(told.next(changed.view()));
        long after = thread.getThreadAllocatedBytes(Thread.currentThread().getId());
        assertThat(next.propertyAdd()).isEqualTo(Map.of("fresh", Idset.of(7)));
        return after - before;
    }

    private static InventoryState after(InventoryState state, Command command) {
        InventoryState next = state;
        for (Event event : command.decide(state, 100, Principal.DAEMON).events()) {
            next = next.apply(event, 100, Principal.DAEMON);
        }
        return next;
    }
}
