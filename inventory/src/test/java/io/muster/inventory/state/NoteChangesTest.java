package io.muster.inventory.state;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.NoteEdit;
import io.muster.inventory.axis.Notes;
import io.muster.inventory.axis.Places;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.Fields;
import io.muster.inventory.json.StrictJson;
import io.muster.inventory.problem.UnknownPathException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class NoteChangesTest {
    private final States four = States.four();

    private static NoteChanges.Annotate on(String targets, NoteEdit edit) {
        return new NoteChanges.Annotate(targets, List.of(), edit);
    }

    private static NoteChanges.Annotate at(Places places, NoteEdit edit) {
        return new NoteChanges.Annotate("", List.of("/x"), edit, state -> path -> places);
    }

    private static NoteEdit data(String key, String json) {
        return new NoteEdit(new TreeMap<>(), null, new TreeMap<>(Map.of(key, Optional.of(json))));
    }

    private String outcome(Command command) {
        return States.words(command.decide(four.state(), four.now(), States.ALICE));
    }

    @Test
    void aChangeOfAnyVerticesIsOneEvent() {
        assertThat(outcome(on("0-1", NoteEdit.tag("firmware", "7.1"))))
                .isEqualTo("annotate {'idset':'0-1','nodelist':'host[0-1]','vertices':{'':'0-1'},"
                        + "'tag':{'firmware':'7.1'}}");
        Places places = Places.NONE
                .within("socket0/gpu3", Idset.range(0, 2))
                .within("gpu3", Idset.of(3))
                .at("/cluster0/rack1")
                .at("power:/power0/pdu3");
        assertThat(outcome(at(places, NoteEdit.mark("failing", "ECC"))))
                .isEqualTo("annotate {'idset':'0-3','nodelist':'host[0-3]',"
                        + "'vertices':{'gpu3':'3','socket0/gpu3':'0-2'},'paths':['/cluster0/rack1','power:/power0/pdu3'],"
                        + "'mark':{'state':'failing','reason':'ECC'}}");
    }

    @Test
    void theEventContainsOnlyTheVerticesThatChange() {
        four.after(on("0-1", NoteEdit.tag("a", "1")));
        assertThat(outcome(on("0-2", NoteEdit.tag("a", "1")))).contains("'idset':'2'");
        assertThat(outcome(on("0-1", NoteEdit.tag("a", "1")))).isEmpty();
        assertThat(outcome(on("0-3", NoteEdit.untag("a"))))
                .contains("'idset':'0-1'")
                .contains("'tag':{'a':null}");
        assertThat(outcome(on("3", NoteEdit.mark("", "")))).isEmpty();
    }

    @Test
    void aWrongChangeIsRefusedWithASentence() {
        Map<NoteEdit, String> faults = Map.of(
                NoteEdit.mark("broken", ""),
                "the state \"broken\" is not one of up, down, degraded, failing, unknown and null",
                NoteEdit.mark("down", "a\nb"),
                "the reason must be one line of text, but character 2 is U+000A",
                NoteEdit.tag("", "x"),
                "a tag has 1 to 128 characters, not 0",
                NoteEdit.tag("a b", "x"),
                "the tag \"a b\" has U+0020: neither spaces, nor =, nor control characters may be in it",
                NoteEdit.tag("a\u001b", "x"),
                "the tag \"a?\" has U+001B: neither spaces, nor =, nor control characters may be in it",
                NoteEdit.tag("k", "a\u0007"),
                "the value of the tag k must be one line of text, but has U+0007",
                NoteEdit.tag("k", "x".repeat(1025)),
                "the value of the tag k has 1025 characters, and may have 1024",
                data("k", "{\"a\":" + "[".repeat(32) + "]".repeat(32) + "}"),
                "the data k are nested 33 levels deep, and may be nested 32",
                data("k", "{\"a\":\"" + "x".repeat(8192) + "\"}"),
                "a vertex would have data of 8200 characters, and may have 8192",
                new NoteEdit(new TreeMap<>(), null, new TreeMap<>()),
                "the request changes nothing: give tag, mark or data");
        faults.forEach((edit, sentence) -> assertThat(outcome(on("0", edit))).isEqualTo("INVALID " + sentence));
        assertThat(outcome(new NoteChanges.Annotate("", List.of(), NoteEdit.tag("a", ""))))
                .isEqualTo("INVALID the request names no vertex: give targets or paths");
        assertThat(outcome(new NoteChanges.Annotate("", List.of("/nowhere"), NoteEdit.tag("a", ""))))
                .isEqualTo("INVALID no vertex has the path /nowhere");
        assertThat(outcome(on("9", NoteEdit.tag("a", ""))))
                .startsWith("INVALID idset is out of range: rank 9 is not in the resource set");
    }

    @Test
    void theNumberOfTagsOnAVertexIsLimited() {
        for (int i = 0; i < 64; i++) {
            four.after(on("0", NoteEdit.tag("t" + i, "")));
        }
        assertThat(outcome(on("0-1", NoteEdit.tag("more", ""))))
                .isEqualTo("INVALID a vertex would have 65 tags, and may have 64");
        assertThat(outcome(on("0", NoteEdit.tag("t1", "other")))).startsWith("annotate");
    }

    /** The state is made without decisions, because each of them would count all notes. */
    @Test
    void theNumberOfSeparateNotesIsLimited() {
        InventoryState full = four.state();
        Places many = Places.NONE;
        for (int i = 0; i < Notes.MOST; i++) {
            many = many.at("/rack" + i);
        }
        full = full.withNotes(many, note -> NoteEdit.tag("a", "").applyTo(note, 1, States.ALICE));
        Decision decision =
                at(Places.NONE.at("/one/more"), NoteEdit.tag("a", "")).decide(full, 5, States.ALICE);
        assertThat(States.words(decision))
                .isEqualTo(
                        "INVALID there would be 262145 separate notes, and there may be 262144: remove tags that nobody needs, "
                                + "or give neighbouring ranks the same tags");
        Decision removal = at(Places.NONE.at("/rack1"), NoteEdit.untag("a")).decide(full, 5, States.ALICE);
        assertThat(removal.rejection()).isNull();
        Places inOneNote = Places.NONE.within("", Idset.range(0, 2));
        full = full.withNotes(inOneNote, note -> NoteEdit.tag("a", "").applyTo(note, 1, States.ALICE));
        assertThat(States.words(on("1", NoteEdit.untag("a")).decide(full, 5, States.ALICE)))
                .startsWith("INVALID there would be 262146 separate notes");
        assertThat(on("0-2", NoteEdit.untag("a")).decide(full, 5, States.ALICE).rejection())
                .isNull();
    }

    @Test
    void theTotalLengthOfAllNotesIsLimited() {
        Places many = Places.NONE;
        for (int i = 0; i < 16_000; i++) {
            many = many.at("/link" + i);
        }
        InventoryState state = four.state();
        String value = "x".repeat(1000);
        Decision one = at(many, NoteEdit.tag("a", value)).decide(state, 5, States.ALICE);
        assertThat(one.rejection()).isNull();
        InventoryState tagged =
                state.withNotes(many, note -> NoteEdit.tag("a", value).applyTo(note, 1, States.ALICE));
        assertThat(States.words(at(many, NoteEdit.mark("down", value)).decide(tagged, 5, States.ALICE)))
                .isEqualTo("INVALID all tags, marks and data would have 34128000 characters, and may have 33554432: "
                        + "remove what nobody needs");
        assertThat(at(many, NoteEdit.untag("a")).decide(tagged, 5, States.ALICE).rejection())
                .isNull();
    }

    @Test
    void aRequestAboutTooManyVerticesIsRefused() {
        Places many = Places.NONE;
        for (int i = 0; i < 20_000; i++) {
            many = many.at("/link" + i);
        }
        assertThat(outcome(at(many, NoteEdit.tag("a", ""))))
                .isEqualTo(
                        "INVALID the request concerns 20000 separate vertices or ranges of ranks, but one request may "
                                + "concern at most 16384: name fewer targets in each request");
    }

    @Test
    void anUnknownPathIsNotTakenForTheHostAtItsEnd() {
        four.after(on("3", NoteEdit.tag("a", "")));
        assertThat(outcome(new NoteChanges.Annotate("", List.of("/nonsense/rack9/host3"), NoteEdit.untag("a"))))
                .isEqualTo("INVALID no vertex has the path /nonsense/rack9/host3");
    }

    @Test
    void numbersInSchedulerDataHaveTheSameTextAfterARestart() throws Exception {
        ObjectNode asked = new JsonMapper().createObjectNode();
        asked.putObject("data").putObject("sched").put("a", 1e10).put("b", 0.1).put("c", 12);
        NoteEdit live = NoteEdit.read(Fields.of("a request", asked));
        NoteEdit replayed = NoteEdit.read(
                Fields.of("an entry", StrictJson.stored(live.toJson().toString().getBytes(UTF_8))));
        assertThat(live.data().get("sched")).contains("{\"a\":1.0E+10,\"b\":0.1,\"c\":12}");
        assertThat(replayed).isEqualTo(live);
    }

    @Test
    void lineEndsInSchedulerDataAreTheSameAfterARestart() {
        Event event = on("0", data("sched", "{\"a\":\"x\\ty\\n\"}"))
                .decide(four.state(), four.now(), States.ALICE)
                .events()
                .get(0);
        Entry entry = new Entry(1, 5, States.ALICE, event);
        assertThat(Entry.parse(States.tree(entry))).isEqualTo(entry);
    }

    @Test
    void dataBelongToTheUserThatStoredThemUntilTheyAreRemoved() {
        four.after(on("0", data("fluxion", "{\"jobs\":[1]}")));
        NoteChanges.Annotate other = on("0", data("fluxion", "{}"));
        assertThat(States.words(other.decide(four.state(), four.now(), States.BOB)))
                .isEqualTo(
                        "HELD_BY_OTHER the data fluxion belong to alice(1001): use another key, or remove them first");
        four.afterBy(
                States.BOB,
                on("0", new NoteEdit(new TreeMap<>(), null, new TreeMap<>(Map.of("fluxion", Optional.empty())))));
        four.afterBy(States.BOB, other);
        assertThat(four.state().notes().on(0).get(""))
                .satisfies(note -> assertThat(note.data().get("fluxion"))
                        .satisfies(data -> assertThat(data.by()).isEqualTo(States.BOB)));
    }

    @Test
    void notesDoNotChangeTheViewOfSchedulers() {
        SchedulerView before = four.state().view();
        four.after(on("0-3", NoteEdit.mark("down", "everything burns")), on("0", data("k", "{}")));
        assertThat(four.state().view()).isEqualTo(before);
    }

    @Test
    void aNoteOnAMissingVertexCanBeRemovedByItsStoredPath() {
        four.after(
                at(Places.NONE.within("gpu9", Idset.of(1)).at("/old/rack"), NoteEdit.tag("a", "")),
                States.hold("3", Hold.SHARED, 0),
                at(Places.NONE.within("gpu1", Idset.of(3)), NoteEdit.tag("a", "")),
                States.define(States.resources("0-2", "host[0-2]")));
        for (String path : List.of("/c/host1/gpu9", "/old/rack", "/c/host3/gpu1")) {
            assertThat(outcome(new NoteChanges.Annotate("", List.of(path), NoteEdit.tag("a", "b"))))
                    .startsWith("INVALID no vertex has the path");
            NoteChanges.Finder finder = state -> asked -> {
                if (asked.equals("/c/host1")) {
                    return Places.NONE.within("", Idset.of(1));
                }
                throw new UnknownPathException("no vertex has the path " + asked);
            };
            four.after(new NoteChanges.Annotate("", List.of(path), NoteEdit.untag("a"), finder));
        }
        assertThat(four.state().notes().isEmpty()).isTrue();
        assertThat(four.state().departed().get("host3"))
                .satisfies(host -> assertThat(host.notes()).isEmpty());
        assertThat(outcome(on("host3", NoteEdit.tag("a", ""))))
                .isEqualTo(
                        "INVALID invalid targets: R does not name host3: notes on departed hosts can only be removed");
    }

    @Test
    void anEventThatContradictsItselfIsRefused() {
        String event = "{'seq':1,'timestamp':5,'name':'annotate','context':{'idset':'0','nodelist':'host0',"
                + "'vertices':{'':'1'},'tag':{'a':''},'userid':1,'user':'u'}}";
        assertThatThrownBy(() -> Entry.parse(States.tree(event)))
                .hasMessageContaining("/context/idset: names other ranks than vertices does");
    }
}
