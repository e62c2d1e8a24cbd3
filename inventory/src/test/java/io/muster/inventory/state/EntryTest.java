package io.muster.inventory.state;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.axis.Times;
import io.muster.inventory.history.PastEvent;
import io.muster.inventory.hostlist.HostSearch;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.status.EventText;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The exact lines of the journal, read and written: every version must be able to read the journals of earlier versions. */
class EntryTest {
    private static final HostSearch ALL = new HostSearch(Set.of());

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'timestamp':1795226327.122392,'name':'restart','context':{'ranks':'0-3','online':'0,2-3',"
                        + "'nodelist':'host[0-3]','userid':-1,'user':'muster'}}",
                "{'timestamp':1795226327.1,'name':'resource-define','context':{'method':'configuration',"
                        + "'initial':'online','R':{'version':1,'execution':{'R_lite':[{'rank':'0-3','children':"
                        + "{'core':'0-3'}}],'starttime':1795226327.120,'expiration':0.0,'nodelist':['host[0-3]']},"
                        + "'scheduling':{'x':[1.10,1,1.0,null]}},'userid':-1,'user':'muster'}}",
                "{'timestamp':5,'name':'resource-update','context':{'expiration':2000000000,'userid':0,'user':'root',"
                        + "'pid':4711}}",
                "{'timestamp':5,'name':'resource-update','context':{'expiration':2000000000.25,'userid':4294967294,"
                        + "'user':'nobody'}}",
                "{'timestamp':5,'name':'online','context':{'idset':'0-1','nodelist':'host[0-1]','userid':0,'user':'r'}}",
                "{'timestamp':5,'name':'offline','context':{'idset':'0-1','nodelist':'host[0-1]',"
                        + "'cause':'forced down','userid':0,'user':'r'}}",
                "{'timestamp':5,'name':'torpid','context':{'idset':'2','nodelist':'host2','userid':0,'user':'r'}}",
                "{'timestamp':5,'name':'lively','context':{'idset':'2','nodelist':'host2','userid':0,'user':'r'}}",
                "{'timestamp':5,'name':'drain','context':{'idset':'0,2','nodelist':'host[0,2]','overwrite':0,"
                        + "'holder':'admin','userid':1001,'user':'alice','pid':42}}",
                "{'timestamp':5,'name':'drain','context':{'idset':'3','nodelist':'host3','reason':'','overwrite':2,"
                        + "'holder':'ops','until':1795229927.5,'userid':1001,'user':'alice','pid':42}}",
                "{'timestamp':5,'name':'drain','context':{'idset':'3','nodelist':'host3',"
                        + "'reason':'Lüfter \\\\\\'3\\\\\\' €','overwrite':1,'holder':'ops','userid':1,'user':'ü'}}",
                "{'timestamp':5,'name':'undrain','context':{'idset':'3','nodelist':'host3','overwrite':0,"
                        + "'holder':'ops','userid':1001,'user':'alice'}}",
                "{'timestamp':5,'name':'undrain','context':{'idset':'3','nodelist':'host3','reason':'fixed',"
                        + "'overwrite':2,'holder':'*','userid':1001,'user':'alice'}}",
                "{'timestamp':5,'name':'undrain','context':{'idset':'3','nodelist':'host[3,8-9]','departed':'host[8-9]',"
                        + "'overwrite':0,'holder':'admin','userid':1001,'user':'alice'}}",
                "{'timestamp':5,'name':'exclude','context':{'idset':'3','nodelist':'host3','kind':'admin',"
                        + "'reason':'burn-in','userid':1001,'user':'alice'}}",
                "{'timestamp':5,'name':'exclude','context':{'idset':'3','nodelist':'host3','kind':'config',"
                        + "'userid':1001,'user':'alice'}}",
                "{'timestamp':5,'name':'shrink','context':{'idset':'3','nodelist':'host3','kind':'lost',"
                        + "'userid':1001,'user':'alice'}}",
                "{'timestamp':5,'name':'include','context':{'idset':'3','nodelist':'host3','kind':'admin',"
                        + "'reason':'done','userid':1001,'user':'alice'}}",
                "{'timestamp':5,'name':'include','context':{'idset':'3','nodelist':'host3','kind':'config',"
                        + "'userid':1001,'user':'alice'}}",
                "{'timestamp':5,'name':'property-add','context':{'properties':{'+inst':'0-1','gpu@v100':'3'},"
                        + "'userid':1001,'user':'alice'}}",
                "{'timestamp':5,'name':'property-remove','context':{'properties':{'batch':'3'},"
                        + "'userid':1001,'user':'alice'}}",
            })
    void linesAreReadAndWrittenUnchanged(String line) {
        String json = line.replace("\\\\\\'", "\\\"").replace('\'', '"').replace("\\\\n", "\\n");
        Entry entry = Entry.parse(States.tree(json).put("seq", 17));
        assertThat(new String(entry.toBytes(), UTF_8)).isEqualTo(json);
        assertThat(entry.toJson()).hasToString(json);
        assertThat(entry.toSummaryJson(entry.toBytes())).isEqualTo(withoutR(entry.toJson()));
        assertThat(entry.seq()).isEqualTo(17);
        assertThat(entry.event().name())
                .isEqualTo(States.tree(json).path("name").textValue());
        assertThat(Entry.parse(entry.toJson().put("seq", 17))).isEqualTo(entry);
    }

    private static ObjectNode withoutR(ObjectNode json) {
        ((ObjectNode) json.path("context")).remove("R");
        return json;
    }

    private static final String DRAIN = "{'seq':7,'timestamp':5,'name':'drain','context':{'idset':'3',"
            + "'nodelist':'host3','overwrite':0,'holder':'ops','userid':1001,'user':'alice'}}";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'seq':7,||journal entry: /seq: must be an integer from 0 to 9223372036854775807",
                "'seq':7|'seq':-1|journal entry -1: /seq: must be an integer from 0 to 9223372036854775807",
                "'seq':7|'seq':7.5|journal entry: /seq: must be an integer from 0 to 9223372036854775807",
                "'timestamp':5|'timestamp':'5'|journal entry 7: /timestamp: must be a number of seconds",
                "'timestamp':5|'timestamp':1e300|journal entry 7: /timestamp: must be before the year 10000",
                "'drain'|'drone'|journal entry 7: /name: there is no event \"drone\"",
                "'name':'drain'|'name':null|journal entry 7: /name: must be a string",
                "'context'|'contents'|journal entry 7: /context: must be an object",
                "'idset':'3'|'idset':'3-'|journal entry 7: /context/idset: idset \"3-\": the range has no end at position 2",
                "'idset':'3'|'idset':3|journal entry 7: /context/idset: must be a string",
                "'nodelist'|'hosts'|journal entry 7: /context/nodelist: must be a string",
                "'overwrite':0|'overwrite':3|journal entry 7: /context/overwrite: must be an integer from 0 to 2",
                "'overwrite':0|'overwrite':0.0|journal entry 7: /context/overwrite: must be an integer from 0 to 2",
                "'holder':'ops'|'holder':null|journal entry 7: /context/holder: must be a string",
                "'holder':'ops'|'holder':'ops','reason':null|journal entry 7: /context/reason: must be a string",
                "'holder':'ops'|'holder':'ops','until':'x'|journal entry 7: /context/until: must be a number of seconds",
                "'holder':'ops'|'holder':'ops','until':-1|journal entry 7: /context/until: must not be negative",
                "'userid':1001|'userid':4294967295|journal entry 7: /context/userid: must be an integer from -1 to 4294967294",
                "'user':'alice'|'user':5|journal entry 7: /context/user: must be a string",
                "'user':'alice'|'user':'alice','pid':-1|journal entry 7: /context/pid: must be an integer from 0 to 2147483647",
            })
    void damageIsRefusedWithItsPlace(String part, String instead, String sentence) {
        ObjectNode damaged = States.tree(DRAIN.replace(part, instead == null ? "" : instead));
        assertThatThrownBy(() -> Entry.parse(damaged))
                .isInstanceOf(InvalidException.class)
                .hasMessage(sentence);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "include|'idset':'','nodelist':'host9','kind':'admin','departed':'host['|/context/departed: hostlist \"host[\": "
                        + "'[' is never closed at position 4",
                "exclude|'idset':'3','nodelist':'host3','kind':'gone'|/context/kind: must be one of config, admin, lost",
                "exclude|'idset':'3','nodelist':'host3','kind':'lost'|/context/kind: is not that of an event \"exclude\"",
                "shrink|'idset':'3','nodelist':'host3','kind':'admin'|/context/kind: is not that of an event \"shrink\"",
                "include|'idset':'3','nodelist':'host3'|/context/kind: must be a string",
                "property-add|'properties':['a']|/context/properties: must be an object",
                "property-add|'properties':{'a/b~':'x'}|/context/properties/a~1b~0: idset \"x\": not a decimal digit at position 0",
                "property-add|'properties':{'a':''}|/context/properties/a: names no rank",
                "resource-update|'expiration':null|/context/expiration: must be a number of seconds",
                "resource-define|'method':'x','initial':'up','R':{}|/context/R/version: version is missing",
                "resource-define|'method':'x','initial':'up','R':{'version':1,'execution':{'R_lite':[],"
                        + "'nodelist':['']}}|/context/initial: must be one of online, torpid, offline",
                "resource-define|'method':'x','initial':'up','R':5|/context/R: must be a JSON object, not a number",
                "restart|'ranks':'0-3','nodelist':'host[0-3]'|/context/online: must be a string",
            })
    void damageOfOtherEventsIsRefusedWithItsPlace(String name, String context, String sentence) {
        ObjectNode damaged = States.tree(
                "{'seq':7,'timestamp':5,'name':'" + name + "','context':{" + context + ",'userid':0,'user':'root'}}");
        assertThatThrownBy(() -> Entry.parse(damaged))
                .isInstanceOf(InvalidException.class)
                .hasMessage("journal entry 7: " + sentence);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "drain|'idset':'3-4','nodelist':'host[3-4]','overwrite':0,'holder':'ops'|names 4, which R does not have",
                "undrain|'idset':'9','nodelist':'host9','overwrite':0,'holder':'*'|names 9, which R does not have",
                "undrain|'idset':'','nodelist':'host9','departed':'host9','overwrite':0,'holder':'*'|"
                        + "names a departed host that is not remembered: host9",
                "online|'idset':'0-9','nodelist':'host[0-9]'|names 4-9, which R does not have",
                "exclude|'idset':'9','nodelist':'host9','kind':'admin'|names 9, which R does not have",
                "include|'idset':'9','nodelist':'host9','kind':'admin'|names 9, which R does not have",
                "restart|'ranks':'0-4','online':'','nodelist':'host[0-4]'|names 4, which R does not have",
                "property-add|'properties':{'a':'4'}|names 4, which R does not have",
                "property-add|'properties':{'a!':'3'}|property name \"a!\" has the illegal character !",
                "property-remove|'properties':{'a':'5'}|names 5, which R does not have",
            })
    void eventsThatContradictTheStateAreNotApplied(String name, String context, String sentence) {
        Entry foreign = Entry.parse(States.tree(
                "{'seq':7,'timestamp':5,'name':'" + name + "','context':{" + context + ",'userid':0,'user':'root'}}"));
        InventoryState state = States.four().state();
        assertThatThrownBy(() -> foreign.applyTo(state))
                .isInstanceOf(InvalidException.class)
                .hasMessage("journal entry 7: /context: " + sentence);
    }

    @Test
    void anEntryMustBeAnObject() {
        assertThatThrownBy(() -> Entry.parse(States.tree("{'a':[]}").path("a")))
                .isInstanceOf(InvalidException.class)
                .hasMessage("journal entry: must be an object");
    }

    @Test
    void principalsAreFormattedForPeople() {
        assertThat(Principal.DAEMON).hasToString("muster");
        assertThat(new Principal(0, "root", 1)).hasToString("root(0)");
        assertThat(new Principal(-2, "nobody", 0)).hasToString("nobody(4294967294)");
        assertThat(new Principal(0, "root", 1, 1001).author()).isEqualTo("root (login uid 1001)");
        assertThat(new Principal(0, "root", 1, -2).author()).isEqualTo("root (login uid 4294967294)");
        assertThat(new Principal(1001, "alice", 1, 1001).author()).isEqualTo("alice");
    }

    @Test
    void theSpeakerIsKeptAndShown() {
        String line =
                "{'timestamp':1,'name':'drain','context':{'idset':'1','nodelist':'n1','overwrite':0,'holder':'admin',"
                        + "'userid':1001,'user':'alice','speaker':{'userid':500,'user':'flux','pid':7,'loginuid':3%s,'k':1}}}";
        for (boolean squashed : new boolean[] {false, true}) {
            ObjectNode json = States.tree(line.replace("%s", squashed ? ",'squashed':true" : ""));
            Entry entry = Entry.parse(json.deepCopy().put("seq", 3));
            assertThat(entry.toJson()).isEqualTo(json);
            assertThat(entry.by().author()).isEqualTo("alice through flux (login uid 3)");
            assertThat(entry.by()).hasToString("alice(1001) through flux(500)");
            assertThat(entry.by().person().uid()).isEqualTo(squashed ? 500 : 1001);
            assertThat(EventText.of(entry.toJson(), Times::second))
                    .isEqualTo("drain n1 (rank 1) holder=admin by alice through flux (login uid 3)");
            assertThat(PastEvent.of(entry.toJson(), ALL)).isEqualTo(PastEvent.of(entry));
        }
    }

    @Test
    void anAuthorWithoutAUidIsKeptAndShownByName() {
        String line =
                "{'timestamp':1,'name':'drain','context':{'idset':'1','nodelist':'n1','overwrite':0,'holder':'admin',"
                        + "'userid':-1,'user':'login1.example.org/alice','speaker':{'userid':-1,"
                        + "'user':'cert:login1.example.org'}},'seq':3}";
        Entry entry = Entry.parse(States.tree(line));
        Principal relay = Principal.ofName("cert:login1.example.org");
        assertThat(entry.by())
                .isEqualTo(Principal.ofName("login1.example.org/alice").through(relay, false))
                .hasToString("login1.example.org/alice through cert:login1.example.org");
        assertThat(Entry.parse(entry.toJson().put("seq", 3))).isEqualTo(entry);
        assertThat(EventText.of(entry.toJson(), Times::second))
                .isEqualTo(
                        "drain n1 (rank 1) holder=admin by login1.example.org/alice through cert:login1.example.org");
        assertThat(PastEvent.of(entry.toJson(), ALL)).isEqualTo(PastEvent.of(entry));
    }

    @Test
    void personsWithoutAUidAreTheSameIfTheirNamesAre() {
        Principal ops = Principal.ofName("cert:ops");
        assertThat(ops.isSamePerson(Principal.ofName("cert:ops"))).isTrue();
        assertThat(ops.isSamePerson(Principal.ofName("token:ops"))).isFalse();
        assertThat(ops.isSamePerson(Principal.DAEMON)).isFalse();
        assertThat(ops.isSamePerson(new Principal(1001, "cert:ops", 0))).isFalse();
        assertThat(Principal.ofName("h/root").through(ops, true).isSamePerson(ops))
                .isTrue();
        assertThat(Principal.ofName("h/root").through(ops, false).isSamePerson(ops))
                .isFalse();
    }

    @Test
    void theLoginUidIsKeptAndShown() {
        String line =
                "{'timestamp':1,'name':'drain','context':{'idset':'1','nodelist':'n1','overwrite':0,'holder':'admin',"
                        + "'userid':0,'user':'root','pid':7,'loginuid':4294967294},'seq':3}";
        Entry entry = Entry.parse(States.tree(line));
        assertThat(entry.by()).isEqualTo(new Principal(0, "root", 7, -2));
        assertThat(entry.toJson().path("context").path("loginuid").asLong()).isEqualTo(4294967294L);
        assertThat(EventText.of(entry.toJson(), Times::second))
                .isEqualTo("drain n1 (rank 1) holder=admin by root (login uid 4294967294)");
        PastEvent past = PastEvent.of(entry);
        assertThat(past.who()).isEqualTo("root (login uid 4294967294)");
        assertThat(PastEvent.of(entry.toJson(), ALL)).isEqualTo(past);
    }
}
