package io.muster.gates;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The pages for people: each is in the index under its kind, no link is dead, and together they are short. */
final class PagesTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Path INDEX = ROOT.resolve("docs/README.md");

    /** The most words that people wrote, in all pages. A word has a letter or a digit; bars of tables are none. */
    private static final int WORDS = 45_000;

    /** What a test generates, or quotes of an RFC that a test runs, between two marks. Such words do not count. */
    private static final Pattern GENERATED = Pattern.compile("(?s)<!-- (\\w+) -->\n.*?<!-- /\\1 -->");

    /** What the commands of the tutorial print, which {@code TourTest} writes. */
    private static final Pattern PRINTED = Pattern.compile("(?m)^# .*$");

    private static final Pattern WORD = Pattern.compile("\\S*[\\p{L}\\d]\\S*");
    private static final Pattern CODE = Pattern.compile("(?ms)^```.*?^```$");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");
    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
    private static final Pattern KIND =
            Pattern.compile("\\A# .+\n\n\\*(Tutorial|How-to|Reference|Explanation)(?:, generated)?\\.\\* ");

    private static final Map<Path, String> pages = new TreeMap<>();

    @BeforeAll
    static void read() throws IOException {
        for (Path directory : List.of(ROOT, ROOT.resolve("docs"))) {
            try (Stream<Path> files = Files.list(directory)) {
                for (Path file :
                        files.filter(file -> file.toString().endsWith(".md")).toList()) {
                    pages.put(file, Files.readString(file));
                }
            }
        }
        assertThat(pages).hasSizeGreaterThan(20).containsKey(INDEX);
    }

    @Test
    void peopleWroteFewWords() {
        Map<String, Long> words = new TreeMap<>();
        pages.forEach((page, text) -> words.put(
                ROOT.relativize(page).toString(),
                WORD.matcher(byHand(page, text)).results().count()));
        assertThat(words.values().stream().mapToLong(Long::longValue).sum())
                .as("%s", words)
                .isLessThanOrEqualTo(WORDS);
    }

    private static String byHand(Path page, String text) {
        String rest = GENERATED.matcher(text).replaceAll("");
        return page.endsWith("tutorial.md") || page.endsWith("day.md")
                ? PRINTED.matcher(rest).replaceAll("")
                : rest;
    }

    @Test
    void noLinkIsDead() {
        List<String> dead = new ArrayList<>();
        int links = 0;
        for (Map.Entry<Path, String> page : pages.entrySet()) {
            for (MatchResult link :
                    LINK.matcher(withoutCode(page.getValue())).results().toList()) {
                links++;
                if (!link.group(1).matches("[a-z]+:.*") && !isThere(page.getKey(), link.group(1))) {
                    dead.add(ROOT.relativize(page.getKey()) + ": " + link.group(1));
                }
            }
        }
        assertThat(dead).isEmpty();
        assertThat(links).isGreaterThan(100);
    }

    private static boolean isThere(Path page, String link) {
        String[] parts = link.split("#", 2);
        Path target = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).normalize();
        return Files.exists(target)
                && (parts.length == 1 || places(pages.getOrDefault(target, "")).contains(parts[1]));
    }

    /** The names by which links refer to the headings of a page. */
    private static Set<String> places(String text) {
        return HEADING.matcher(withoutCode(text))
                .results()
                .map(heading -> heading.group(1)
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\w\\- ]", "")
                        .replace(' ', '-'))
                .collect(Collectors.toSet());
    }

    private static String withoutCode(String text) {
        return CODE.matcher(text).replaceAll("");
    }

    @Test
    void theIndexNamesEveryPageOnceUnderTheKindThatThePageSaysItIs() {
        Map<String, String> indexed = new TreeMap<>();
        List<String> twice = new ArrayList<>();
        for (String section : Objects.requireNonNull(pages.get(INDEX)).split("\n## ")) {
            String kind = section.lines().findFirst().orElseThrow();
            for (MatchResult link : LINK.matcher(section).results().toList()) {
                if (link.group(1).matches("[\\w-]+\\.md") && indexed.put(link.group(1), kind) != null) {
                    twice.add(link.group(1));
                }
            }
        }
        Map<String, String> said = new TreeMap<>();
        pages.forEach((page, text) -> {
            if (page.startsWith(INDEX.resolveSibling("")) && !page.equals(INDEX)) {
                Matcher kind = KIND.matcher(text);
                said.put(
                        Objects.requireNonNull(page.getFileName()).toString(),
                        kind.find() ? kind.group(1) : "no kind in the third line");
            }
        });
        assertThat(indexed).isEqualTo(said);
        assertThat(twice).isEmpty();
        assertThat(new TreeSet<>(said.values())).containsExactly("Explanation", "How-to", "Reference", "Tutorial");
    }
}
