package io.muster.inventory.rset;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.hostlist.MatchConsumer;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.idset.SortedTree;
import io.muster.inventory.json.Pieces;
import io.muster.inventory.json.PortableJson;
import io.muster.inventory.json.RawJson;
import io.muster.inventory.json.StrictJson;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.problem.Problems;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A set of resources (RFC 20, R version 1): ranks, the host and the resources of each rank, and properties. All other parts of
 * R are kept and written again. Unless a method says otherwise, its cost depends on the number of groups of similar ranks and
 * of ranges of ids, not of ranks.
 */
public final class ResourceSet {
    /** The first character of a property that describes the instance and not the hardware (RFC 20). */
    public static final String INSTANCE_LOCAL = "+";

    public static final ResourceSet EMPTY =
            new ResourceSet(RankContents.EMPTY, RankHosts.EMPTY, PropertyMap.EMPTY, Envelope.EMPTY);

    static final String SCHEDULING = "scheduling";

    private final RankContents layout;
    private final RankHosts placement;
    private final PropertyMap properties;
    private final Envelope envelope;
    /** The text that was read last, because a change reads the same targets several times. Any thread may replace it. */
    private @Nullable Targets lastTargets;

    ResourceSet(RankContents layout, RankHosts placement, PropertyMap properties, Envelope envelope) {
        this.layout = layout;
        this.placement = placement;
        this.properties = properties;
        this.envelope = envelope;
    }

    /**
     * Reads R.
     *
     * @throws InvalidException with every problem that was found
     */
    public static ResourceSet parse(JsonNode r) {
        return ResourceSetReader.require(problems -> parse(r, problems));
    }

    public static ResourceSet parse(String json) {
        return ResourceSetReader.require(
                problems -> ResourceSetReader.read(StrictJson.read(json, SCHEDULING, problems), problems));
    }

    public static ResourceSet parse(byte[] utf8) {
        return ResourceSetReader.require(problems -> parse(utf8, problems));
    }

    /** Reads R and adds errors and warnings to {@code problems}. Returns null if there are errors. */
    public static @Nullable ResourceSet parse(JsonNode r, Problems problems) {
        PortableJson.check(r, "", problems::add);
        return problems.isEmpty() ? ResourceSetReader.read(r.deepCopy(), problems) : null;
    }

    /** Reads R and adds errors and warnings to {@code problems}. Returns null if there are errors. */
    public static @Nullable ResourceSet parse(byte[] utf8, Problems problems) {
        return ResourceSetReader.read(StrictJson.read(utf8, SCHEDULING, problems), problems);
    }

    /**
     * Returns a set of ranks with equal resources; {@code hosts} are the hosts of {@code ranks} in ascending order.
     *
     * @throws IllegalArgumentException if there are not as many hosts as ranks
     * @throws TargetException if a property is on a rank that is not in {@code ranks}
     */
    public static ResourceSet of(Hostlist hosts, Idset ranks, Idset cores, Idset gpus, Map<String, Idset> properties) {
        properties.keySet().forEach(PropertyMap::requireLegal);
        Contents contents = Contents.of(Map.of(Contents.CORE, cores, Contents.GPU, gpus), Map.of());
        RankHosts placement = new RankHosts(ranks, hosts);
        properties.values().forEach(placement::requireMembers);
        RankContents layout = new RankContents.Builder().add(ranks, contents).build();
        return new ResourceSet(layout, placement, PropertyMap.of(properties), Envelope.EMPTY);
    }

    /**
     * Returns the set that {@code [[resource.config]]} describes; null if {@code problems} has errors. Ranks are in the order in which
     * hosts are first named, and each entry adds to the resources that earlier entries gave its hosts.
     */
    public static @Nullable ResourceSet fromConfig(List<ConfigEntry> entries, Problems problems) {
        return new ConfigReader(problems).read(entries);
    }

    public Idset ranks() {
        return placement.ranks();
    }

    /** Returns the host of each rank, by ascending rank. */
    public Hostlist hosts() {
        return placement.hosts();
    }

    /**
     * Returns the host of a rank.
     *
     * @throws TargetException if there is no such rank
     */
    public String hostOf(int rank) {
        return placement.hostOf(rank);
    }

    /** Returns the ranks of a host: none if the set does not have the host, more than one if the host has several ranks. */
    public Idset ranksOf(String host) {
        return placement.ranksOf(host);
    }

    /**
     * Visits every rank whose host both sets have, with the host's rank in the other set. If a host has several ranks, its nth
     * rank here is paired with its nth rank there. Ranks are visited in runs and in no particular order.
     */
    public void forEachPair(ResourceSet that, MatchConsumer c) {
        placement.forEachPair(that.placement, c);
    }

    /**
     * Returns the ranks of {@code hosts}.
     *
     * @throws TargetException naming the hosts that the set does not have
     */
    public Idset ranksOf(Hostlist hosts) {
        return placement.ranksOf(hosts);
    }

    /** Returns the ranks of those hosts in {@code some} that the set has. */
    public Idset ranksOfKnown(Hostlist some) {
        return placement.ranksOfKnown(some);
    }

    /**
     * Returns the hosts of {@code ranks}.
     *
     * @throws TargetException naming the ranks that the set does not have
     */
    public Hostlist hostsOf(Idset ranks) {
        return placement.hostsOf(ranks);
    }

    /**
     * Returns the ranks that an admin names, as an idset or a hostlist.
     *
     * @throws MalformedException if the text is neither
     * @throws TargetException naming the ranks or hosts that the set does not have
     */
    public Idset targets(String idsetOrHostlist) {
        Targets last = lastTargets;
        if (last == null || !last.text.equals(idsetOrHostlist)) {
            last = new Targets(idsetOrHostlist, placement.targets(idsetOrHostlist));
            lastTargets = last;
        }
        return last.ranks;
    }

    private record Targets(String text, Idset ranks) {}

    public SortedTree<String, Idset> properties() {
        return properties.byName();
    }

    /** Returns the groups of ranks with equal resources, by lowest rank. */
    public List<Group> groups() {
        return layout.groups();
    }

    /** Returns the text that {@code flux R decode --short} prints: {@code rank[0-1]/core[0-3],gpu0 rank2/core[0-3]}. */
    public String shortForm() {
        StringJoiner text = new StringJoiner(" ");
        groups().forEach(group -> text.add(group.toString()));
        return text.toString();
    }

    public int nodes() {
        return placement.ranks().size();
    }

    public long cores() {
        return layout.count(Contents.CORE);
    }

    public long gpus() {
        return layout.count(Contents.GPU);
    }

    /** Returns the number of ids of a type that all ranks in {@code among} have together. */
    public long count(String childType, Idset among) {
        return layout.count(childType, among);
    }

    /** Returns the start time in seconds since the epoch; 0 if it is not set. */
    public double starttime() {
        return envelope.startSeconds();
    }

    /** Returns the expiration in seconds since the epoch; 0 if it is not set. */
    public double expiration() {
        return envelope.expirationSeconds();
    }

    /**
     * Returns this set with another expiration.
     *
     * @param seconds seconds since the epoch; 0 for no expiration
     * @throws IllegalArgumentException if negative, not finite, or not after the start time
     */
    public ResourceSet withExpiration(double seconds) {
        return with(envelope.withExpiration(seconds));
    }

    /** Returns the value of {@code scheduling}; null if there is none, or if it is null. */
    public @Nullable RawJson scheduling() {
        RawJson scheduling = envelope.scheduling();
        return scheduling == null || scheduling.outline().isNull() ? null : scheduling;
    }

    public ResourceSet withoutScheduling() {
        return with(envelope.withScheduling(null));
    }

    public ResourceSet withScheduling(JsonNode scheduling) {
        return withScheduling(RawJson.of(scheduling));
    }

    public ResourceSet withScheduling(RawJson scheduling) {
        return with(envelope.withScheduling(scheduling));
    }

    /** Returns why {@code name} cannot be the name of a property (RFC 20), or null. */
    public static @Nullable String propertyNameFault(String name) {
        return PropertyMap.objection(name);
    }

    /**
     * Adds a property to ranks.
     *
     * @throws TargetException naming the ranks that the set does not have
     */
    public ResourceSet withProperty(String name, Idset added) {
        return replaceProperty(name, properties.ranks(name).union(added));
    }

    /**
     * Gives a property to {@code ranks} and to no other rank.
     *
     * @throws TargetException naming the ranks that the set does not have
     */
    public ResourceSet replaceProperty(String name, Idset ranks) {
        PropertyMap.requireLegal(name);
        placement.requireMembers(ranks);
        return with(properties.with(name, ranks));
    }

    /** Returns this set with these properties and no others, and with the expiration of {@code that}. */
    public ResourceSet withUpdates(Map<String, Idset> others, ResourceSet that) {
        others.values().forEach(placement::requireMembers);
        return with(envelope.withExpirationOf(that.envelope)).with(PropertyMap.of(others));
    }

    /** Removes a property from ranks. Ranks that do not have the property or are not in the set are ignored. */
    public ResourceSet withoutProperty(String name, Idset removed) {
        return with(properties.with(name, properties.ranks(name).subtract(removed)));
    }

    /** Returns this set without instance-local properties, for use outside of this instance. */
    public ResourceSet withoutInstanceLocalProperties() {
        return with(properties.without(name -> name.startsWith(INSTANCE_LOCAL)));
    }

    /**
     * Returns this set with only the ranks in {@code kept}. As in flux-core, {@code scheduling} stays unchanged unless no
     * rank remains or TreePool wrote it (RFC 49).
     */
    public ResourceSet keep(Idset kept) {
        return with(layout.keep(kept));
    }

    /** Returns this set without the ranks in {@code removed}, like {@link #keep}. */
    public ResourceSet remove(Idset removed) {
        return with(layout.remove(removed));
    }

    /**
     * Removes ranks as {@link #remove} does, and also removes them from {@code scheduling}, which could otherwise still
     * offer them.
     */
    public Pruned prune(Idset removed) {
        return Pruned.of(this, removed);
    }

    /**
     * Returns the union of two sets that have no resources in common.
     *
     * @throws IllegalArgumentException if they have resources in common, or if a rank has different hosts
     */
    public ResourceSet append(ResourceSet that) {
        layout.requireDisjoint(that.layout);
        return union(that);
    }

    /**
     * Returns the resources that either set has, with the properties of both.
     *
     * @throws IllegalArgumentException if a rank has different hosts
     */
    public ResourceSet union(ResourceSet that) {
        placement.requireSameHosts(that.placement);
        return new ResourceSet(
                layout.union(that.layout, Contents::union),
                placement.union(that.placement),
                properties.union(that.properties),
                envelope.combined(TreePool.joined(this, that)));
    }

    /**
     * Returns the resources that both sets have, id by id, with the properties of both. A rank of which the sets share no
     * resources is left out.
     *
     * @throws IllegalArgumentException if a rank has different hosts
     */
    public ResourceSet intersect(ResourceSet that) {
        placement.requireSameHosts(that.placement);
        RankContents shared = layout.intersect(that.layout);
        return combined(shared, properties.union(that.properties));
    }

    /**
     * Returns the resources that this set has and the other does not, id by id. A rank that has none left is left out. Hosts
     * are not compared.
     */
    public ResourceSet diff(ResourceSet that) {
        return combined(layout.subtract(that.layout), properties);
    }

    /**
     * Returns this set with ranks numbered from 0 in the same order and, within each rank, all ids numbered from 0, except
     * those of GPUs.
     */
    public ResourceSet remap() {
        RankContents renumbered = layout.mapRanks(placement::positionsOf).mapContents(Contents::renumber);
        return new ResourceSet(
                renumbered,
                placement.withRanks(renumbered.ranks()),
                properties.map(placement::positionsOf),
                envelope.mapRanks(ranks(), placement::positionsOf));
    }

    /**
     * Returns this set with new ranks: the i-th host of {@code order} has rank i. The cost depends on the number of ranks.
     *
     * @throws IllegalArgumentException unless {@code order} names each host of the set once
     */
    public ResourceSet rerank(Hostlist order) {
        UnaryOperator<Idset> renaming = placement.reranking(order);
        return new ResourceSet(
                layout.mapRanks(renaming),
                new RankHosts(renaming.apply(ranks()), order),
                properties.map(renaming),
                envelope.mapRanks(ranks(), renaming));
    }

    /**
     * Returns how {@code actual} differs from this set, which has the expected resources. Ranks that are not in {@code
     * actual} are not compared.
     */
    public List<Difference> verify(ResourceSet actual) {
        return new Verification(this, actual).differences();
    }

    /** Returns R in canonical form as a tree that belongs to the caller. */
    public ObjectNode toJson() {
        return ResourceSetWriter.copy(tree());
    }

    /** Returns R in canonical form as a tree that shares parts with the set, with a {@link RawJson}, and must not be changed. */
    public JsonNode toSharedJson() {
        return tree();
    }

    /** Returns R in canonical form as UTF-8. */
    public byte[] toBytes() {
        return toPieces().toByteArray();
    }

    /** Returns {@link #toBytes} in pieces, which share the bytes of {@code scheduling} with this set. */
    public Pieces toPieces() {
        return StrictJson.text(tree());
    }

    RankContents layout() {
        return layout;
    }

    RankHosts placement() {
        return placement;
    }

    private ObjectNode tree() {
        return ResourceSetWriter.tree(layout, placement, properties, envelope);
    }

    private ResourceSet combined(RankContents result, PropertyMap candidates) {
        Idset left = result.ranks();
        Envelope rest = envelope.keep(ranks(), left);
        return new ResourceSet(result, placement.keep(left), candidates.keep(left), rest.combined(rest.scheduling()));
    }

    private ResourceSet with(RankContents fewer) {
        if (fewer.equals(layout)) {
            return this;
        }
        Idset remaining = fewer.ranks();
        Envelope rest = envelope.keep(ranks(), remaining);
        return new ResourceSet(fewer, placement.keep(remaining), properties.keep(remaining), rest.withoutSlots());
    }

    @SuppressWarnings(
            "ReferenceEquality") // an unchanged map is the same object, and a comparison would visit all properties
    private ResourceSet with(PropertyMap others) {
        return others == properties ? this : new ResourceSet(layout, placement, others, envelope);
    }

    private ResourceSet with(Envelope other) {
        return new ResourceSet(layout, placement, properties, other);
    }

    @Override
    public boolean equals(@Nullable Object o) {
        return o instanceof ResourceSet that
                && layout.equals(that.layout)
                && placement.equals(that.placement)
                && properties.equals(that.properties)
                && envelope.equals(that.envelope);
    }

    @Override
    public int hashCode() {
        return 31 * layout.hashCode() + placement.hashCode();
    }

    /** Returns R in canonical form without blanks. */
    @Override
    public String toString() {
        return tree().toString();
    }
}
