package io.muster.inventory.jgf;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.testing.Seeds;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

class VertexIdsTest {
    @Seeds
    void everyIdFindsItsVertex(Random random) {
        VertexIds keys = new VertexIds();
        Map<String, Integer> expected = new HashMap<>();
        List<String> order = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            String key = switch (random.nextInt(5)) {
                case 0 -> "k" + random.nextInt(99);
                case 1 -> Long.toString(random.nextLong(1L << 59));
                case 2 -> "0" + random.nextInt(99);
                case 3 -> Long.toString(64L * random.nextInt(99));
                default -> Integer.toString(random.nextInt(400));
            };
            boolean added = keys.add(key, order.size());
            assertThat(added).as(key).isEqualTo(expected.putIfAbsent(key, order.size()) == null);
            if (added) {
                order.add(key);
            }
        }
        expected.forEach((key, vertex) -> assertThat(keys.find(key)).as(key).isEqualTo(vertex));
        for (int v = 0; v < order.size(); v++) {
            assertThat(keys.key(v)).isEqualTo(order.get(v));
        }
        assertThat(keys.find("nobody")).isEqualTo(-1);
        assertThat(keys.find("999999999999")).isEqualTo(-1);
    }
}
