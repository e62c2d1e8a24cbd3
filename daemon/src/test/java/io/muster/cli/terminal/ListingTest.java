package io.muster.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.hostlist.Listing;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.MalformedException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ListingTest {
    private static final String RACKS = Hostlist.parse("r[000-249]n[00-39]").toString();
    private static final String ODD =
            Hostlist.parse("node[1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31]").toString();

    @Test
    void aListThatFitsIsNotCut() {
        assertThat(Listing.HOSTS.cut("node[0-9999]", 12)).isEqualTo("node[0-9999]");
        assertThat(Listing.HOSTS.cut("", 0)).isEmpty();
    }

    @Test
    void aCutListEndsWithTheNumberOfOmittedEntries() {
        assertThat(Listing.HOSTS.cut(RACKS, 60)).isEqualTo("r000n[00-39],r001n[00-39],...[9,920 more hosts]");
        assertThat(Listing.HOSTS.cut(ODD, 40)).isEqualTo("node[1,3,5,7,9,11,13],...[9 more hosts]");
        assertThat(Listing.RANKS.cut("0-5,7,9-2000,2002,2004,2006,2008,2010", 34))
                .isEqualTo("0-5,7,...[1,997 more ranks]");
        assertThat(Listing.HOSTS.cut(RACKS, 20)).isEqualTo("[10,000 hosts]");
        assertThat(Listing.HOSTS.cut("node[1,3],login1,management-of-the-whole-site", 44))
                .isEqualTo("node[1,3],login1,...[1 more host]");
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 28, 40, 80, 200, 1000})
    void aCutListFitsTheWidthAndDoesNotParseAsAList(int width) {
        for (String list : new String[] {RACKS, ODD + ",x[" + "1,".repeat(600) + "2]"}) {
            String cut = Listing.HOSTS.cut(list, width);
            assertThat(cut).hasSizeLessThanOrEqualTo(width).matches("(?s).*hosts?]");
            assertThatThrownBy(() -> Hostlist.parse(cut)).isInstanceOf(MalformedException.class);
            assertThatThrownBy(() -> Hostlist.parse(cut.split(" ", -1)[0])).isInstanceOf(MalformedException.class);
        }
        assertThatThrownBy(() -> Idset.parse(Listing.RANKS.cut("0,2,4,6,8,10,12,14,16,18,20", 25)))
                .isInstanceOf(MalformedException.class);
    }

    @Test
    void aTableCutsTheListsInEachColumn() {
        Table table = new Table(
                Column.hosts("nodelist", "NODELIST"), Column.flexible("reason", "REASON"), Column.hosts("b", "B"));
        table.row(RACKS, "a reason of thirty characters.", RACKS);
        assertThat(table.render(false, new Style(false, true, 90)))
                .isEqualTo("r000n[00-39],r001n[00-39],...[9,920 more hosts]    a reason + [10,000 hosts]\n");
        assertThat(table.render(false, Style.PLAIN))
                .isEqualTo(RACKS + " a reason of thirty characters. " + RACKS + "\n");
    }
}
