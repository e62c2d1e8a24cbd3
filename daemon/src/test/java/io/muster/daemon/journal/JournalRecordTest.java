package io.muster.daemon.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.inventory.axis.LivenessChange;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.Event;
import io.muster.inventory.state.HoldChanges;
import io.muster.inventory.state.LivenessChanges;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JournalRecordTest {
    private static JournalRecord record(String timestamp, String name, String context) throws IOException {
        byte[] line = ("{\"seq\":1,\"durable\":0,\"timestamp\":" + timestamp + ",\"name\":\"" + name
                        + "\",\"context\":{" + context + "}}")
                .getBytes(StandardCharsets.UTF_8);
        return JournalRecord.parse(line, 0, line.length);
    }

    /** Events about all hosts contain a million names in one string. */
    @Test
    void aLongStringIsReadUnchanged() throws IOException {
        String hosts = "n".repeat(30_000_000);
        Event.Targets targets = new Event.Targets(Idset.parse("0"), hosts);
        Entry entry = new Entry(
                1, 5, Principal.DAEMON, new LivenessChanges.LivenessChanged(LivenessChange.OFFLINE, targets, ""));
        String event = new String(entry.toBytes(), StandardCharsets.UTF_8);
        byte[] line = ("{\"seq\":1,\"durable\":0," + event.substring(1)).getBytes(StandardCharsets.UTF_8);
        JournalRecord read = JournalRecord.parse(line, 0, line.length);
        assertThat(Entry.parse(read.event())).isEqualTo(entry);
        assertThat(entry.toJson().at("/context/nodelist").textValue()).isEqualTo(hosts);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 12})
    void anEventIsReadUnchanged(int more) throws IOException {
        byte[] event = Client.event("a");
        ByteBuffer line = ByteBuffer.allocate(Line.room(event));
        Line.encode(line, 1234, 1233, more, event);
        int length = line.position() - Line.PREFIX - 1;
        assertThat(JournalRecord.parse(line.array(), Line.PREFIX, length).submitted())
                .isEqualTo(event);
        assertThat(record("1.5", "x", "").submitted()).isNotNull();
        byte[] elsewhere =
                "{\"timestamp\":1.5,\"seq\":1,\"durable\":0,\"name\":\"x\"}".getBytes(StandardCharsets.UTF_8);
        assertThat(JournalRecord.parse(elsewhere, 0, elsewhere.length).submitted())
                .isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0.1",
                "0.10",
                "0.0",
                "-0.5",
                "1795232285.1",
                "1795232285.123456",
                "253402300799.999999",
                "1.79524E9",
                "1795240000.000",
                "5e-7",
                "0.1000000000000000055511151231257827"
            })
    void aNumberKeepsItsDigits(String digits) throws IOException {
        JournalRecord record = record("1.5", "x", "\"n\":" + digits);
        assertThat(record.context().path("n").decimalValue()).isEqualTo(new BigDecimal(digits));
        assertThat(record.json()).contains("\"n\":" + digits + "}");
    }

    @Test
    void anIntegerIsReadAsAnInteger() throws IOException {
        assertThat(record("7", "x", "\"n\":7").context().path("n").isIntegralNumber())
                .isTrue();
        assertThat(record("7", "x", "\"n\":7").timestamp()).isEqualTo(7.0);
    }

    @ParameterizedTest
    @CsvSource({
        "1795232285.1, 1795232285.1",
        "1795232285.123456, 1795232285.123456",
        "1.79524E9, 1795240000",
        "1795240000.000, 1795240000",
        "253402300799, 253402300799",
        "0.1, 0.1"
    })
    void timesAreReadToTheMicrosecondAndWrittenWithoutAnExponent(String written, String again) throws IOException {
        String hold = "\"idset\":\"3\",\"nodelist\":\"host3\",\"overwrite\":0,\"holder\":\"admin\",\"until\":" + written
                + ",\"userid\":0,\"user\":\"root\",\"pid\":1";
        Entry entry = Entry.parse(record(written, "drain", hold).event());
        assertThat(entry.timestamp()).isEqualTo(Double.parseDouble(again));
        assertThat(entry.event())
                .isInstanceOfSatisfying(
                        HoldChanges.Drained.class,
                        drain -> assertThat(drain.until()).isEqualTo(Double.parseDouble(again)));
        assertThat(new String(entry.toBytes(), StandardCharsets.UTF_8))
                .startsWith("{\"timestamp\":" + again + ",\"name\":\"drain\"")
                .contains("\"until\":" + again + ",");
    }

    @ParameterizedTest
    @ValueSource(strings = {"NaN", "Infinity", "01", "1.", ".5", "0x10", "\"1.5\"", "null", "true"})
    void aTimestampThatIsNotAJsonNumberIsRefused(String written) {
        assertThatThrownBy(() -> record(written, "x", "")).isInstanceOf(IOException.class);
    }

    @Test
    void aNumberWithAHugeExponentIsRefused() {
        assertThatThrownBy(() -> record("1.5", "x", "\"n\":1e99999999999"))
                .isInstanceOf(IOException.class)
                .hasMessage("not JSON that Muster writes: has a number that is out of range");
    }
}
