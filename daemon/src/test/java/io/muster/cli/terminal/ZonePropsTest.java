package io.muster.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.testing.Seeds;
import java.time.Instant;
import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
import java.util.List;
import java.util.Random;

/** Printed times parse as the same time, in every zone and around the changes of the clocks. */
class ZonePropsTest {
    private static final List<String> NAMES = ZoneId.getAvailableZoneIds().stream()
            .filter(name -> !name.startsWith("SystemV"))
            .sorted()
            .toList();
    private static final long START = Instant.parse("1971-01-01T00:00:00Z").getEpochSecond();
    private static final long END = Instant.parse("2099-01-01T00:00:00Z").getEpochSecond();

    @Seeds
    void printedTimesParseAsTheSameTime(Random random) {
        ZoneId id = Zone.named(NAMES.get(random.nextInt(NAMES.size())));
        Zone zone = new Zone(Console.ofProcess(), id);
        for (int i = 0; i < 20; i++) {
            long time = START + (long) (random.nextDouble() * (END - START));
            isReadAgain(zone, time, random);
            ZoneOffsetTransition change = id.getRules().nextTransition(Instant.ofEpochSecond(time));
            for (int n = 0; change != null && n < 4 && change.toEpochSecond() < END; n++) {
                isReadAgain(zone, change.toEpochSecond() - 1, random);
                isReadAgain(zone, change.toEpochSecond(), random);
                isReadAgain(zone, change.toEpochSecond() + random.nextInt(7200) - 3600, random);
                change = id.getRules().nextTransition(change.getInstant());
            }
        }
    }

    private static void isReadAgain(Zone zone, long epoch, Random random) {
        double time = (double) epoch;
        double now = START + random.nextDouble() * (END - START);
        String second = zone.second(time);
        assertThat(When.future(second, zone, now))
                .as(second + " in " + zone.id())
                .isEqualTo(time);
        assertThat(When.past(second, zone, now)).as(second + " in " + zone.id()).isEqualTo(time);
        double exactly = time + random.nextInt(1_000_000) / 1e6;
        String exact = zone.exact(exactly);
        assertThat(zone.exact(When.past(exact, zone, now)))
                .as(exact + " in " + zone.id())
                .isEqualTo(exact);
        assertThat(When.past(exact, zone, now)).isBetween(exactly - 5e-7, exactly + 5e-7);
    }
}
