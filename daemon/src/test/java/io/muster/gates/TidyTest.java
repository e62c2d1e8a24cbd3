package io.muster.gates;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.PackageTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Rules for the sources. The check of forbidden APIs finds tests that sleep. The limits are strict: split the code instead of raising a
 * limit.
 */
@Tag("once")
final class TidyTest {
    private static final int METHOD_LINES = 60;
    private static final int FILE_LINES = 500;
    private static final int PARAMETERS = 6;

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final List<String> MODULES = List.of("inventory", "protocol", "daemon", "it-tests");

    private static final Pattern VAGUE =
            Pattern.compile(".+(Manager|Service|Helper|Util|Utils|Processor|Impl|Info|Data)");
    private static final Pattern UNFINISHED = Pattern.compile("\\b(TO" + "DO|FIX" + "ME|XX" + "X)\\b");
    /** The beginning of a comment whose first word refers to a noun that the reader has to find. */
    private static final Pattern RIDDLE = Pattern.compile(
            "^\\s*(?:/\\*\\*(?:\\s*\\*)?|//) ((?:Of|That|Those|They|Them|It|Its|One that|Whom|Whoever)\\b)",
            Pattern.MULTILINE);

    private static final Pattern SOMEBODYS_PATH = Pattern.compile("(?<![\\w.~}-])/(work|root|Users)/");

    private static final Set<String> HANDLER_HOMES = Set.of("io.muster.daemon.net", "io.muster.daemon.http");

    private static final List<Source> sources = new ArrayList<>();

    private record Source(Path file, boolean main, String text, CompilationUnitTree tree, SourcePositions positions) {
        String packageName() {
            return String.valueOf(tree.getPackageName());
        }

        long line(long position) {
            return tree.getLineMap().getLineNumber(position);
        }

        String at(Tree node) {
            return ROOT.relativize(file) + ":" + line(positions.getStartPosition(tree, node));
        }

        long lines(Tree node) {
            return line(positions.getEndPosition(tree, node)) - line(positions.getStartPosition(tree, node)) + 1;
        }

        @Nullable
        PackageTree packageDeclaration() {
            return tree.getPackage();
        }
    }

    @BeforeAll
    static void parse() throws IOException {
        List<Path> files = new ArrayList<>();
        for (String module : MODULES) {
            files.addAll(files(ROOT.resolve(module).resolve("src"), ".java"));
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager manager =
                compiler.getStandardFileManager(null, Locale.ROOT, StandardCharsets.UTF_8)) {
            JavacTask task = (JavacTask) compiler.getTask(
                    null, manager, null, List.of("-proc:none"), null, manager.getJavaFileObjectsFromPaths(files));
            SourcePositions positions = Trees.instance(task).getSourcePositions();
            for (CompilationUnitTree tree : task.parse()) {
                Path file = Path.of(tree.getSourceFile().toUri());
                boolean main = file.startsWith(ROOT) && file.toString().contains("/src/main/");
                sources.add(new Source(file, main, Files.readString(file), tree, positions));
            }
        }
        assertThat(sources).hasSizeGreaterThan(100);
    }

    private static List<Path> files(Path directory, String suffix) throws IOException {
        try (Stream<Path> walk = Files.walk(directory)) {
            return walk.filter(file -> file.toString().endsWith(suffix))
                    .sorted()
                    .toList();
        }
    }

    /** A check of one class, method, call or annotation; returns the violation, or null. */
    private interface Check<T extends Tree> {
        @Nullable
        String check(Source source, T node);
    }

    private static <T extends Tree> List<String> violations(Class<T> kind, Check<T> check) {
        List<String> violations = new ArrayList<>();
        for (Source source : sources) {
            new TreeScanner<@Nullable Void, @Nullable Void>() {
                @Override
                public @Nullable Void scan(@Nullable Tree node, @Nullable Void unused) {
                    if (node != null && kind.isInstance(node)) {
                        String wrong = check.check(source, kind.cast(node));
                        if (wrong != null) {
                            violations.add(source.at(node) + " " + wrong);
                        }
                    }
                    return super.scan(node, null);
                }
            }.scan(source.tree(), null);
        }
        return violations;
    }

    @Test
    void methods_have_few_lines() {
        assertThat(violations(MethodTree.class, (source, method) -> {
                    long lines = method.getBody() == null ? 0 : source.lines(method.getBody());
                    return lines > METHOD_LINES && !isTable(source, method)
                            ? method.getName() + " has " + lines + " lines"
                            : null;
                }))
                .isEmpty();
    }

    /** Returns whether a method is a table of test cases, which may be long. */
    private static boolean isTable(Source source, MethodTree method) {
        return !source.main() && method.getModifiers().getFlags().contains(Modifier.STATIC);
    }

    @Test
    void files_have_few_lines() {
        assertThat(sources.stream()
                        .filter(Source::main)
                        .filter(source -> source.text().lines().count() > FILE_LINES)
                        .map(source -> ROOT.relativize(source.file()) + " has "
                                + source.text().lines().count()))
                .isEmpty();
    }

    @Test
    void constructors_take_few_parameters() {
        assertThat(violations(
                        MethodTree.class,
                        (source, method) -> method.getReturnType() == null
                                        && method.getName().contentEquals("<init>")
                                        && method.getParameters().size() > PARAMETERS
                                ? "a constructor with " + method.getParameters().size() + " parameters"
                                : null))
                .isEmpty();
    }

    @Test
    void comments_begin_with_their_subject() {
        List<String> violations = new ArrayList<>();
        for (Source source : sources) {
            Matcher comment = RIDDLE.matcher(source.text());
            while (comment.find()) {
                violations.add(
                        ROOT.relativize(source.file()) + ":" + source.line(comment.start(1)) + " " + comment.group(1));
            }
        }
        assertThat(violations).isEmpty();
    }

    @Test
    void class_names_are_specific() {
        assertThat(violations(ClassTree.class, (source, type) -> {
                    String name = type.getSimpleName().toString();
                    boolean lost = name.endsWith("Handler") && !HANDLER_HOMES.contains(source.packageName());
                    return VAGUE.matcher(name).matches() || lost ? "is named " + name : null;
                }))
                .isEmpty();
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
        assertThat(violations(
                        AnnotationTree.class,
                        (source, annotation) -> annotation
                                        .getAnnotationType()
                                        .toString()
                                        .matches("(.*\\.)?(Disabled|Ignore)(If|On|For).*|(.*\\.)?(Disabled|Ignore)")
                                ? "disables a test"
                                : null))
                .isEmpty();
    }

    @Test
    void every_package_has_a_description_and_is_null_marked() {
        Set<String> packages = new TreeSet<>();
        Set<String> described = new TreeSet<>();
        for (Source source : sources) {
            packages.add(source.packageName());
            PackageTree declaration = source.packageDeclaration();
            if (source.file().endsWith("package-info.java")
                    && declaration != null
                    && declaration.getAnnotations().toString().contains("@NullMarked")
                    && source.text().startsWith("/**")) {
                described.add(source.packageName());
            }
        }
        assertThat(packages).isEqualTo(described);
    }

    @Test
    void no_file_contains_a_path_of_a_personal_machine() throws IOException {
        List<Path> texts = new ArrayList<>(files(ROOT.resolve("docs"), ""));
        texts.addAll(files(ROOT.resolve("config"), ""));
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
