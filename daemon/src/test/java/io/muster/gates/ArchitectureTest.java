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
import java.util.ArrayList;
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
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The dependencies that the two tables allow. A package that has no row fails, and so does an entry that nothing needs. */
@Tag("once")
final class ArchitectureTest {
    /**
     * A row for each package. The columns named after modules list the packages of the module that the package may use, which are in rows above;
     * {@code *} means all that permit it in their last column, which lists the packages that may use the package; {@code .*} means a module.
     */
    private static final List<Row> PACKAGES = Row.table("""
            package               | inventory                                      | used by
            inventory.problem     |                                                | inventory.* protocol.acquire protocol.operation daemon.* cli.*
            inventory.json        | problem                                        | inventory.* protocol.* daemon.* cli.past
            inventory.idset       | problem                                        | inventory.* protocol.acquire protocol.admin protocol.operation daemon.* cli.*
            inventory.hostlist    | problem idset                                  | inventory.* protocol.acquire protocol.admin protocol.operation daemon.* cli.*
            inventory.jgf         | problem json                                   | inventory.rset inventory.graph
            inventory.rset        | problem json idset hostlist jgf                | inventory.* protocol.acquire protocol.admin daemon.* cli.*
            inventory.graph       | problem json idset hostlist jgf rset           | inventory.find inventory.feasibility inventory.status protocol.admin daemon.config daemon.past daemon.service cli.change cli.past cli.request cli.rset
            inventory.find        | problem idset hostlist rset graph              | protocol.admin daemon.service cli.request
            inventory.request     | problem json idset hostlist rset               | inventory.feasibility protocol.admin cli.request
            inventory.axis        | problem json idset hostlist rset               | inventory.* protocol.acquire protocol.admin protocol.operation daemon.* cli.*
            inventory.feasibility | problem idset hostlist rset graph request axis | protocol.admin daemon.service
            inventory.level       |                                                | inventory.state daemon.*
            inventory.state       | problem json idset hostlist rset axis level    | inventory.status inventory.history protocol.acquire protocol.admin protocol.operation daemon.* cli.*
            inventory.status      | problem idset hostlist rset graph axis state   | protocol.admin daemon.core daemon.service daemon cli.*
            inventory.history     | idset hostlist rset axis state                 | protocol.admin daemon.past daemon.service cli.ask cli.past cli.journal

            package            | inventory                                   | protocol       | used by
            protocol.wire      | json                                        |                | protocol.* daemon.* cli.*
            protocol.rpc       |                                             | wire           | protocol.* daemon.* cli.*
            protocol.acquire   | problem json idset hostlist rset axis state | wire rpc       | daemon.core daemon.service daemon.relay cli.follow
            protocol.admin     | *                                           | wire rpc       | protocol.operation daemon.service daemon.api cli.*
            protocol.operation | problem json idset hostlist axis state      | wire rpc admin | daemon.* cli.change cli.token cli
            protocol.tls       |                                             |                | protocol.client daemon.* cli.ask cli.follow cli
            protocol.client    |                                             | wire rpc tls   | daemon.relay daemon cli.*

            package             | inventory                                           | protocol                         | daemon                                                 | used by
            daemon.config       | problem json idset hostlist rset graph axis state   | operation                        |                                                        | daemon.* cli.*
            daemon.journal.disk |                                                     |                                  |                                                        | daemon.* cli.*
            daemon.machine      |                                                     |                                  |                                                        | daemon.journal daemon.etcd daemon
            daemon.ledger       | level                                               |                                  |                                                        | daemon.* cli.ledger cli.past
            daemon.journal      | problem json hostlist level                         |                                  | journal.disk machine ledger                            | daemon.etcd daemon cli.ask cli.past cli.journal
            daemon.etcd         | json level                                          | tls                              | config journal.disk machine ledger journal             | daemon cli.ledger
            daemon.past         | hostlist rset graph axis state history        |                                  | ledger                                                 | daemon.service cli.past
            daemon.core         | json idset hostlist rset axis level state status    | wire rpc acquire                 | ledger                                                 | daemon.*
            daemon.account      |                                                     | wire rpc                         |                                                        | daemon.*
            daemon.access       | json hostlist axis                                  | wire operation                   | config core account                                    | daemon.* cli
            daemon.token        | problem json axis                                   | operation                        | config journal.disk account access                     | daemon.service daemon.api daemon cli.token
            daemon.alert        | problem json idset rset axis state                  | rpc                              | config core                                            | daemon.service daemon
            daemon.tls          | problem                                             | tls                              | config access                                          | daemon.* cli
            daemon.service      | *                                                   | wire rpc acquire admin operation | config ledger past core account access token alert tls | daemon.net daemon.api daemon
            daemon.net          |                                                     | wire rpc operation               | config journal.disk account access tls service         | daemon.relay daemon.http daemon
            daemon.relay        | problem                                             | wire rpc acquire operation tls client | config account access net                              | daemon
            daemon.metrics      |                                                     |                                  |                                                        | daemon
            daemon.http         |                                                     | wire                             | config account access tls net                          | daemon.api daemon
            daemon.api          | problem state                                       | wire rpc admin operation         | config core account access token service http          | daemon
            daemon              | problem idset hostlist rset axis level state status | wire rpc operation tls client    | *                                                      | cli

            package      | inventory                                             | protocol                            | daemon                          | cli          | used by
            cli.terminal | problem hostlist axis                                 | wire rpc                            | config                          |              | cli.*
            cli.ask      | problem idset hostlist rset axis state status history | wire rpc admin tls client           | config journal.disk journal     | terminal     | cli.*
            cli.change   | problem idset hostlist graph axis state status        | wire rpc admin operation client     | config                          | terminal ask | cli
            cli.look     | problem hostlist axis                                 | admin client                        |                                 | terminal ask | cli
            cli.follow   | problem hostlist axis                                 | rpc acquire admin tls client        |                                 | terminal ask | cli
            cli.past     | problem json idset hostlist rset graph axis state history | rpc admin client                | config ledger journal.disk journal past | terminal ask | cli
            cli.journal  | problem history                                       |                                     | config journal.disk journal     | terminal ask | cli
            cli.ledger   | problem                                               |                                     | config journal.disk ledger etcd | terminal ask | cli
            cli.request  | *                                                     | rpc admin client                    | config                          | terminal ask | cli
            cli.rset     | problem idset hostlist rset graph                     |                                     | config                          | terminal     | cli
            cli.token    | problem axis                                          | rpc admin operation client          | config journal.disk token       | terminal ask | cli
            cli          | problem idset hostlist rset axis status               | wire rpc admin operation tls client | daemon config access tls        | *            |
            """);

    /** What does not belong to Muster, by the beginning of the names of its classes, and the packages that may use it. */
    private static final List<Row> LIBRARIES = Row.table("""
            name                              | used by
            com.fasterxml.jackson.annotation. |
            com.fasterxml.jackson.core.       | inventory.* protocol.admin protocol.wire daemon.* cli.follow cli.request cli.rset
            com.fasterxml.jackson.databind.   | inventory.* protocol.* daemon.* cli.*
            com.fasterxml.jackson.dataformat. | daemon.config
            org.yaml.snakeyaml.               | inventory.request cli.request
            org.roaringbitmap.                | inventory.idset
            org.jspecify.annotations.         | inventory.* protocol.* daemon.* cli.*
            org.slf4j.                        | daemon.*
            ch.qos.logback.                   | daemon.config
            io.netty.                         | daemon.tls daemon.net daemon.relay daemon.http daemon
            io.micrometer.                    | daemon.metrics
            io.prometheus.                    | daemon.metrics
            picocli.                          | cli.*
            java.io.File                      | protocol.client daemon cli.rset cli.terminal
            java.nio.file.                    | protocol.tls protocol.client daemon.* cli.*
            java.nio.channels.                | protocol.client daemon.* cli.follow cli
            java.net.                         | protocol.client daemon.* cli.ask cli
            java.util.concurrent.             | protocol.client daemon.* cli.*
            java.lang.Thread                  | protocol.client daemon.* cli.*
            java.util.Timer                   |
            java.time.Clock                   |
            java.time.InstantSource           | daemon.* cli.terminal cli.journal cli
            """);

    /** The same limit as that for the parameters of a constructor in {@link TidyTest}. */
    private static final int MOST_PARTS = 6;

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .withImportOption(ArchitectureTest::isMain)
            .importPackages("io.muster");

    /** @param uses for each module, what the row may use of it */
    private record Row(String name, Map<String, List<String>> uses, List<String> usedBy) {
        static List<Row> table(String text) {
            List<Row> rows = new ArrayList<>();
            for (String section : text.split("\n\n")) {
                List<List<String>> lines = section.lines()
                        .map(line -> Arrays.stream(line.split("\\|", -1))
                                .map(String::strip)
                                .toList())
                        .toList();
                List<String> modules = lines.get(0).subList(1, lines.get(0).size() - 1);
                for (List<String> line : lines.subList(1, lines.size())) {
                    Map<String, List<String>> uses = new LinkedHashMap<>();
                    modules.forEach(module -> uses.put(module, words(line.get(1 + uses.size()))));
                    rows.add(new Row(line.get(0), uses, words(line.get(line.size() - 1))));
                }
            }
            return rows;
        }

        private static List<String> words(String cell) {
            return cell.isEmpty() ? List.of() : List.of(cell.split(" +"));
        }

        /** A library is in no column of what its users may use. */
        boolean mayUse(Row other) {
            boolean listed =
                    uses.getOrDefault(module(other.name), List.of()).stream().anyMatch(word -> names(word, other.name));
            boolean above = PACKAGES.indexOf(other) < PACKAGES.indexOf(this);
            return other.mayBeUsedBy(name) && (LIBRARIES.contains(other) || (listed && above));
        }

        boolean mayBeUsedBy(String user) {
            return usedBy.stream().anyMatch(word -> covers(word, user));
        }

        /** Returns whether a word in the column of the package's module means the package. */
        static boolean names(String word, String name) {
            return word.equals("*") || name.equals(word) || name.equals(module(name) + "." + word);
        }

        static boolean covers(String word, String name) {
            return word.equals(name) || word.equals(module(name) + ".*");
        }

        static String module(String name) {
            return name.split("\\.")[0];
        }
    }

    private static boolean isMain(Location location) {
        return !location.contains("test-classes") && !location.contains("-tests.jar");
    }

    private static String packageOf(JavaClass type) {
        return type.getPackageName().substring("io.muster.".length());
    }

    private static boolean isOurs(JavaClass type) {
        return type.getPackageName().startsWith("io.muster.");
    }

    /** Returns what each package uses, by the names of the rows, with one of the uses. A library without a row has the name of its class. */
    private static Map<String, Map<String, String>> used() {
        Map<String, Map<String, String>> used = new TreeMap<>();
        for (JavaClass type : CLASSES) {
            Map<String, String> uses = used.computeIfAbsent(packageOf(type), name -> new TreeMap<>());
            for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                JavaClass target = dependency.getTargetClass().getBaseComponentType();
                names(target).forEach(name -> uses.put(name, type.getName() + " uses " + target.getName()));
            }
            uses.remove(packageOf(type));
        }
        return used;
    }

    private static List<String> names(JavaClass type) {
        if (isOurs(type)) {
            return List.of(packageOf(type));
        }
        List<String> libraries = LIBRARIES.stream()
                .map(Row::name)
                .filter(type.getName()::startsWith)
                .toList();
        boolean known = !libraries.isEmpty() || type.getName().matches("[a-z]+|javax?\\..*");
        return known ? libraries : List.of(type.getName());
    }

    @Test
    void every_package_has_one_row() {
        assertThat(PACKAGES.stream().map(Row::name)).containsExactlyInAnyOrderElementsOf(used().keySet());
    }

    @Test
    void packages_use_only_what_the_tables_allow() {
        Map<String, Row> rows =
                Stream.concat(PACKAGES.stream(), LIBRARIES.stream()).collect(Collectors.toMap(Row::name, row -> row));
        Map<String, String> refused = new TreeMap<>();
        used().forEach((user, uses) -> uses.forEach((name, use) -> {
            Row row = rows.get(name);
            if (row == null || !rows.containsKey(user) || !rows.get(user).mayUse(row)) {
                refused.put(user + " -> " + name, use);
            }
        }));
        assertThat(refused).isEmpty();
    }

    @Test
    void the_tables_allow_nothing_that_is_not_used() {
        Map<String, Map<String, String>> used = used();
        List<String> needless = new ArrayList<>();
        for (Row row : PACKAGES) {
            row.uses()
                    .forEach((module, words) -> words.stream()
                            .filter(word -> used.getOrDefault(row.name(), Map.of()).keySet().stream()
                                    .noneMatch(name -> Row.module(name).equals(module) && Row.names(word, name)))
                            .forEach(word -> needless.add(row.name() + " does not use " + module + " " + word)));
        }
        Stream.concat(PACKAGES.stream(), LIBRARIES.stream())
                .forEach(row -> row.usedBy().stream()
                        .filter(word -> used.keySet().stream()
                                .noneMatch(user -> Row.covers(word, user)
                                        && used.getOrDefault(user, Map.of()).containsKey(row.name())))
                        .forEach(word -> needless.add(row.name() + " is not used by " + word)));
        assertThat(needless).isEmpty();
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

    /** A record may have any number of data, but one of parts of the daemon is a list of parameters. */
    @Test
    void records_bundle_few_parts() {
        assertThat(CLASSES.stream()
                        .filter(JavaClass::isRecord)
                        .filter(type -> type.getFields().stream()
                                        .filter(field -> !field.getModifiers().contains(JavaModifier.STATIC)
                                                && isPart(field.getRawType()))
                                        .count()
                                > MOST_PARTS)
                        .map(JavaClass::getName))
                .isEmpty();
    }

    private static boolean isPart(JavaClass type) {
        return type.getPackageName().startsWith("io.muster.daemon") && !type.isRecord() && !type.isEnum();
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
