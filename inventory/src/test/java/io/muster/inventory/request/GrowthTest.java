package io.muster.inventory.request;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.muster.inventory.graph.Jgf;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.rset.ResourceSet;
import java.lang.management.ManagementFactory;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The work for a payload must grow with its length, not with the square of its length. The work is measured as the memory that it
 * allocates: a payload that is eight times as long may cost sixteen times as much, but not sixty-four times.
 */
class GrowthTest {
    private static final int SHORT = 500;
    private static final int LONG = 8 * SHORT;

    @SuppressWarnings("ImmutableEnumChecker") // the functions have no state
    private enum Payload {
        JOBSPEC_SLOTS(n -> jobspec(slots(n), tasks(n, "l%1$d", "{\"per_slot\":1}")), Payload::jobspecRead),
        JOBSPEC_UNKNOWN_SLOTS(n -> jobspec(slots(n), tasks(n, "m%1$d", "{\"per_slot\":1}")), Payload::jobspecRead),
        JOBSPEC_TYPES(
                n -> jobspec(
                        "{\"type\":\"slot\",\"count\":1,\"label\":\"l\",\"with\":["
                                + list(n, "{\"type\":\"t%1$d\",\"count\":1}") + "]}",
                        tasks(n, "l", "{\"per_resource\":{\"type\":\"none\",\"count\":1}}")),
                Payload::jobspecRead),
        QUERY(n -> list(n, "a%1$d").replace(',', '&'), Query::parse),
        SHAPE(n -> "[" + list(n, "node").replace(',', ';') + "]", Shape::parse),
        IDSET(n -> list(n, "%2$d"), Idset::parse),
        HOSTS(n -> list(n, "h%1$dx"), Hostlist::parse),
        HOST_NUMBERS(n -> "h[" + list(n, "%2$d") + "]", Hostlist::parse),
        R_ENTRIES(
                n -> r(list(n, "{\"rank\":\"%1$d\",\"children\":{\"core\":\"0-%2$d\",\"gpu\":\"0\"}}"), n, ""),
                ResourceSet::parse),
        R_SAME_RANK(n -> r(list(n, "{\"rank\":\"0\",\"children\":{\"core\":\"%1$d\"}}"), n, ""), ResourceSet::parse),
        R_PROPERTIES(
                n -> r(
                        "{\"rank\":\"0-" + (n - 1) + "\",\"children\":{\"core\":\"0\"}}",
                        n,
                        ",\"properties\":{" + list(n, "\"p%1$d\":\"%1$d\"") + "}"),
                ResourceSet::parse),
        GRAPH(
                n -> "{\"graph\":{\"nodes\":[{\"id\":\"c\",\"metadata\":{\"type\":\"cluster\",\"id\":0,\"rank\":-1,"
                        + "\"paths\":{\"containment\":\"/c0\"}}},"
                        + list(
                                n,
                                "{\"id\":\"%1$d\",\"metadata\":{\"type\":\"rack\",\"id\":%1$d,\"rank\":-1,"
                                        + "\"paths\":{\"containment\":\"/c0/rack%1$d\"}}}")
                        + "],\"edges\":[" + list(n, "{\"source\":\"c\",\"target\":\"%1$d\"}") + "]}}",
                Jgf::read);

        private final IntFunction<String> text;
        private final Consumer<String> reader;

        Payload(IntFunction<String> text, Consumer<String> reader) {
            this.text = text;
            this.reader = reader;
        }

        /** Returns {@code n} items; in an item, %1$d stands for its number and %2$d for twice its number plus one. */
        private static String list(int n, String item) {
            return IntStream.range(0, n)
                    .mapToObj(
                            i -> item.replace("%1$d", Integer.toString(i)).replace("%2$d", Integer.toString(2 * i + 1)))
                    .collect(Collectors.joining(","));
        }

        private static String slots(int n) {
            return list(
                    n,
                    "{\"type\":\"slot\",\"count\":1,\"label\":\"l%1$d\",\"with\":[{\"type\":\"core\",\"count\":1}]}");
        }

        private static String tasks(int n, String label, String count) {
            return list(n, "{\"command\":[\"a\"],\"slot\":\"" + label + "\",\"count\":" + count + "}");
        }

        private static String jobspec(String resources, String tasks) {
            return "{\"version\":1,\"resources\":[" + resources + "],\"tasks\":[" + tasks
                    + "],\"attributes\":{\"system\":{\"duration\":0}}}";
        }

        private static void jobspecRead(String text) {
            Jobspec.parse(text, Jobspec.Level.CANONICAL);
        }

        private static String r(String entries, int hosts, String rest) {
            return "{\"version\":1,\"execution\":{\"R_lite\":[" + entries
                    + "],\"starttime\":0,\"expiration\":0,\"nodelist\":[\"h[0-" + (hosts - 1) + "]\"]" + rest + "}}";
        }

        private long allocated(int n) {
            String given = text.apply(n);
            ThreadMXBean thread = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long before = thread.getThreadAllocatedBytes(Thread.currentThread().getId());
            try {
                reader.accept(given);
            } catch (InvalidException e) {
                assertThat(e.getMessage()).isNotEmpty();
            }
            return thread.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
        }
    }

    @ParameterizedTest
    @EnumSource(Payload.class)
    void aPayloadCostsInProportionToItsLength(Payload payload) {
        payload.allocated(SHORT); // the first call also loads classes
        assertThat(payload.allocated(LONG)).isLessThan(16 * payload.allocated(SHORT));
    }
}
