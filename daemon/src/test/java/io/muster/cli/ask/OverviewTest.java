package io.muster.cli.ask;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.muster.protocol.admin.Status;
import org.junit.jupiter.api.Test;

class OverviewTest {
    /** The answer of flux-core 0.88 with rank 0 excluded, rank 3 offline and rank 2 torpid. */
    private static final String OF_A_BROKER = """
            {"R":{"version":1,"execution":{"R_lite":[{"rank":"0-3","children":{"core":"0-3"}}],"starttime":0.0,
            "expiration":0.0,"nodelist":["node[0-3]"]}},
            "drain":{"2-3":{"timestamp":1795225916.0,"reason":"hosts"},"1":{"timestamp":1795225915.0,"reason":""}},
            "online":"0-2","offline":"3","exclude":"0","torpid":"2"}
            """;

    @Test
    void theStatusOfABrokerIsConvertedToAnInventoryState() throws Exception {
        Overview standing = Overview.of(Status.parse(new JsonMapper().readTree(OF_A_BROKER)));

        assertThat(standing.flux()).isTrue();
        assertThat(standing.state().membership().excluded()).hasToString("0");
        assertThat(standing.state().holds().held()).hasToString("1-3");
        assertThat(standing.state().holds().groups().keySet().toString())
                .contains("reason=hosts, since=1.795225916E9")
                .contains("reason=null, since=1.795225915E9");
        assertThat(standing.state().liveness().online()).hasToString("0-1");
        assertThat(standing.state().liveness().torpid()).hasToString("2");
        assertThat(standing.state().view().up()).hasToString("");
        assertThat(standing.toJson()).hasToString("{\"schema_version\":1,\"server\":\"flux\"}");
    }
}
