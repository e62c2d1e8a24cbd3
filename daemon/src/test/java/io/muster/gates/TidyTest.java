package io.muster.gates;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.gates.Source.Kind;
import io.muster.gates.Source.Part;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Rules for the sources in Java and Python. The check of forbidden APIs finds tests that sleep. The limits are strict: split the code
 * instead of raising a limit.
 */
@Tag("once")
final class TidyTest {
    private static final int METHOD_LINES = 60;
    private static final int FILE_LINES = 500;
    /** For Python. In Java, the limit for files is that for classes, because a file has one class. */
    private static final int CLASS_LINES = 300;

    private static final int PARAMETERS = 6;

    /** The files that may have more lines, with the reasons. */
    private static final Map<String, String> LONG_FILES =
            Map.of("flux/muster_bridge.py", "the broker of Flux loads a module from one file");

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private static final Pattern VAGUE =
            Pattern.compile(".+(Manager|Service|Helper|Util|Utils|Processor|Impl|Info|Data)");
    private static final Pattern UNFINISHED = Pattern.compile("\\b(TO" + "DO|FIX" + "ME|XX" + "X)\\b");
    /** The beginning of a comment whose first word refers to a noun that the reader has to find. */
    private static final Pattern RIDDLE = Pattern.compile(
            "^\\s*(?:/\\*\\*(?:\\s*\\*)?|//|#|\"\"\") ?((?:Of|That|Those|They|Them|It|Its|One that|Whom|Whoever)\\b)",
            Pattern.MULTILINE);

    private static final Pattern SOMEBODYS_PATH = Pattern.compile("(?<![\\w.~}-])/(work|root|Users)/");

    private static final Set<String> HANDLER_HOMES = Set.of("io.muster.daemon.net", "io.muster.daemon.http");

    private static final Pattern DISABLING =
            Pattern.compile("(.*\\.)?((Disabled|Ignore)(|(If|On|For).*)|skip(|If|Unless)|expectedFailure)");

    private static final List<Source> sources = new ArrayList<>();

    @BeforeAll
    static void parse() throws IOException {
        List<Path> modules = Stream.of("inventory", "protocol", "daemon", "it-tests")
                .map(module -> ROOT.resolve(module).resolve("src"))
                .toList();
        List<Path> others =
                Stream.of("flux", ".ci", "config/launcher").map(ROOT::resolve).toList();
        sources.addAll(Source.java(modules));
        assertThat(sources).hasSizeGreaterThan(100);
        List<Source> python = new ArrayList<>(Source.python(modules));
        python.addAll(Source.python(others));
        assertThat(python.stream().map(source -> source.file().getFileName().toString()))
                .contains("muster_bridge.py", "muster-flux", "flux_facts.py", "peer.py", "test_bridge.py");
        sources.addAll(python);
    }

    /** A rule for parts of sources; returns the violation, or null. */
    private interface Rule {
        @Nullable
        String check(Source source, Part part);
    }

    private static List<String> violations(List<Source> sources, Rule rule) {
        List<String> violations = new ArrayList<>();
        for (Source source : sources) {
            for (Part part : source.parts()) {
                String wrong = rule.check(source, part);
                if (wrong != null) {
                    violations.add(path(source) + ":" + part.line() + " " + wrong);
                }
            }
        }
        return violations;
    }

    private static String path(Source source) {
        return source.file().isAbsolute()
                ? ROOT.relativize(source.file()).toString()
                : source.file().toString();
    }

    /** Tables of test cases, which are static methods in tests, may be long. */
    private static @Nullable String longMethod(Source source, Part part) {
        boolean method = part.kind() == Kind.METHOD || part.kind() == Kind.CONSTRUCTOR;
        boolean table = part.isStatic() && !source.main();
        return method && part.lines() > METHOD_LINES && !table ? part.name() + " has " + part.lines() + " lines" : null;
    }

    private static @Nullable String longClass(Source source, Part part) {
        boolean judged = source.main() && !source.isJava() && part.kind() == Kind.CLASS;
        return judged && part.lines() > CLASS_LINES ? part.name() + " has " + part.lines() + " lines" : null;
    }

    private static @Nullable String manyParameters(Source source, Part part) {
        return part.kind() == Kind.CONSTRUCTOR && part.parameters() > PARAMETERS
                ? "a constructor with " + part.parameters() + " parameters"
                : null;
    }

    private static @Nullable String vagueName(Source source, Part part) {
        boolean lost = part.name().endsWith("Handler") && !HANDLER_HOMES.contains(source.home());
        boolean vague = VAGUE.matcher(part.name()).matches() || lost;
        return part.kind() == Kind.CLASS && vague ? "is named " + part.name() : null;
    }

    private static @Nullable String disabled(Source source, Part part) {
        boolean disables =
                part.kind() == Kind.ANNOTATION && DISABLING.matcher(part.name()).matches();
        return disables ? "disables a test" : null;
    }

    private static List<String> longFiles(List<Source> sources) {
        return sources.stream()
                .filter(source -> source.main() && !LONG_FILES.containsKey(path(source)))
                .filter(source -> source.text().lines().count() > FILE_LINES)
                .map(source -> path(source) + " has " + source.text().lines().count())
                .toList();
    }

    /** Returns the files of main code that have the same name, and so a type of the same name, in two packages. */
    private static List<String> equalNames(List<Source> sources) {
        Map<String, List<String>> paths = new TreeMap<>();
        sources.stream()
                .filter(source ->
                        source.main() && source.isJava() && !source.file().endsWith("package-info.java"))
                .forEach(source -> paths.computeIfAbsent(
                                source.file().getFileName().toString(), name -> new ArrayList<>())
                        .add(path(source)));
        return paths.values().stream()
                .filter(files -> files.size() > 1)
                .map(files -> "rename one of " + String.join(" and ", files))
                .toList();
    }

    private static List<String> riddles(List<Source> sources) {
        List<String> violations = new ArrayList<>();
        for (Source source : sources) {
            Matcher comment = RIDDLE.matcher(source.text());
            while (comment.find()) {
                long line = source.text().substring(0, comment.start(1)).lines().count();
                violations.add(path(source) + ":" + line + " " + comment.group(1));
            }
        }
        return violations;
    }

    @Test
    void methods_have_few_lines() {
        assertThat(violations(sources, TidyTest::longMethod)).isEmpty();
    }

    @Test
    void classes_have_few_lines() {
        assertThat(violations(sources, TidyTest::longClass)).isEmpty();
    }

    @Test
    void files_have_few_lines() {
        assertThat(longFiles(sources)).isEmpty();
    }

    @Test
    void constructors_take_few_parameters() {
        assertThat(violations(sources, TidyTest::manyParameters)).isEmpty();
    }

    @Test
    void comments_begin_with_their_subject() {
        assertThat(riddles(sources)).isEmpty();
    }

    @Test
    void class_names_are_specific() {
        assertThat(violations(sources, TidyTest::vagueName)).isEmpty();
    }

    @Test
    void a_name_has_one_type() {
        assertThat(equalNames(sources)).isEmpty();
    }

    @Test
    void no_source_has_unfinished_marks() {
        assertThat(sources.stream()
                        .filter(source -> UNFINISHED.matcher(source.text()).find())
                        .map(Source::file))
                .isEmpty();
    }

    @Test
    void no_test_is_disabled() {
        assertThat(violations(sources, TidyTest::disabled)).isEmpty();
    }

    @Test
    void a_fault_in_a_python_file_is_found() {
        String bad = "# That is a riddle.\n" + """
                class PeerManager(
                    object,
                ):
                    \"""Its peers.\"""

                    def __init__(self, a, b, c=(1, 2), *, d="e, f", g, h=None, i):
                        pass

                    @unittest.skip("slow")
                    def long(self):
                        \"""
                No line of this string ends the method (
                        \"""
                        return [
                1, "[",  # a bracket in a string, and one in a comment: (
                        ]
                """ + "        pass\n".repeat(54) + """

                # a comment after the method
                    def short(self):
                """ + "        pass\n".repeat(59)
                + "\n\n\n" + "class Long:\n" + "    pass\n".repeat(300);
        List<Source> sources = List.of(Source.python(Path.of("flux/bad.py"), bad));

        assertThat(violations(sources, TidyTest::vagueName)).containsExactly("flux/bad.py:2 is named PeerManager");
        assertThat(violations(sources, TidyTest::manyParameters))
                .containsExactly("flux/bad.py:7 a constructor with 7 parameters");
        assertThat(violations(sources, TidyTest::disabled)).containsExactly("flux/bad.py:10 disables a test");
        assertThat(violations(sources, TidyTest::longMethod)).containsExactly("flux/bad.py:11 long has 61 lines");
        assertThat(violations(sources, TidyTest::longClass)).containsExactly("flux/bad.py:137 Long has 301 lines");
        assertThat(longFiles(List.of(Source.python(Path.of("flux/bad.py"), bad.repeat(2)))))
                .containsExactly("flux/bad.py has 874");
        assertThat(riddles(sources)).containsExactly("flux/bad.py:1 That", "flux/bad.py:5 Its");
    }

    @Test
    void every_package_has_a_description_and_is_null_marked() {
        Set<String> packages = new TreeSet<>();
        Set<String> described = new TreeSet<>();
        for (Source source : sources) {
            if (source.isJava()) {
                packages.add(source.home());
            }
            if (source.file().endsWith("package-info.java")
                    && source.text().contains("@NullMarked\npackage")
                    && source.text().startsWith("/**")) {
                described.add(source.home());
            }
        }
        assertThat(packages).isEqualTo(described);
    }

    @Test
    void no_file_contains_a_path_of_a_personal_machine() throws IOException {
        List<Path> texts = new ArrayList<>(Source.files(ROOT.resolve("docs"), ""));
        texts.addAll(Source.files(ROOT.resolve("config"), ""));
        sources.forEach(source -> texts.add(source.file()));
        try (Stream<Path> top = Files.list(ROOT)) {
            top.filter(file -> !file.endsWith(".git")).forEach(texts::add);
        }
        List<String> found = new ArrayList<>();
        for (Path text : texts) {
            if (Files.isRegularFile(text)
                    && !text.startsWith(ROOT.resolve("config/target"))
                    && !text.toString().endsWith(".png")
                    && SOMEBODYS_PATH
                            .matcher(Files.readString(text, StandardCharsets.UTF_8))
                            .find()) {
                found.add(ROOT.relativize(text).toString());
            }
        }
        assertThat(found).isEmpty();
    }
}
