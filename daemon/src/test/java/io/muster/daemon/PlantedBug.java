package io.muster.daemon;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/**
 * A bug that is put into copies of product classes, to see whether the simulator finds it. The file {@code planted.txt} has the bugs.
 *
 * @param changes by file
 * @param mix the groups of faults that are more frequent, as {@link SimFaults} names them; "" if none are
 * @param seed a seed that finds the bug within some {@code faults}; 0 if the bug is not for {@code mvn verify}
 */
record PlantedBug(String name, String effect, Map<String, List<Change>> changes, String mix, long seed, int faults) {
    /** The top of the source tree. */
    static final Path TOP = Path.of(System.getProperty("basedir", "."))
            .toAbsolutePath()
            .resolve("..")
            .normalize();

    private static final String FILE = "planted.txt";

    /** Some whole lines, and the lines that replace them. */
    record Change(String before, String after) {
        /** Matches the lines, whatever their indentation is. */
        Pattern place() {
            return Pattern.compile(before.lines()
                    .map(line -> "[ \t]*" + Pattern.quote(line.strip()) + "\n")
                    .collect(Collectors.joining("", "(?m)^", "")));
        }
    }

    /** The class files of the changed classes, by class name. */
    record Compiled(Map<String, byte[]> classes) {}

    static List<PlantedBug> all() throws IOException {
        return read("bug ");
    }

    /** Returns the changes that are no bug. */
    static PlantedBug variant() throws IOException {
        return read("variant ").get(0);
    }

    private static List<PlantedBug> read(String word) throws IOException {
        try (InputStream in = PlantedBug.class.getResourceAsStream(FILE)) {
            if (in == null) {
                throw new IOException(FILE + " is missing");
            }
            List<PlantedBug> found = new ArrayList<>();
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            for (String block : text.split("\n\n+")) {
                if (block.startsWith(word)) {
                    found.add(parse(block.substring(word.length()).lines().toList()));
                }
            }
            return found;
        }
    }

    private static PlantedBug parse(List<String> lines) {
        String[] title = lines.get(0).split(": ", 2);
        Map<String, List<Change>> changes = new LinkedHashMap<>();
        List<Change> file = List.of();
        StringBuilder before = new StringBuilder();
        StringBuilder after = new StringBuilder();
        String mix = "";
        long seed = 0;
        int faults = 0;
        for (String line : lines.subList(1, lines.size())) {
            boolean old = line.startsWith("-");
            if (!line.startsWith("+") && !before.isEmpty() && (!old || !after.isEmpty())) {
                file.add(new Change(before.toString(), after.toString()));
                before.setLength(0);
                after.setLength(0);
            }
            if (line.startsWith("in ")) {
                file = changes.computeIfAbsent(line.substring("in ".length()), name -> new ArrayList<>());
            } else if (line.startsWith("mix ")) {
                mix = line.substring("mix ".length());
            } else if (line.startsWith("quick ")) {
                String[] numbers = line.split(" ");
                seed = Long.parseLong(numbers[1]);
                faults = Integer.parseInt(numbers[2]);
            } else {
                (old ? before : after)
                        .append(line.substring(Math.min(2, line.length())))
                        .append('\n');
            }
        }
        if (!before.isEmpty()) {
            file.add(new Change(before.toString(), after.toString()));
        }
        return new PlantedBug(title[0], title[1], changes, mix, seed, faults);
    }

    /** Compiles the changed classes. */
    Compiled compile() throws IOException {
        List<JavaFileObject> sources = new ArrayList<>();
        for (Map.Entry<String, List<Change>> change : changes.entrySet()) {
            String text = Files.readString(TOP.resolve(change.getKey()));
            for (Change each : change.getValue()) {
                Matcher place = each.place().matcher(text);
                boolean found = place.find();
                String next = found ? text.substring(0, place.start()) + each.after + text.substring(place.end()) : "";
                if (!found || place.find()) {
                    throw new AssertionError("the bug \"" + name + "\" does not apply: " + change.getKey()
                            + (found ? " has more than once\n" : " lacks\n") + each.before);
                }
                text = next;
            }
            sources.add(new Text(change.getKey(), text));
        }
        return compile(sources, "the bug \"" + name + "\"");
    }

    /** Compiles sources to classes in memory. */
    static Compiled compile(List<JavaFileObject> sources, String what) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> faults = new DiagnosticCollector<>();
        try (Classes output = new Classes(compiler.getStandardFileManager(faults, null, StandardCharsets.UTF_8))) {
            List<String> options = List.of(
                    "-proc:none", "-nowarn", "-parameters", "-classpath", System.getProperty("java.class.path"));
            if (!compiler.getTask(null, output, faults, options, null, sources).call()) {
                throw new AssertionError(what + " does not compile: "
                        + faults.getDiagnostics().stream()
                                .filter(each -> each.getKind() == Diagnostic.Kind.ERROR)
                                .toList());
            }
            Map<String, byte[]> classes = new HashMap<>();
            output.written.forEach((type, bytes) -> classes.put(type, bytes.toByteArray()));
            return new Compiled(classes);
        }
    }

    /** A changed source file. */
    static final class Text extends SimpleJavaFileObject {
        private final String text;

        Text(String file, String text) {
            super(URI.create("memory:///" + file), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    /** Keeps the class files in memory. */
    private static final class Classes extends ForwardingJavaFileManager<JavaFileManager> {
        private final Map<String, ByteArrayOutputStream> written = new TreeMap<>();

        Classes(StandardJavaFileManager files) {
            super(files);
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                Location location, String type, JavaFileObject.Kind kind, @Nullable FileObject sibling) {
            return new SimpleJavaFileObject(URI.create("memory:///" + type.replace('.', '/') + ".class"), kind) {
                @Override
                public OutputStream openOutputStream() {
                    return written.computeIfAbsent(type, name -> new ByteArrayOutputStream());
                }
            };
        }
    }

    /** Loads all classes of Muster anew: the changed ones, and the others as they are. */
    static final class Loader extends ClassLoader {
        private final Map<String, byte[]> changed;

        Loader(Compiled compiled) {
            super(PlantedBug.class.getClassLoader());
            this.changed = compiled.classes;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("io.muster.")) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded == null ? define(name) : loaded;
            }
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            byte[] bytes = changed.get(name);
            try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                if (bytes == null && in == null) {
                    throw new ClassNotFoundException(name);
                }
                byte[] all = bytes == null ? in.readAllBytes() : bytes;
                return defineClass(name, all, 0, all.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }
}
