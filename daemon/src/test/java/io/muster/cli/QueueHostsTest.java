package io.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.cli.terminal.Exit;
import org.junit.jupiter.api.Test;

/** Queues whose hosts the configuration names (RFC 33). */
class QueueHostsTest extends VerbTest {
    QueueHostsTest() {
        super("""
                [[resource.config]]
                hosts = "node[0-7]"
                cores = "0-3"
                [[resource.config]]
                hosts = "node[4-7]"
                properties = ["gpu"]
                [queues.batch]
                requires = ["gpu"]
                [queues.debug]
                hosts = "node[0,7]"
                [queues.short]
                parent = "debug"
                """);
    }

    @Test
    void aQueueContainsItsConfiguredHosts() {
        assertThat(out("list", "-no", "state,queue,nodelist", "--skip-empty")).isEqualTo("""
                        free debug       node0
                        free             node[1-3]
                        free batch       node[4-6]
                        free batch,debug node7
                        """);
        assertThat(out("status", "-q", "debug", "-no", "nodelist")).isEqualTo("node[0,7]\n");
        assertThat(out("list", "-q", "short", "-no", "{queue} {nodelist}")).isEqualTo("short node[0,7]\n");
        assertThat(out("property", "list", "-n")).isEqualTo("+debug 2 node[0,7]\ngpu    4 node[4-7]\n");
        succeeds("drain", "@+debug", "test");
        assertThat(out("drain", "-no", "nodelist")).isEqualTo("node[0,7]\n");
    }

    @Test
    void onlyTheConfigurationChangesThePropertyOfAQueue() throws Exception {
        String sentence =
                "the configuration says which hosts have the property +debug: change queues.debug.hosts there,"
                        + " and reload it";
        assertThat(refused(Exit.USAGE, "property", "add", "+debug", "node1").err())
                .contains(sentence);
        assertThat(refused(Exit.USAGE, "property", "remove", "gpu,+debug", "all")
                        .err())
                .contains(sentence);
        assertThat(refused(Exit.USAGE, "property", "add", "--dry-run", "+debug", "node1")
                        .err())
                .contains(sentence);
        assertThat(out("property", "list", "-n")).isEqualTo("+debug 2 node[0,7]\ngpu    4 node[4-7]\n");
        succeeds("property", "add", "+batch", "node1");
        daemon.reconfigure("""
                [[resource.config]]
                hosts = "node[0-7]"
                cores = "0-3"
                [queues.batch]
                hosts = "node2"
                """);
        succeeds("property", "add", "+debug", "node1");
        assertThat(refused(Exit.USAGE, "property", "add", "+batch", "node1").err())
                .contains("queues.batch.hosts");
    }

    @Test
    void onlyTheWholeRHasTheQueueProperties() {
        assertThat(out("R", "get")).contains("\"properties\":{\"+debug\":\"0,7\",\"gpu\":\"4-7\"}");
        assertThat(out("R", "get", "-q", "debug"))
                .contains("\"nodelist\":[\"node[0,7]\"],\"properties\":{\"gpu\":\"7\"}");
        assertThat(out("acquire", "--count", "1")).contains("\"+debug\":\"0,7\"");
    }
}
