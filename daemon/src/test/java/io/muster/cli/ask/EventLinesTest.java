package io.muster.cli.ask;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Zone;
import java.time.ZoneId;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The lines that flux-core 0.88 prints for the same events. */
class EventLinesTest {
    private static final List<String> EVENTS = List.of(
            "{'timestamp':1795225915.25,'name':'drain','context':{'idset':'1','reason':'a\\u001bb','overwrite':0}}",
            "{'timestamp':1795225917.5,'name':'resource-define','context':{'method':'configuration'}}",
            "{'timestamp':1795225980.0,'name':'truncate'}");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            ignoreLeadingAndTrailingWhitespace = false,
            value = {
                "raw|1795225915.250000|1795225917.500000|1795225980.000000",
                "iso|2026-11-21T02:51:55.250000+0100|2026-11-21T02:51:57.500000+0100|2026-11-21T02:53:00.000000+0100",
                "offset|       0.000000|       2.250000|      64.750000",
                "human|[Nov21 02:51]|[  +2.250000]|[Nov21 02:53]",
            })
    void eachEventIsPrintedAsOneLine(String format, String first, String second, String third) throws Exception {
        EventLines lines = new EventLines(format, zone("Europe/Berlin"));
        assertThat(lines.of(event(0))).isEqualTo(first + " drain idset=\"1\" reason=\"a\\u001Bb\" overwrite=0");
        assertThat(lines.of(event(1))).isEqualTo(second + " resource-define method=\"configuration\"");
        assertThat(lines.of(event(2))).isEqualTo(third + " truncate");
    }

    @ParameterizedTest
    @CsvSource({"UTC,2026-11-21T01:51:55.250000Z", "America/New_York,2026-11-20T20:51:55.250000-0500"})
    void isoTimesAreInTheZoneOfTheUser(String zone, String time) throws Exception {
        assertThat(new EventLines("iso", zone(zone)).of(event(0))).startsWith(time + " drain ");
    }

    private static Zone zone(String name) {
        return new Zone(Console.ofProcess(), ZoneId.of(name));
    }

    private static JsonNode event(int index) throws Exception {
        return new JsonMapper().readTree(EVENTS.get(index).replace('\'', '"'));
    }
}
