package io.muster.protocol.acquire;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.inventory.idset.Idset;
import io.muster.inventory.idset.SortedTree;
import io.muster.inventory.state.SchedulerView;
import org.junit.jupiter.api.Test;

/** The update that follows from two views, row by row. */
class SentViewTest {
    private static final SchedulerView START = view("0-3", "0-3", "", "batch", "3");

    private static SchedulerView view(String members, String up, String lost, String... properties) {
        return view(0, members, up, lost, properties);
    }

    private static SchedulerView view(double expiration, String members, String up, String lost, String... properties) {
        SortedTree<String, Idset> map = SortedTree.empty();
        for (int i = 0; i < properties.length; i += 2) {
            map = map.with(properties[i], Idset.parse(properties[i + 1]));
        }
        return new SchedulerView(Idset.parse(members), Idset.parse(up), Idset.parse(lost), map, expiration);
    }

    private static String words(SentView told, SchedulerView now) {
        Next next = told.next(now);
        return next == null ? "nothing" : next.toJson().toString().replace('"', '\'');
    }

    private static String fromStart(SchedulerView now) {
        return words(SentView.first(START), now);
    }

    @Test
    void anUnchangedViewNeedsNoUpdate() {
        assertThat(fromStart(START)).isEqualTo("nothing");
        assertThat(fromStart(view("0-3", "0-3", "", "batch", "3"))).isEqualTo("nothing");
    }

    @Test
    void updatesContainOnlyTheDifferences() {
        assertThat(fromStart(view("0-3", "0,2-3", "", "batch", "3"))).isEqualTo("{'down':'1'}");
        SentView told = SentView.first(view("0-3", "0", ""));
        assertThat(words(told, view("0-3", "1-2", ""))).isEqualTo("{'up':'1-2','down':'0'}");
        assertThat(words(told, view(7, "0-3", "0", ""))).isEqualTo("{'expiration':7.0}");
        assertThat(words(SentView.first(view(7, "0-3", "0", "")), view("0-3", "0", "")))
                .isEqualTo("{'expiration':0.0}");
    }

    @Test
    void anExcludedRankIsDownAndAnIncludedRankComesUpOnlyIfItWasOffered() {
        SchedulerView without = view("0-2", "0-2", "", "batch", "3");
        assertThat(fromStart(without)).isEqualTo("{'down':'3'}");
        assertThat(words(SentView.first(START).after(without), START)).isEqualTo("{'up':'3'}");
        assertThat(words(SentView.first(without), START)).isEqualTo("nothing");
        assertThat(words(SentView.first(without), view("0-3", "1-3", "", "batch", "2-3")))
                .isEqualTo("{'down':'0','property-add':{'batch':'2'}}");
    }

    @Test
    void aLostRankIsReportedOnceAsDownAndShrunkAndNeverAgain() {
        SchedulerView lost = view("0-2", "0-2", "3", "batch", "3");
        assertThat(fromStart(lost)).isEqualTo("{'down':'3','shrink':'3'}");
        SentView after = SentView.first(START).after(lost);
        assertThat(after.offered()).hasToString("0-2");
        assertThat(words(after, lost)).isEqualTo("nothing");
        assertThat(words(after, START)).isEqualTo("nothing");
        assertThat(words(after.after(START), lost)).isEqualTo("nothing");
        assertThat(words(after, view("0-3", "0-3", "", "batch", "2"))).isEqualTo("{'property-add':{'batch':'2'}}");
    }

    /** flux-core sends only shrink here, though RFC 28 demands down as well. */
    @Test
    void aLostRankIsReportedAsDownEvenIfItWasDownBefore() {
        SentView drained = SentView.first(START).after(view("0-3", "0-2", "", "batch", "3"));
        assertThat(words(drained, view("0-2", "0-2", "3", "batch", "3"))).isEqualTo("{'down':'3','shrink':'3'}");
    }

    @Test
    void theLastRankIsNeverShrunk() {
        assertThat(words(SentView.first(view("2", "2", "")), view("", "", "2"))).isEqualTo("{'down':'2'}");
        assertThat(words(SentView.first(view("2", "", "")), view("", "", "2"))).isEqualTo("nothing");
        SentView one = SentView.first(view("1-3", "1-3", ""));
        assertThat(words(one, view("0", "0", "1-3"))).isEqualTo("{'down':'1-3','shrink':'2-3'}");
        assertThat(one.after(view("0", "0", "1-3")).offered()).hasToString("1");
    }

    @Test
    void missedUpdatesAreMergedIntoOneAndCancelOut() {
        SentView told = SentView.first(START);
        assertThat(words(told, view(9, "0-2", "1", "3", "batch", "2-3", "new", "0,3")))
                .isEqualTo("{'down':'0,2-3','shrink':'3','property-add':{'batch':'2','new':'0'},'expiration':9.0}");
        assertThat(words(told, view("0-3", "0-3", "", "other", "3")))
                .isEqualTo("{'property-add':{'other':'3'},'property-remove':{'batch':'3'}}");
    }

    @Test
    void aSchedulerThatWasOfferedNoRanksIsSentOnlyTheExpiration() {
        SentView nobody = SentView.first(view("", "", ""));
        assertThat(words(nobody, START)).isEqualTo("nothing");
        assertThat(words(nobody, view(5, "0", "0", "1"))).isEqualTo("{'expiration':5.0}");
    }
}
