package io.muster.gates;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The allowed dependencies. {@link #ARROWS} lists all of them: a package that is missing in the list fails, and so does a dependency on a
 * package below.
 */
@Tag("once")
final class ArchitectureTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .withImportOption(ArchitectureTest::isMain)
            .importPackages("io.muster");

    private static final Map<String, Set<String>> ARROWS = arrows();

    private static boolean isMain(Location location) {
        return !location.contains("test-classes") && !location.contains("-tests.jar");
    }

    private static Map<String, Set<String>> arrows() {
        Map<String, Set<String>> arrows = new LinkedHashMap<>();
        String values = "inventory.problem inventory.idset inventory.hostlist";
        arrow(arrows, "inventory.problem", "");
        arrow(arrows, "inventory.json", "inventory.problem");
        arrow(arrows, "inventory.idset", "inventory.problem");
        arrow(arrows, "inventory.hostlist", "inventory.problem inventory.idset");
        arrow(arrows, "inventory.jgf", "inventory.problem");
        arrow(arrows, "inventory.rset", values + " inventory.json inventory.jgf");
        arrow(arrows, "inventory.graph", values + " inventory.json inventory.jgf inventory.rset");
        arrow(arrows, "inventory.find", values + " inventory.rset inventory.graph");
        arrow(arrows, "inventory.request", values + " inventory.json inventory.rset inventory.graph");
        String request = values + " inventory.rset inventory.graph inventory.request";
        arrow(arrows, "inventory.axis", values + " inventory.rset inventory.json");
        arrow(arrows, "inventory.feasibility", request + " inventory.axis");
        arrow(arrows, "inventory.level", "");
        String state = values + " inventory.json inventory.rset inventory.axis inventory.level";
        arrow(arrows, "inventory.state", state);
        state += " inventory.state";
        arrow(arrows, "inventory.status", state + " inventory.graph");
        arrow(arrows, "inventory.history", state);
        arrow(arrows, "protocol.wire", "inventory.json");
        arrow(arrows, "protocol.rpc", "protocol.wire");
        String messages = " protocol.wire protocol.rpc";
        arrow(arrows, "protocol.acquire", state + messages);
        String all = state + " inventory.status inventory.graph inventory.find inventory.request inventory.feasibility";
        all += " inventory.history";
        arrow(arrows, "protocol.admin", all + messages);
        arrow(arrows, "protocol.operation", all + messages + " protocol.admin");
        arrow(arrows, "protocol.tls", "");
        arrow(arrows, "protocol.client", messages.trim() + " protocol.tls");
        arrow(
                arrows,
                "daemon.config",
                values + " inventory.json inventory.rset inventory.graph inventory.axis protocol.operation");
        arrow(arrows, "daemon.journal.disk", "");
        arrow(arrows, "daemon.ledger", "inventory.level");
        arrow(
                arrows,
                "daemon.journal",
                "inventory.problem inventory.json inventory.hostlist inventory.level daemon.journal.disk daemon.ledger");
        arrow(
                arrows,
                "daemon.etcd",
                "inventory.problem inventory.json inventory.level protocol.tls daemon.config daemon.journal.disk daemon.ledger"
                        + " daemon.journal");
        arrow(arrows, "daemon.past", state + " inventory.history daemon.ledger");
        arrow(arrows, "daemon.core", state + messages + " inventory.status protocol.acquire daemon.ledger");
        arrow(arrows, "daemon.account", messages.trim());
        arrow(
                arrows,
                "daemon.access",
                "inventory.json inventory.axis daemon.config daemon.core daemon.account protocol.wire protocol.operation");
        arrow(
                arrows,
                "daemon.token",
                "inventory.problem inventory.json inventory.axis protocol.operation daemon.config daemon.access daemon.account"
                        + " daemon.journal.disk");
        arrow(
                arrows,
                "daemon.alert",
                "inventory.problem inventory.idset inventory.json inventory.rset inventory.axis inventory.state protocol.rpc"
                        + " protocol.wire protocol.admin daemon.config daemon.core");
        arrow(arrows, "daemon.tls", "inventory.problem protocol.tls daemon.config daemon.access");
        String outside = all + messages + " protocol.acquire protocol.admin protocol.operation";
        arrow(
                arrows,
                "daemon.service",
                outside
                        + " daemon.config daemon.access daemon.account daemon.core daemon.ledger daemon.past daemon.token"
                        + " daemon.alert daemon.tls");
        arrow(
                arrows,
                "daemon.net",
                messages.trim()
                        + " protocol.operation"
                        + " daemon.journal.disk daemon.config daemon.access daemon.account daemon.service daemon.tls");
        arrow(
                arrows,
                "daemon.relay",
                messages.trim()
                        + " protocol.tls protocol.client protocol.acquire protocol.admin inventory.problem inventory.axis"
                        + " daemon.config daemon.access daemon.account daemon.net");
        arrow(arrows, "daemon.metrics", "");
        arrow(arrows, "daemon.http", "protocol.wire daemon.access daemon.account daemon.config daemon.tls daemon.net");
        String api = " daemon.access daemon.account daemon.core daemon.service daemon.http";
        arrow(arrows, "daemon.api", outside + api);
        arrow(
                arrows,
                "daemon",
                outside
                        + " daemon.config daemon.access daemon.account daemon.journal.disk daemon.ledger daemon.journal daemon.etcd daemon.core"
                        + " daemon.service daemon.tls daemon.net daemon.relay protocol.tls protocol.client daemon.metrics daemon.http daemon.api daemon.token daemon.alert");
        String client = " protocol.client protocol.tls";
        arrow(
                arrows,
                "cli.terminal",
                messages.trim() + " inventory.problem inventory.axis inventory.hostlist inventory.idset daemon.config");
        String files = " daemon.config daemon.journal.disk daemon.journal";
        arrow(arrows, "cli.ask", outside + client + files + " cli.terminal");
        String verbs = outside + client + " daemon.config cli.terminal cli.ask";
        arrow(arrows, "cli.change", verbs);
        arrow(arrows, "cli.look", verbs);
        arrow(arrows, "cli.follow", verbs);
        arrow(arrows, "cli.past", verbs + files + " daemon.ledger daemon.past");
        arrow(arrows, "cli.journal", verbs + files);
        arrow(arrows, "cli.ledger", verbs + files + " daemon.ledger daemon.etcd");
        arrow(arrows, "cli.request", verbs);
        arrow(arrows, "cli.rset", verbs);
        arrow(arrows, "cli.token", verbs + files + " daemon.token");
        String groups =
                " cli.change cli.look cli.follow cli.past cli.journal cli.ledger cli.request cli.rset cli.token";
        arrow(arrows, "cli", verbs + groups + " daemon.access daemon.tls daemon");
        return arrows;
    }

    private static void arrow(Map<String, Set<String>> arrows, String from, String to) {
        Set<String> targets = to.isEmpty() ? Set.of() : Set.copyOf(Arrays.asList(to.split(" ")));
        assertThat(arrows.keySet())
                .as("%s may only use what stands above it", from)
                .containsAll(targets);
        arrows.put(from, targets);
    }

    private static String packageOf(JavaClass type) {
        return type.getPackageName().substring("io.muster.".length());
    }

    private static boolean isOurs(JavaClass type) {
        return type.getPackageName().startsWith("io.muster.");
    }

    @Test
    void every_package_is_in_the_list_of_dependencies() {
        Set<String> packages = new TreeSet<>();
        CLASSES.forEach(type -> packages.add(packageOf(type)));
        assertThat(packages)
                .contains("inventory.idset", "protocol.wire", "cli.change")
                .isSubsetOf(ARROWS.keySet());
    }

    @Test
    void packages_have_only_the_listed_dependencies() {
        Map<String, Set<String>> refused = new TreeMap<>();
        for (JavaClass type : CLASSES) {
            String from = packageOf(type);
            for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                JavaClass target = dependency.getTargetClass().getBaseComponentType();
                if (isOurs(target)
                        && !packageOf(target).equals(from)
                        && !ARROWS.getOrDefault(from, Set.of()).contains(packageOf(target))) {
                    refused.computeIfAbsent(from + " -> " + packageOf(target), arrow -> new TreeSet<>())
                            .add(type.getName() + " uses " + target.getName());
                }
            }
        }
        assertThat(refused).isEmpty();
    }

    @Test
    void the_inventory_does_not_depend_on_logging_network_files_clock_or_threads() {
        noClasses()
                .that()
                .resideInAPackage("io.muster.inventory..")
                .should()
                .dependOnClassesThat(among(
                        "org.slf4j.",
                        "ch.qos.logback.",
                        "io.netty.",
                        "io.micrometer.",
                        "picocli.",
                        "com.fasterxml.jackson.annotation.",
                        "java.nio.file.",
                        "java.nio.channels.",
                        "java.net.",
                        "java.io.File",
                        "java.time.Clock",
                        "java.time.InstantSource",
                        "java.util.Timer",
                        "java.util.concurrent.",
                        "java.lang.Thread"))
                .check(CLASSES);
    }

    @Test
    void the_protocol_does_not_depend_on_netty_or_logging() {
        noClasses()
                .that()
                .resideInAPackage("io.muster.protocol..")
                .should()
                .dependOnClassesThat(among("org.slf4j.", "ch.qos.logback.", "io.netty.", "io.micrometer.", "picocli."))
                .check(CLASSES);
    }

    @Test
    void the_codec_does_no_input_or_output() {
        noClasses()
                .that()
                .resideInAPackage("io.muster.protocol.wire")
                .should()
                .dependOnClassesThat(among("java.nio.channels.", "java.nio.file.", "java.net.", "java.io.File"))
                .check(CLASSES);
    }

    @ParameterizedTest
    @MethodSource("homes")
    void a_library_is_used_only_in_its_packages(String library, List<String> packages) {
        noClasses()
                .that()
                .resideOutsideOfPackages(packages.toArray(new String[0]))
                .should()
                .dependOnClassesThat(among(library))
                .check(CLASSES);
    }

    static List<Object[]> homes() {
        return List.of(
                new Object[] {
                    "io.netty.",
                    List.of(
                            "io.muster.daemon",
                            "io.muster.daemon.net",
                            "io.muster.daemon.tls",
                            "io.muster.daemon.relay",
                            "io.muster.daemon.http")
                },
                new Object[] {"io.micrometer.", List.of("io.muster.daemon.metrics")},
                new Object[] {"ch.qos.logback.", List.of("io.muster.daemon.config")},
                new Object[] {"picocli.", List.of("io.muster.cli..")},
                new Object[] {"org.roaringbitmap.", List.of("io.muster.inventory.idset")},
                new Object[] {"com.fasterxml.jackson.dataformat.toml.", List.of("io.muster.daemon.config")},
                new Object[] {
                    "com.fasterxml.jackson.dataformat.yaml.", List.of("io.muster.inventory.request", "io.muster.cli..")
                });
    }

    @Test
    void the_bitmap_library_is_in_no_signature() {
        noMethods()
                .that()
                .areDeclaredInClassesThat()
                .arePublic()
                .and(describe("are for other packages", method -> isForOthers(method)))
                .should(haveInSignature("org.roaringbitmap."))
                .check(CLASSES);
    }

    @Test
    void only_serve_accesses_the_daemon() {
        classes()
                .that()
                .belongToAnyOf(CLASSES.get("io.muster.daemon.Serving").reflect())
                .should()
                .onlyBeAccessed()
                .byClassesThat(describe(
                        "are Serve or the daemon's own",
                        type -> type.getPackageName().equals("io.muster.daemon")
                                || type.getName().startsWith("io.muster.cli.Serve")))
                .check(CLASSES);
    }

    /** A part receives the parts that it uses, and not the daemon, through which it could access any other part. */
    @Test
    void no_part_depends_on_the_daemon_class() {
        noFields().should().haveRawType("io.muster.daemon.Daemon").check(CLASSES);
        noClasses()
                .that()
                .haveNameNotMatching("io\\.muster\\.daemon\\.(Daemon|Serving|WarmUp)")
                .should()
                .dependOnClassesThat(among("io.muster.daemon.Daemon"))
                .check(CLASSES);
    }

    /**
     * The build omits some libraries from the class path of every verb except {@code serve}, by group ids that are prefixes of package
     * names.
     */
    @Test
    void no_other_verb_can_reach_netty_logback_or_micrometer() throws IOException {
        Matcher excluded = Pattern.compile("<excludeGroupIds>(.*)</excludeGroupIds>")
                .matcher(Files.readString(Path.of("pom.xml")));
        assertThat(excluded.find()).isTrue();
        List<String> groups = List.of(excluded.group(1).split(","));
        assertThat(groups).contains("io.netty", "ch.qos.logback", "io.micrometer");
        Set<String> reached = new TreeSet<>();
        Set<JavaClass> seen = new HashSet<>();
        Deque<JavaClass> open = new ArrayDeque<>();
        for (JavaClass type : CLASSES) {
            if (packageOf(type).startsWith("cli") && !isServe(type)) {
                open.add(type);
            }
        }
        seen.addAll(open);
        while (!open.isEmpty()) {
            JavaClass type = open.remove();
            for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                JavaClass target = dependency.getTargetClass().getBaseComponentType();
                String name = target.getName().toLowerCase(Locale.ROOT);
                if (groups.stream().anyMatch(group -> name.startsWith(group + "."))) {
                    reached.add(type.getName() + " uses " + target.getName());
                } else if (isOurs(target) && !isServe(target) && seen.add(target)) {
                    open.add(target);
                }
            }
        }
        assertThat(seen).hasSizeGreaterThan(1);
        assertThat(reached).isEmpty();
    }

    private static boolean isServe(JavaClass type) {
        return type.getName().equals("io.muster.cli.Serve") || type.getName().equals("io.muster.cli.ServeRelay");
    }

    private static DescribedPredicate<JavaClass> among(String... prefixes) {
        return describe(
                "are among " + List.of(prefixes),
                type -> Arrays.stream(prefixes).anyMatch(type.getName()::startsWith));
    }

    private static boolean isForOthers(JavaMethod method) {
        return method.getModifiers().contains(JavaModifier.PUBLIC)
                || method.getModifiers().contains(JavaModifier.PROTECTED);
    }

    private static ArchCondition<JavaMethod> haveInSignature(String prefix) {
        return new ArchCondition<>("have " + prefix + " in their signature") {
            @Override
            public void check(JavaMethod method, ConditionEvents events) {
                boolean leaks = (among(prefix).test(method.getRawReturnType())
                        || method.getRawParameterTypes().stream().anyMatch(among(prefix)));
                events.add(new SimpleConditionEvent(method, leaks, method.getFullName()));
            }
        };
    }
}
