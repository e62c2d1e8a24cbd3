package io.muster.inventory.hostlist;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.inventory.idset.Idset;
import io.muster.testing.Hostlists;
import io.muster.testing.Hostlists.Spelled;
import io.muster.testing.Idsets;
import io.muster.testing.Seeds;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** Compares hostlists with the plain lists of names that they stand for. */
class HostlistPropsTest {
    @Seeds
    void aTextIsReadAsTheNamesThatItDenotes(Random random) {
        Spelled spelled = Hostlists.spelled(random);
        Hostlist list = Hostlist.parse(spelled.text());
        assertThat(list.expand()).isEqualTo(spelled.names());
        assertThat(list.size()).isEqualTo(spelled.names().size());
        for (int i = 0; i < list.size(); i++) {
            assertThat(list.nth(i)).isEqualTo(spelled.names().get(i));
        }
    }

    @Seeds
    void aWrittenListReadsBackEqual(Random random) {
        Hostlist list = Hostlists.any(random);
        assertThat(Hostlist.parse(list.toString())).isEqualTo(list).hasSameHashCodeAs(list);
        assertThat(Hostlist.parse(list.toString())).hasToString(list.toString());
    }

    @Seeds
    void equalNamesMakeEqualListsWithOneText(Random random) {
        Hostlist list = Hostlists.any(random);
        Hostlist named = Hostlist.of(list.expand());
        assertThat(named).isEqualTo(list).hasSameHashCodeAs(list).hasToString(list.toString());
        Hostlist other = Hostlists.any(random);
        assertThat(list.equals(other)).isEqualTo(list.expand().equals(other.expand()));
    }

    /** In RFC 29 the leading zeros of a list's first element count for all elements; in flux-core each element has its own. */
    @Seeds
    void writtenListsMeanTheSameInRfc29AndInFluxCore(Random random) {
        Hostlist list = Hostlists.any(random);
        assertThat(readAsRfc29Says(list.toString())).isEqualTo(list.expand());
    }

    @Seeds
    void theIndexesOfANameMatchThePlainNames(Random random) {
        Hostlist list = Hostlists.any(random);
        List<String> names = list.expand();
        List<String> wanted = new ArrayList<>(names.subList(0, Math.min(20, names.size())));
        wanted.addAll(Hostlists.any(random).expand().stream().limit(50).toList());
        for (String name : wanted) {
            assertThat(list.indexOf(name)).isEqualTo(names.indexOf(name));
            assertThat(list.indexesOf(name)).isEqualTo(places(names, name));
            assertThat(list.contains(name)).isEqualTo(names.contains(name));
        }
    }

    @Seeds
    void theIndexesAndMissingHostsOfAListMatchThePlainNames(Random random) {
        Hostlist list = Hostlists.any(random);
        Hostlist wanted = random.nextBoolean() ? Hostlists.any(random) : list.append(Hostlists.any(random));
        List<String> names = list.expand();
        Idset all = wanted.expand().stream().map(n -> places(names, n)).reduce(Idset.EMPTY, Idset::union);
        assertThat(list.indexesOf(wanted)).isEqualTo(all);
        List<String> missing = new ArrayList<>(wanted.expand());
        missing.removeAll(new HashSet<>(names));
        assertThat(list.missing(wanted).expand()).isEqualTo(missing);
    }

    @Seeds
    void theNthOccurrenceOfAHostIsPairedWithItsNthOccurrenceInAnotherList(Random random) {
        Hostlist list = Hostlists.any(random);
        Hostlist other = random.nextBoolean() ? Hostlists.any(random) : list.append(Hostlists.any(random));
        Map<String, Deque<Integer>> places = new HashMap<>();
        for (int i = 0; i < other.size(); i++) {
            places.computeIfAbsent(other.nth(i), name -> new ArrayDeque<>()).add(i);
        }
        Map<Integer, Integer> expected = new TreeMap<>();
        for (int i = 0; i < list.size(); i++) {
            Integer place = places.getOrDefault(list.nth(i), new ArrayDeque<>()).poll();
            if (place != null) {
                expected.put(i, place);
            }
        }
        Map<Integer, Integer> pairs = new TreeMap<>();
        list.forEachPair(other, (here, there, count) -> {
            for (int i = 0; i < count; i++) {
                assertThat(pairs.put(here + i, there + i)).as("told once").isNull();
            }
        });
        assertThat(pairs).isEqualTo(expected);
    }

    @Seeds
    void selectingTakesTheNamesAtTheIndexes(Random random) {
        Hostlist list = Hostlists.any(random);
        Idset indexes = Idsets.small(random, 1 + list.size())
                .intersect(list.isEmpty() ? Idset.EMPTY : Idset.range(0, list.size() - 1));
        Hostlist selected = list.select(indexes);
        assertThat(selected.expand())
                .isEqualTo(indexes.stream().mapToObj(list::nth).toList());
        assertThat(selected).isEqualTo(Hostlist.of(selected.expand()));
    }

    @Seeds
    void sortingAndAppendingAgreeWithThePlainList(Random random) {
        Hostlist a = Hostlists.any(random);
        Hostlist b = Hostlists.any(random);
        List<String> both = new ArrayList<>(a.expand());
        both.addAll(b.expand());
        assertThat(a.append(b).expand()).isEqualTo(both);
        List<String> sorted = new ArrayList<>(both);
        Collections.sort(sorted, FLUX_ORDER);
        assertThat(a.append(b).sort().expand()).isEqualTo(sorted);
        assertThat(a.append(b).unique().expand())
                .isEqualTo(sorted.stream().distinct().toList());
        assertThat(a.append(b).sort()).isEqualTo(b.append(a).sort());
    }

    private static final Comparator<String> FLUX_ORDER = Comparator.comparing(HostlistPropsTest::prefix)
            .thenComparing(String::length)
            .thenComparing(Comparator.naturalOrder());

    private static String prefix(String name) {
        return name.substring(0, HostRange.numberStart(name, HostRange.MAX_DIGITS));
    }

    private static Idset places(List<String> names, String name) {
        return Idset.of(IntStream.range(0, names.size())
                .filter(i -> names.get(i).equals(name))
                .toArray());
    }

    private static List<String> readAsRfc29Says(String text) {
        List<String> names = new ArrayList<>();
        for (String expression : text.isEmpty() ? new String[0] : text.split(",(?![^\\[]*\\])", -1)) {
            int open = expression.indexOf('[');
            if (open < 0) {
                names.add(expression);
                continue;
            }
            String[] items =
                    expression.substring(open + 1, expression.length() - 1).split(",", -1);
            String head = items[0].split("-", -1)[0];
            int width = head.startsWith("0") ? head.length() : 1;
            for (String item : items) {
                String[] bounds = item.split("-", -1);
                long last = Long.parseLong(bounds[bounds.length - 1]);
                for (long n = Long.parseLong(bounds[0]); n <= last; n++) {
                    String digits = Long.toString(n);
                    names.add(
                            expression.substring(0, open) + "0".repeat(Math.max(0, width - digits.length())) + digits);
                }
            }
        }
        return names;
    }
}
