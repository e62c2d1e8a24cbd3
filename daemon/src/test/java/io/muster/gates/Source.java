package io.muster.gates;

import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/**
 * A source file, and its parts that the rules of {@link TidyTest} judge.
 *
 * @param main false for tests
 * @param home the package of a Java file; "" for Python
 */
record Source(Path file, boolean main, String home, String text, List<Part> parts) {
    enum Kind {
        CLASS,
        /** A method, or a function of Python. */
        METHOD,
        CONSTRUCTOR,
        /** An annotation, or a decorator of Python. */
        ANNOTATION
    }

    /** @param parameters of a method or constructor, without Python's self */
    record Part(Kind kind, String name, int line, int lines, int parameters, boolean isStatic) {}

    boolean isJava() {
        return file.toString().endsWith(".java");
    }

    /** Returns the Java files below the directories. */
    static List<Source> java(List<Path> directories) throws IOException {
        List<Path> files = new ArrayList<>();
        for (Path directory : directories) {
            files.addAll(files(directory, ".java"));
        }
        List<Source> sources = new ArrayList<>();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager manager =
                compiler.getStandardFileManager(null, Locale.ROOT, StandardCharsets.UTF_8)) {
            JavacTask task = (JavacTask) compiler.getTask(
                    null, manager, null, List.of("-proc:none"), null, manager.getJavaFileObjectsFromPaths(files));
            SourcePositions positions = Trees.instance(task).getSourcePositions();
            for (CompilationUnitTree tree : task.parse()) {
                Path file = Path.of(tree.getSourceFile().toUri());
                JavaParts parts = new JavaParts(tree, positions);
                parts.scan(tree, null);
                sources.add(new Source(
                        file,
                        isMain(file),
                        String.valueOf(tree.getPackageName()),
                        Files.readString(file),
                        parts.found));
            }
        }
        return sources;
    }

    /** Returns the Python files below the directories: those with this suffix, and programs that name it in their first line. */
    static List<Source> python(List<Path> directories) throws IOException {
        List<Source> sources = new ArrayList<>();
        for (Path directory : directories) {
            for (Path file : files(directory, "")) {
                boolean program = !file.getFileName().toString().contains(".")
                        && new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1)
                                .matches("(?s)#![^\n]*python.*");
                if (program || file.toString().endsWith(".py")) {
                    sources.add(python(file, Files.readString(file)));
                }
            }
        }
        return sources;
    }

    static Source python(Path file, String text) {
        return new Source(file, isMain(file), "", text, PythonParts.of(text));
    }

    private static boolean isMain(Path file) {
        return !file.toString().matches(".*/(src/test|tests)/.*");
    }

    static List<Path> files(Path directory, String suffix) throws IOException {
        try (Stream<Path> walk = Files.walk(directory)) {
            return walk.filter(file -> file.toString().endsWith(suffix) && Files.isRegularFile(file))
                    .sorted()
                    .toList();
        }
    }

    private static final class JavaParts extends TreeScanner<@Nullable Void, @Nullable Void> {
        private final CompilationUnitTree tree;
        private final SourcePositions positions;
        private final List<Part> found = new ArrayList<>();

        JavaParts(CompilationUnitTree tree, SourcePositions positions) {
            this.tree = tree;
            this.positions = positions;
        }

        private int line(long position) {
            return (int) tree.getLineMap().getLineNumber(position);
        }

        private void add(Kind kind, Object name, Tree node, @Nullable Tree body, int parameters, boolean isStatic) {
            int lines = body == null
                    ? 0
                    : line(positions.getEndPosition(tree, body)) - line(positions.getStartPosition(tree, body)) + 1;
            int line = line(positions.getStartPosition(tree, node));
            found.add(new Part(kind, name.toString(), line, lines, parameters, isStatic));
        }

        @Override
        public @Nullable Void visitClass(ClassTree node, @Nullable Void unused) {
            add(Kind.CLASS, node.getSimpleName(), node, node, 0, false);
            return super.visitClass(node, null);
        }

        @Override
        public @Nullable Void visitMethod(MethodTree node, @Nullable Void unused) {
            boolean isStatic = node.getModifiers().getFlags().contains(Modifier.STATIC);
            Kind kind = node.getName().contentEquals("<init>") ? Kind.CONSTRUCTOR : Kind.METHOD;
            add(kind, node.getName(), node, node.getBody(), node.getParameters().size(), isStatic);
            return super.visitMethod(node, null);
        }

        @Override
        public @Nullable Void visitAnnotation(AnnotationTree node, @Nullable Void unused) {
            add(Kind.ANNOTATION, node.getAnnotationType(), node, null, 0, false);
            return super.visitAnnotation(node, null);
        }
    }

    /** The parts of a Python file, which its layout shows: a definition ends before the next line that is indented no more. */
    private static final class PythonParts {
        private static final Pattern STRING_OR_COMMENT =
                Pattern.compile("(?s)(\"\"\"|''').*?\\1|\"(?:\\\\.|[^\"\\\\\n])*\"|'(?:\\\\.|[^'\\\\\n])*'|#[^\n]*");

        private static final Pattern DEFINITION =
                Pattern.compile("(?s)( *)(?:async )?(def|class) (\\w+)\\s*(?:\\((.*)\\))?.*");
        private static final Pattern DECORATOR = Pattern.compile("(?s) *@([\\w.]+).*");

        /**
         * Returns the text with one line for each statement: a carriage return stands for an end of line in a string or between brackets.
         * Strings and comments lose their contents.
         */
        private static String statements(String text) {
            StringBuilder plain = new StringBuilder(STRING_OR_COMMENT
                    .matcher(text)
                    .replaceAll(match -> match.group()
                            .replaceAll("[^\n]", match.group().startsWith("#") ? " " : "s")
                            .replace('\n', '\r')));
            int depth = 0;
            for (int at = 0; at < plain.length(); at++) {
                char c = plain.charAt(at);
                depth += "([{".indexOf(c) >= 0 ? 1 : ")]}".indexOf(c) >= 0 ? -1 : 0;
                if (c == '\n' && (depth > 0 || (at > 0 && plain.charAt(at - 1) == '\\'))) {
                    plain.setCharAt(at, '\r');
                }
            }
            return plain.toString();
        }

        static List<Part> of(String text) {
            List<Part> found = new ArrayList<>();
            List<String> lines = List.of(statements(text).split("\n", -1));
            int number = 1;
            for (int at = 0; at < lines.size(); at++) {
                String line = lines.get(at);
                Matcher definition = DEFINITION.matcher(line);
                Matcher decorator = DECORATOR.matcher(line);
                if (definition.matches()) {
                    boolean isClass = definition.group(2).equals("class");
                    String name = definition.group(3);
                    Kind kind = isClass ? Kind.CLASS : name.equals("__init__") ? Kind.CONSTRUCTOR : Kind.METHOD;
                    int length = length(
                            lines.subList(at, lines.size()), definition.group(1).length());
                    found.add(new Part(kind, name, number, length, parameters(definition.group(4)), false));
                } else if (decorator.matches()) {
                    found.add(new Part(Kind.ANNOTATION, decorator.group(1), number, 0, 0, false));
                }
                number += height(line);
            }
            return found;
        }

        private static int height(String statement) {
            return 1 + (int) statement.chars().filter(c -> c == '\r').count();
        }

        private static int length(List<String> rest, int indent) {
            int end = 0;
            int passed = 0;
            for (String line : rest) {
                boolean inside = end == 0 || line.startsWith(" ".repeat(indent + 1));
                if (!inside && !line.isBlank()) {
                    break;
                }
                passed += height(line);
                end = line.isBlank() ? end : passed;
            }
            return end;
        }

        private static int parameters(@Nullable String list) {
            String flat = list == null ? "" : list;
            for (String before = ""; !before.equals(flat); ) {
                before = flat;
                flat = flat.replaceAll("[(\\[{][^()\\[\\]{}]*[)\\]}]", "");
            }
            return (int) Stream.of(flat.split(",", -1))
                    .map(String::strip)
                    .filter(parameter -> !parameter.matches("|self|cls|[*/]"))
                    .count();
        }
    }
}
