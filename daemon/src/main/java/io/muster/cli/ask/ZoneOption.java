package io.muster.cli.ask;

import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.When;
import io.muster.cli.terminal.Zone;
import io.muster.daemon.config.Key;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The option that chooses the zone in which a verb reads and prints times. */
public final class ZoneOption {
    @Option(
            names = "--tz",
            paramLabel = "ZONE",
            converter = Name.class,
            description =
                    "Read and print local times in this zone: Europe/Berlin, UTC or +01:00. Default: $$TZ, else the"
                            + " zone of this host. JSON is in UTC.")
    private @Nullable ZoneId given;

    public Zone zone(Console console) {
        return given == null ? console.zone() : new Zone(console, given);
    }

    /** Returns the time that an option means: {@link When#future}. */
    public double future(String text, Console console) {
        return When.future(text, zone(console), console.now());
    }

    /** Returns the time that an option means: {@link When#past}. */
    public double past(String text, Console console) {
        return When.past(text, zone(console), console.now());
    }

    /** Reads the name of a zone. A name that does not exist is refused with the nearest names. */
    static final class Name implements ITypeConverter<ZoneId> {
        @Override
        public ZoneId convert(String text) {
            try {
                return Zone.named(text);
            } catch (DateTimeException e) {
                throw new TypeConversionException("there is no zone " + text + suggestion(text));
            }
        }

        /** A user may know only the last part of a name: {@code berlin}. */
        private static String suggestion(String text) {
            String end = "/" + text.toLowerCase(Locale.ROOT);
            List<String> all = new ArrayList<>(ZoneId.getAvailableZoneIds());
            List<String> near = all.stream()
                    .filter(name -> name.toLowerCase(Locale.ROOT).endsWith(end))
                    .sorted()
                    .toList();
            return near.isEmpty() ? Key.suggestion(text, all) : "; did you mean " + String.join(" or ", near) + "?";
        }
    }
}
