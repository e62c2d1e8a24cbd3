package io.muster.inventory.find;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import io.muster.inventory.graph.Detail;
import io.muster.inventory.graph.ResourceGraph;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.rset.ResourceSet;
import java.util.Map;

class ExpressionFuzzTest {
    private static final ResourceSet R = ResourceSet.of(
            Hostlist.parse("node[0-3]"), Idset.range(0, 3), Idset.range(0, 1), Idset.of(0), Map.of("ssd", Idset.of(1)));
    private static final ResourceGraph GRAPH =
            ResourceGraph.of(R, Detail.UNITS).tag(Idset.of(2), "k", "v").state(Idset.of(3), "failing");

    @FuzzTest(maxDuration = "30s")
    void anExpressionIsAnsweredOrRefusedWithAColumn(FuzzedDataProvider data) {
        String text = data.consumeRemainingAsString();
        Idset found;
        Idset others;
        try {
            found = Search.all(Expression.parse(text)).in(GRAPH, R).vertices();
            others = Search.all(Expression.parse("not (" + text + "\n)"))
                    .in(GRAPH, R)
                    .vertices();
        } catch (MalformedException e) {
            assertThat(e.position()).isBetween(0, text.length() + 5);
            return;
        }
        assertThat(others).isEqualTo(GRAPH.all().subtract(found));
    }
}
