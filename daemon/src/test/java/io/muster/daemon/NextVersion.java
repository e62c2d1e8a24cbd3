package io.muster.daemon;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.JavaFileObject;

/**
 * Copies of product classes in which each process has a version of its own. The next version reads one more format level, which is made up,
 * and writes each hold with a key that this version does not know.
 */
final class NextVersion {
    private static final String KEY = "new Extras(new java.util.TreeMap<>(java.util.Map.of(\"next\", \"1\")))";

    private NextVersion() {}

    static PlantedBug.Compiled compile() throws IOException {
        List<JavaFileObject> sources = new ArrayList<>();
        for (String module : List.of("inventory", "daemon")) {
            try (Stream<Path> files = Files.walk(PlantedBug.TOP.resolve(module + "/src/main/java/io/muster"))) {
                for (Path file :
                        files.filter(each -> each.toString().endsWith(".java")).toList()) {
                    String text = Files.readString(file);
                    String next = changed(file.getFileName().toString(), text);
                    if (!next.equals(text)) {
                        sources.add(new PlantedBug.Text(
                                PlantedBug.TOP.relativize(file).toString(), next));
                    }
                }
            }
        }
        return PlantedBug.compile(sources, "the next version");
    }

    private static String changed(String file, String text) {
        return switch (file) {
            case "Level.java" ->
                replace(
                                replace(text, "(ONE\\(.*\\));", "$1, TWO(2, \"9.9.0\", \"a made-up addition\");"),
                                "public static final Level NEWEST = .*;",
                                "public static Level newest() { return of(io.muster.daemon.machine.SimLevel.newest()); }")
                        .replace("NEWEST", "newest()");
            case "HoldChanges.java" ->
                replace(
                        text,
                        "(new Drained\\(to, reason, mode.overwrite\\(\\), holder, null, 0, end, purpose, attempt, )Extras.NONE",
                        "$1io.muster.daemon.machine.SimLevel.newest() == 1 ? Extras.NONE : " + KEY);
            default -> text.replaceAll("\\bLevel\\.NEWEST", "Level.newest()");
        };
    }

    private static String replace(String text, String place, String by) {
        String next = text.replaceFirst(place, by);
        if (next.equals(text)) {
            throw new AssertionError("the next version does not apply: nothing matches " + place);
        }
        return next;
    }
}
