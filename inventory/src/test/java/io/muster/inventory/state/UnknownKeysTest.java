package io.muster.inventory.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.json.StrictJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Keys that another version wrote are kept and written again. */
class UnknownKeysTest {
    private static final String NEW = "\"new\":{\"a\":[1.50,\"b\"]}";

    private static ObjectNode tree(String json) throws IOException {
        return (ObjectNode)
                Objects.requireNonNull(StrictJson.stored(json.replace('\'', '"').getBytes(StandardCharsets.UTF_8)));
    }

    private static String event(String name, String context) {
        return "{'seq':9,'timestamp':5,'name':'" + name + "','context':{" + context + ",'userid':1001,'user':'alice',"
                + NEW.replace('"', '\'') + "}}";
    }

    private static void staysInTheSnapshot(String name, String context) throws IOException {
        Entry entry = Entry.parse(tree(event(name, context)));
        String snapshot = States.snapshot(entry.applyTo(States.four().state()));

        assertThat(new String(entry.toBytes(), StandardCharsets.UTF_8)).as(name).contains(NEW);
        assertThat(snapshot.replace('\'', '"')).as(name).containsOnlyOnce(NEW);
        ObjectNode read = States.tree(snapshot.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
        assertThat(States.snapshot(StateJson.parse(read))).isEqualTo(snapshot);
    }

    @Test
    void unknownKeysOfAnEventAreKeptInTheSnapshot() throws IOException {
        staysInTheSnapshot("drain", "'idset':'1','nodelist':'host1','overwrite':0,'holder':'admin'");
        staysInTheSnapshot("exclude", "'idset':'1','nodelist':'host1','kind':'admin'");
        staysInTheSnapshot("offline", "'idset':'1','nodelist':'host1','cause':'psu'");
    }

    @Test
    void unknownKeysOfASnapshotAreWrittenAtTheSamePlace() throws IOException {
        String by = "'by':{'userid':7,'user':'u','loginuid':9,'speaker':{'userid':8,'user':'v','b':{}}}";
        String hold = "{'holder':'admin','since':1," + by + ",'k':true}";
        String rest = "'holds':[" + hold + "]";
        String json = ("{'method':'m','R':" + States.resources("0", "host0")
                        + ",'property-add':{},'property-remove':{},"
                        + "'liveness':[{'idset':'0','nodelist':'host0','status':'online','since':1,'cause':'','l':2.50}],"
                        + "'absent':[{'idset':'0','nodelist':'host0','kind':'admin','since':1," + by + ",'a':null}],"
                        + "'holds':[{'idset':'0','nodelist':'host0'," + rest + "}],"
                        + "'departed':{'gone':{" + rest
                        + ",'d':[]}},'notes':[{'path':'gpu1','idset':'0','nodelist':'host0','tags':{'a':{'since':1,"
                        + by + "}},'n':1.50}],'s':{'t':1},'level':1,'ids':[]}")
                .replace('\'', '"');

        InventoryState state = StateJson.parse(tree(json));
        assertThat(new String(StateJson.toBytes(state), StandardCharsets.UTF_8)).isEqualTo(json);
    }

    @Test
    void anUnknownLevelIsNamedWithTheVersionThatReadsIt() {
        assertThatThrownBy(() -> Entry.parse(tree(event("upgrade", "'level':9,'needs':'7.5.0'"))))
                .hasMessageContaining(
                        "is format level 9, and this version reads levels up to 1: start muster 7.5.0 or later");
        assertThatThrownBy(() -> Entry.parse(tree(event("upgrade", "'level':4,'needs':'0.1.0'"))))
                .hasMessageContaining("up to 1: a version that was never released wrote it");
    }
}
