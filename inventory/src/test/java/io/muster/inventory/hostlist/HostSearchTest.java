package io.muster.inventory.hostlist;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.testing.Hostlists;
import io.muster.testing.Hostlists.Spelled;
import io.muster.testing.Seeds;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostSearchTest {
    private static boolean mayName(String hostlist, String... hosts) {
        byte[] text = hostlist.getBytes(StandardCharsets.ISO_8859_1);
        return new HostSearch(Set.of(hosts)).mayName(text, 0, text.length);
    }

    @Seeds
    void aReducedHostlistNamesTheSameWantedHosts(Random random) {
        Spelled spelled = Hostlists.spelled(random);
        List<String> others = Hostlists.any(random).expand();
        Set<String> hosts = new HashSet<>();
        for (int i = random.nextInt(4); i >= 0; i--) {
            List<String> from = random.nextBoolean() || others.isEmpty() ? spelled.names() : others;
            hosts.add(from.isEmpty() ? "n1" : from.get(random.nextInt(from.size())));
        }
        HostSearch search = new HostSearch(hosts);
        String only = search.only(spelled.text());
        assertThat(Hostlist.parse(only).expand().stream().filter(hosts::contains))
                .as("%s in %s, of which is left %s", hosts, spelled.text(), only)
                .containsExactlyElementsOf(
                        spelled.names().stream().filter(hosts::contains).toList());
        if (spelled.names().stream().anyMatch(hosts::contains)) {
            assertThat(mayName(spelled.text(), hosts.toArray(String[]::new))).isTrue();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "n1; n2,n[3-9],n10,xn1,n1-ib,nn[1-3]; ''",
                "n7; n[1-3,5-9],n70,n[70-79]; n[1-3,5-9]",
                "r2n7; r[0-3]n[0-9],r[4-5]n7,r2n[1-6]; r[0-3]n[0-9]",
                "n007; n[001-009],n[1-6]; n[001-009]",
                "gpu; gpu,gpu[1-3],gp; gpu",
            })
    void itemsOfOtherHostsAreLeftOut(String host, String hostlist, String left) {
        assertThat(new HostSearch(Set.of(host)).only(hostlist)).isEqualTo(left);
        assertThat(mayName(hostlist, host)).isEqualTo(!left.isEmpty());
    }

    /** Only the context of the event itself counts: data that a user notes may look like another event. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "'context':{'idset':'1-2','nodelist':'n[1-2]','reason':'x'}; true; n[1-2]",
                "'context':{'idset':'3','nodelist':'n3','data':{'context':{'idset':'1','nodelist':'n1'}}}; false; n3",
                "'context':{'paths':['/c0'],'data':{'context':{'idset':'3','nodelist':'n3'}}}; true; ",
                "'context':{'idset':'3','nodelist':'n\\u0031'}; true; ",
                "'context':{'idset':'3','nodelist':'n3; true; ",
                "'context':{'idset':'3'}}; true; ",
                "'context':{'ranks':'3'}; true; ",
            })
    void theHostsOfAnEventAreFoundWithoutParsing(String context, boolean mayName, String hostlist) {
        byte[] event = ("{'timestamp':1,'name':'drain'," + context + "}")
                .replace('\'', '"')
                .getBytes(StandardCharsets.US_ASCII);
        assertThat(new HostSearch(Set.of("n1")).mayNameIn(event)).isEqualTo(mayName);
        int first = HostSearch.hostlist(event, 0, event.length);
        int end = first < 0 ? -1 : HostSearch.quote(event, first, event.length);
        assertThat(end < 0 ? null : new String(event, first, end - first, StandardCharsets.US_ASCII))
                .isEqualTo(hostlist);
    }

    @Test
    void aSearchForManyHostsOrForAllKeepsEveryItem() {
        Set<String> many = new HashSet<>(Hostlist.parse("n[1-17]").expand());
        assertThat(new HostSearch(many).isSelective()).isFalse();
        assertThat(new HostSearch(many).only("x,y")).isEqualTo("x,y");
        assertThat(new HostSearch(Set.of()).only("x,y")).isEqualTo("x,y");
        assertThat(mayName("x,y")).isTrue();
    }
}
