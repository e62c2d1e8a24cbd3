package io.muster.daemon.config;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** The settings of a configuration: every key with its value and the place where the value was set, in the order of {@link Key}. */
public record Effective(List<Setting> settings) {
    /**
     * A key with its value.
     *
     * @param value the value as an operator would write the value in the file, but without quotes
     * @param source {@code file:line} or {@code default}
     */
    public record Setting(Key key, String value, String source) {
        static final String DEFAULT = "default";

        public boolean isDefault() {
            return source.equals(DEFAULT);
        }
    }

    public Effective {
        settings = List.copyOf(settings);
    }

    public Setting of(Key key) {
        Optional<Setting> found = settings.stream().filter(s -> s.key() == key).findFirst();
        return found.orElseThrow(() -> new IllegalStateException(key + " was never read"));
    }

    /** One line for each key, in columns. A key that has no meaning for Muster is listed only if it was set. */
    public List<String> lines() {
        return lines(settings.stream()
                .filter(s -> s.key().effect() != Key.Effect.BROKER || !s.isDefault())
                .toList());
    }

    /** The lines of those keys that were set. */
    public List<String> given() {
        return lines(settings.stream().filter(s -> !s.isDefault()).toList());
    }

    private static List<String> lines(List<Setting> shown) {
        int keys = width(shown.stream().map(s -> s.key().toString()).toList());
        int values = Math.min(60, width(shown.stream().map(Setting::value).toList()));
        String form = "%-" + keys + "s  %-" + values + "s  %s";
        return shown.stream()
                .map(s -> String.format(Locale.ROOT, form, s.key(), s.value(), s.source()))
                .toList();
    }

    private static int width(List<String> texts) {
        return texts.stream().mapToInt(String::length).max().orElse(1);
    }

    @Override
    public String toString() {
        return lines().stream().collect(Collectors.joining("\n"));
    }
}
