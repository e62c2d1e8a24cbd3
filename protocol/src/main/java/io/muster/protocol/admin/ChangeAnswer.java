package io.muster.protocol.admin;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Places;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.DefinitionChanges;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.Event;
import io.muster.inventory.state.HoldChanges;
import io.muster.inventory.state.NoteChanges;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The response to a change: {@code {changed, hosts?, seq?, ended?: [{holder, idset, nodelist}], vertices?, paths?,
 * departed-vertices?, unchanged?, available?, still-out?, claims-ended?, repeated?}}, of which {@code vertices} and the two after it are as in the event of a change of
 * notes. Responses of flux-core have no payload.
 *
 * @param changed whether the state changed
 * @param hosts hostlist of the hosts that changed; null if the change does not concern single hosts, or was answered before
 * @param seq sequence number of the last entry of the change; 0 if nothing was written
 * @param ended other holds that the change ended
 * @param places the vertices whose notes changed; empty if the change does not concern notes, or was answered before
 * @param rest what became of the targets
 */
public record ChangeAnswer(
        boolean changed, @Nullable String hosts, long seq, List<Ended> ended, Places places, Rest rest) {
    /**
     * What became of the targets of a change.
     *
     * @param unchanged hostlist of the targets that were so already; "" if there are none, or this is not known
     * @param available hostlist of the targets that schedulers may use again; "" if there are none, or this is not known
     * @param stillOut why targets are still out, one sentence for hosts that are alike
     * @param claimsEnded who has claimed work that the change cancels, one sentence for hosts that are alike
     * @param repeated whether an earlier request with the same id made the change, and its answer is forgotten
     */
    public record Rest(
            String unchanged, String available, List<String> stillOut, List<String> claimsEnded, boolean repeated) {
        private static final Rest NONE = new Rest("", "", List.of(), List.of(), false);

        public Rest {
            stillOut = List.copyOf(stillOut);
            claimsEnded = List.copyOf(claimsEnded);
        }

        public void writeTo(ObjectNode json) {
            if (!unchanged.isEmpty()) {
                json.put("unchanged", unchanged);
            }
            if (!available.isEmpty()) {
                json.put("available", available);
            }
            if (!stillOut.isEmpty()) {
                stillOut.forEach(json.putArray("still-out")::add);
            }
            if (!claimsEnded.isEmpty()) {
                claimsEnded.forEach(json.putArray("claims-ended")::add);
            }
            if (repeated) {
                json.put("repeated", true);
            }
        }
    }

    public ChangeAnswer(boolean changed, @Nullable String hosts, long seq, List<Ended> ended) {
        this(changed, hosts, seq, ended, Places.NONE, Rest.NONE);
    }

    public record Ended(String holder, String idset, String nodelist) {}

    /**
     * Returns the answer to a change that led to these entries.
     *
     * @param resources R after the change
     */
    public static ChangeAnswer of(List<Entry> entries, ResourceSet resources) {
        List<Ended> ended = new ArrayList<>();
        for (Entry entry : entries) {
            if (entries.size() > 1 && entry.event() instanceof HoldChanges.Undrained end) {
                ended.add(new Ended(
                        end.holder(),
                        end.targets().ranks().toString(),
                        end.targets().nodelist()));
            }
        }
        long seq = entries.isEmpty() ? 0 : entries.get(entries.size() - 1).seq();
        Places places = !entries.isEmpty() && entries.get(0).event() instanceof NoteChanges.Annotated noted
                ? noted.places()
                : Places.NONE;
        return new ChangeAnswer(!entries.isEmpty(), hosts(entries, resources), seq, ended, places, Rest.NONE);
    }

    /** Returns the answer to a change that was sent again, if its first answer is forgotten. Only the journal contains the hosts that changed the first time. */
    public static ChangeAnswer ofRepeated(long seq) {
        return new ChangeAnswer(true, null, seq, List.of(), Places.NONE, new Rest("", "", List.of(), List.of(), true));
    }

    /** Returns the answer with what became of the other targets. */
    public ChangeAnswer about(Hostlist targets, String available, List<String> stillOut, List<String> claimsEnded) {
        String all = targets.toString();
        String unchanged = "";
        if (!all.equals(hosts)) {
            Set<String> others = new LinkedHashSet<>(targets.expand());
            if (hosts != null) {
                Hostlist.parse(hosts).expand().forEach(others::remove);
            }
            unchanged = Hostlist.of(List.copyOf(others)).toString();
        }
        Rest rest = new Rest(unchanged, available, stillOut, claimsEnded, false);
        return new ChangeAnswer(changed, hosts, seq, ended, places, rest);
    }

    private static @Nullable String hosts(List<Entry> entries, ResourceSet resources) {
        if (entries.size() == 1 && entries.get(0).event() instanceof Event.Targeted only) {
            return only.targets().nodelist();
        }
        Idset ranks = Idset.EMPTY;
        Hostlist departed = Hostlist.EMPTY;
        for (Entry entry : entries) {
            if (entry.event() instanceof Event.Targeted event) {
                ranks = ranks.union(event.targets().ranks());
                departed = departed.append(event.targets().departed());
            } else if (entry.event() instanceof DefinitionChanges.PropertiesChanged event) {
                for (Idset changed : event.properties().values()) {
                    ranks = ranks.union(changed);
                }
            } else {
                return null;
            }
        }
        return resources.hostsOf(ranks).append(departed).toString();
    }

    public ObjectNode toJson() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("changed", changed);
        if (hosts != null) {
            json.put("hosts", hosts);
        }
        if (seq != 0) {
            json.put("seq", seq);
        }
        if (!ended.isEmpty()) {
            ArrayNode array = json.putArray("ended");
            ended.forEach(hold -> array.addObject()
                    .put("holder", hold.holder)
                    .put("idset", hold.idset)
                    .put("nodelist", hold.nodelist));
        }
        rest.writeTo(json);
        return json.setAll(places.toJson());
    }
}
