package io.muster.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.it.harness.Tool;
import io.muster.testing.Needs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The rules for Prometheus about the alerts that Muster receives, tested with promtool. */
@Timeout(300)
@Needs("promtool")
class ReceiverRulesTest {
    private static final Path RULES = Path.of("..", "config", "prometheus", "receiver.rules.yml")
            .toAbsolutePath()
            .normalize();

    @TempDir
    Path directory;

    @Test
    void theRulesFireForRefusedAlertsAndForNoOthers() throws IOException {
        assertThat(Tool.run("promtool", "check", "rules", RULES.toString())).contains("2 rules found");
        Path test = Files.writeString(directory.resolve("test.yml"), """
                rule_files: [%s]
                evaluation_interval: 1m
                tests:
                  - interval: 1m
                    input_series:
                      - series: 'muster_alerts_total{instance="m1",result="brake"}'
                        values: '0x20 1x40'
                      - series: 'muster_alerts_total{instance="m1",result="held"}'
                        values: '0+1x60'
                      - series: 'muster_alerts_total{instance="m1",result="unknown"}'
                        values: '0+1x60'
                    promql_expr_test: []
                    alert_rule_test:
                      - eval_time: 19m
                        alertname: MusterAlertsRefused
                        exp_alerts: []
                      - eval_time: 25m
                        alertname: MusterAlertsRefused
                        exp_alerts:
                          - exp_labels: {severity: critical, instance: m1}
                            exp_annotations:
                              summary: Muster on m1 refuses to drain more hosts for alerts.
                              description: "The alerts that fire name more hosts than the [[brake]] for alerts in Muster's \
                configuration permits. The further hosts still get jobs: look at the alerts and at `muster brake`, and drain hosts by hand \
                or raise the limit."
                      - eval_time: 50m
                        alertname: MusterAlertsRefused
                        exp_alerts: []
                      - eval_time: 50m
                        alertname: MusterAlertsFail
                        exp_alerts:
                          - exp_labels: {severity: warning, instance: m1, result: unknown}
                            exp_annotations:
                              summary: Muster on m1 cannot carry out alerts (unknown).
                              description: "unknown: the alerts name hosts that Muster does not have, so a route of the \
                Alertmanager or alerts.label is wrong. limit: a host has as many holds by the Alertmanager as one user may have. \
                failed: Muster cannot write its ledger. Muster's log has the reasons."
                """.replace("%s", RULES.toString()));
        assertThat(Tool.run("promtool", "test", "rules", test.toString())).contains("SUCCESS");
    }
}
