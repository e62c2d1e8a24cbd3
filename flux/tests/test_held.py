import json
import random
import unittest

import paths  # noqa: F401
import muster_bridge as bridge

FOUR = {rank: (f"node{rank}", '{"core": "0-3"}') for rank in range(4)}


class Scheduler:
    """A model of a scheduler that applies the responses according to RFC 28, and fails where deployed schedulers would fail."""

    def __init__(self, nodes, up):
        self.ranks, self.up, self.expiration, self.properties = set(nodes), set(up), 0.0, {}
        assert self.up <= self.ranks

    def take(self, update):
        assert update, "an update without content runs a scheduling pass"
        up, down, shrink = (bridge.decode(update.get(key, "")) for key in ("up", "down", "shrink"))
        assert all(update[key] for key in ("up", "down", "shrink") if key in update), "an empty idset"
        assert up | down | shrink <= self.ranks, f"unknown ranks in {update}"
        assert not up & down, f"up and down overlap in {update}"
        assert shrink <= down, f"shrink without down in {update}"
        self.ranks -= shrink
        assert self.ranks, "the last rank was removed"
        self.up = (self.up | up) - down
        self.expiration = update.get("expiration", self.expiration)
        for name, text in update.get("property-add", {}).items():
            assert bridge.decode(text) <= self.ranks
            self.properties[name] = self.properties.get(name, set()) | bridge.decode(text)
        for name, text in update.get("property-remove", {}).items():
            self.properties[name] -= bridge.decode(text)


class Table(unittest.TestCase):
    """The transcripts of the daemon's AcquireStreamsTest and of ToldTest, and cases that only the bridge has."""

    def setUp(self):
        self.said, self.local, self.held = bridge.Said(), bridge.Local(), bridge.Held()
        self.local.online = set(range(4))

    def first(self, up="0-3", nodes=FOUR):
        self.said.first(dict(nodes), bridge.decode(up), {}, 0.0)
        return bridge.encode(self.held.first(self.said, self.local.up(self.said)))

    def update(self, **change):
        self.said.update(change, bridge.decode)
        return self.next()

    def next(self):
        return self.held.next(self.said, self.local.up(self.said))

    def reclaim(self, up="0-3", nodes=FOUR):
        self.said.first(dict(nodes), bridge.decode(up), {}, 0.0)
        return self.next()

    def away(self):
        self.said.fresh = False
        return self.next()

    def test_the_first_response_names_what_is_up(self):
        self.assertEqual("0-3", self.first())

    def test_with_nothing_up_the_first_response_says_so(self):
        self.assertEqual("", self.first(up=""))

    def test_transitions_are_told_and_nothing_else(self):
        self.first()
        self.assertEqual({"down": "1"}, self.update(down="1"))
        self.assertIsNone(self.update(down="1"))
        self.assertEqual({"down": "2"}, self.update(down="2"))
        self.assertEqual({"up": "1-2"}, self.update(up="1-2"))

    def test_shrink_comes_with_down_and_the_rank_never_returns(self):
        self.first()
        self.assertEqual({"down": "2", "shrink": "2"}, self.update(down="2", shrink="2"))
        self.assertIsNone(self.update(up="2"))

    def test_a_rank_that_was_down_is_shrunk_with_down(self):
        self.first(up="0-1")
        self.assertEqual({"down": "3", "shrink": "3"}, self.update(shrink="3"))

    def test_the_last_rank_is_only_told_as_down(self):
        self.first()
        self.assertEqual({"down": "0-3", "shrink": "1-3"}, self.update(down="0-3", shrink="0-3"))

    def test_expiration_and_properties_are_passed_on_once(self):
        self.first()
        self.assertEqual({"expiration": 9.0}, self.update(expiration=9.0))
        self.assertEqual({"property-add": {"gpu": "1-2"}}, self.update(**{"property-add": {"gpu": "1-2"}}))
        self.assertIsNone(self.update(**{"property-add": {"gpu": "1"}}))
        self.assertEqual({"property-remove": {"gpu": "1"}}, self.update(**{"property-remove": {"gpu": "1"}}))

    def test_nothing_is_told_when_muster_goes_away_and_comes_back_as_it_was(self):
        self.first(up="0-2")
        self.local.reported, self.local.blocked = set(range(4)), {3}
        self.assertIsNone(self.away())
        self.assertIsNone(self.reclaim(up="0-2"))

    def test_after_a_return_one_difference_is_told(self):
        self.first(up="0-2")
        self.local.reported = set(range(4))
        self.away()
        self.assertEqual({"up": "3", "down": "0-1"}, self.reclaim(up="2-3"))

    def test_a_broker_that_leaves_while_muster_is_away_is_down_at_once_and_up_when_it_returns(self):
        self.first()
        self.local.reported = set(range(4))
        self.away()
        self.local.online = {0, 1, 2}
        self.assertEqual({"down": "3"}, self.next())
        self.local.online = set(range(4))
        self.assertEqual({"up": "3"}, self.next())

    def test_a_broker_that_muster_knew_as_offline_comes_up_while_muster_is_away_unless_it_is_drained(self):
        self.local.online = self.local.reported = {0, 1}
        self.local.blocked = {3}
        self.first(up="0-1")
        self.away()
        self.local.online = set(range(4))
        self.assertEqual({"up": "2"}, self.next())

    def test_a_rank_that_muster_took_down_although_it_was_online_stays_down_while_muster_is_away(self):
        self.first()
        self.local.reported = set(range(4))
        self.assertEqual({"down": "1"}, self.update(down="1"))
        self.assertIsNone(self.away())

    def test_a_drain_while_muster_is_away_is_down_at_once_and_stays_so_through_the_return(self):
        self.first()
        self.away()
        self.local.pending["id"] = {"ranks": {2}}
        self.assertEqual({"down": "2"}, self.next())
        self.assertIsNone(self.reclaim(up="0-3"), "Muster has not made it yet")
        self.assertIsNone(self.update(down="2"))
        del self.local.pending["id"]
        self.assertIsNone(self.next())
        self.assertEqual({"up": "2"}, self.update(up="2"))

    def test_ranks_that_are_now_another_host_stay_down(self):
        self.first()
        self.away()
        other = {**FOUR, 1: ("new", FOUR[1][1]), 2: (FOUR[2][0], '{"core": "0-7"}')}
        del other[3]
        self.assertEqual({"down": "1-3"}, self.reclaim(up="0-2", nodes=other))
        self.assertEqual({1, 2, 3}, self.held.strange(self.said))
        self.assertIsNone(self.update(down="1", up="2"))
        self.assertEqual({"up": "1-3"}, self.reclaim())

    def test_ranks_that_are_included_again_are_known_although_the_stream_was_opened_without_them(self):
        self.first()
        self.away()
        self.assertEqual(set(), self.held.returned(self.said, FOUR))
        self.assertEqual({"down": "3"}, self.reclaim(up="0-2", nodes={r: FOUR[r] for r in (0, 1, 2)}))
        self.assertEqual(set(), self.held.returned(self.said, {0: FOUR[0]}))
        self.assertEqual({3}, self.held.returned(self.said, FOUR))
        self.assertEqual({"up": "3"}, self.reclaim())

    def test_ranks_that_were_not_offered_are_never_told(self):
        self.first(nodes={r: FOUR[r] for r in (0, 1)}, up="0-1")
        self.assertIsNone(self.update(up="2-3"))
        self.assertIsNone(self.reclaim(up="0-3"))

    def test_a_start_without_muster_uses_what_is_neither_drained_nor_excluded(self):
        self.local.blocked = {1}
        self.said.first(dict(FOUR), set(), {}, 0.0, fresh=False)
        self.assertEqual({0, 2, 3}, self.held.first(self.said, self.local.up(self.said)))


class Model:
    """A daemon and an instance, which random changes and faults affect, and the scheduler of the instance."""

    def __init__(self, chance):
        self.chance, self.n = chance, chance.choice([1, 2, 5, 12])
        self.nodes = {r: (f"n{r}", "c") for r in range(self.n)}
        self.drained, self.excluded, self.lost, self.away = self.some(), set(), set(), False
        self.said, self.local, self.held = bridge.Said(), bridge.Local(), bridge.Held()
        self.local.online, self.local.reported = set(range(self.n)), set(range(self.n))
        self.whole()
        self.scheduler = Scheduler(self.said.nodes, self.held.first(self.said, self.local.up(self.said)))
        self.offered = dict(self.said.nodes)

    def some(self):
        return {r for r in range(self.n) if self.chance.random() < 0.4}

    def up(self):
        return {r for r in self.nodes if r not in self.drained | self.excluded | self.lost and r in self.local.reported}

    def on_offer(self):
        return {r: v for r, v in self.nodes.items() if r not in self.excluded | self.lost}

    def whole(self):
        self.said.first(self.on_offer(), self.up(), {}, 0.0)

    def change(self, step):
        what, ranks, local = self.chance.randrange(9), self.some(), self.local
        if what == 0:
            self.drained = self.drained ^ ranks
        elif what == 1:
            self.excluded = self.excluded ^ ranks
        elif what == 2 and not self.away and self.chance.random() < 0.2:
            self.lost = self.lost | ranks
            self.said.update({"shrink": bridge.encode(ranks & set(self.said.nodes))}, bridge.decode)
        elif what == 3:
            local.online = local.online ^ ranks
        elif what == 4:
            local.torpid = ranks
        elif what == 5 and not self.away:
            self.away, self.said.fresh = True, False
            local.blocked = set(self.drained | self.excluded)
        elif what == 6 and self.away:
            self.away = False
            if self.chance.random() < 0.2:
                self.nodes[self.chance.randrange(self.n)] = (f"n{step}", "c")
        elif what == 7:
            local.pending[step] = {"ranks": ranks}
        elif what == 8:
            local.pending.clear()

    def report(self, before):
        """Sends the scheduler's stream what has changed, if the daemon is there. before: the ranks that were up."""
        if self.away:
            return
        self.local.reported = set(self.local.online)
        if not self.said.fresh:
            return self.whole()
        now, named = self.up(), set(self.said.nodes)
        change = {"up": bridge.encode((now - before) & named), "down": bridge.encode((before - now) & named)}
        self.said.update(change, bridge.decode)
        if self.held.returned(self.said, self.on_offer()):
            self.whole()

    def next(self):
        return self.held.next(self.said, self.local.up(self.said))


class Property(unittest.TestCase):
    """The knowledge of the scheduler equals the state of the daemon after any sequence of changes and faults."""

    def sequence(self, chance):
        model = Model(chance)
        local, scheduler = model.local, model.scheduler
        for step in range(60):
            before = model.up()
            model.change(step)
            model.report(before)
            update = model.next()
            if update is not None:
                scheduler.take(update)
            kept_away = set(local.torpid).union(*(d["ranks"] for d in local.pending.values()))
            self.assertFalse(scheduler.up - (local.online - kept_away), "a rank is up that this instance knows to be down")
            if not model.away:
                same = {r for r, node in model.offered.items() if model.nodes[r] == node}
                want = model.up() & same & local.online - kept_away
                self.assertEqual(want & scheduler.ranks, scheduler.up, f"step {step}")
            else:
                self.assertFalse(scheduler.up & local.blocked - model.said.up, "a drained rank came up while Muster was away")
            self.assertIsNone(model.next(), "what was told is told again")

    def test_random_sequences(self):
        for seed in range(200):
            with self.subTest(seed=seed):
                self.sequence(random.Random(seed))


class Idsets(unittest.TestCase):
    def test_they_are_read_and_written(self):
        for text in ("", "0", "0-3", "0,2-3,9", "4194304"):
            self.assertEqual(text, bridge.encode(bridge.decode(text)))
        self.assertEqual({1, 2, 3}, bridge.decode("[1-3]"))

    def test_what_is_none_is_refused(self):
        for text in ("-1", "a", "1-", "3-1", "0,,1", "1 2", "0-99999999999", "4194305", "²", "[1", "node1"):
            with self.assertRaises(ValueError, msg=text):
                bridge.decode(text)


class Hostlists(unittest.TestCase):
    def test_they_are_read(self):
        for text, names in (
            ("", []),
            ("a", ["a"]),
            ("a,b1,a", ["a", "b1", "a"]),
            ("n[0-2,9]", ["n0", "n1", "n2", "n9"]),
            ("n[08-10]-x,y", ["n08-x", "n09-x", "n10-x", "y"]),
        ):
            self.assertEqual(names, bridge.hosts_of(text))

    def test_what_is_none_is_refused(self):
        for text in ("n[1-0]", "n[a]", "n[0-99999999999]", "n[]", "n[1,]"):
            with self.assertRaises(ValueError, msg=text):
                bridge.hosts_of(text)


class R(unittest.TestCase):
    TEXT = '{"resources":{"version":1,"execution":{"R_lite":[],"nodelist":[]%s}%s},"up":"0-3"}'

    def test_scheduling_is_cut_out_byte_for_byte(self):
        for scheduling in (
            ',"scheduling":{"graph":{"nodes":[{"id":"}},\\"up\\":"}]}}',
            ',"scheduling":{"a":"\\"scheduling\\":"},"attributes":{"system":{}}',
            ',"scheduling":null',
        ):
            text = (self.TEXT % ("", scheduling)).encode()
            o, cut = bridge.cut(text, "up")
            self.assertEqual((scheduling.encode(), json.loads(self.TEXT % ("", ""))), (cut, o))
            o, cut = bridge.cut(bytearray(text), "up")
            self.assertEqual((scheduling.encode(), json.loads(self.TEXT % ("", ""))), (cut, o))

    def test_a_property_with_the_name_scheduling_is_not_mistaken(self):
        text = (self.TEXT % (',"properties":{"gpu":"1","scheduling":"2"}', ',"scheduling":{"x":1}')).encode()
        o, cut = bridge.cut(text, "up")
        self.assertEqual({"gpu": "1", "scheduling": "2"}, o["resources"]["execution"]["properties"])
        self.assertEqual(b',"scheduling":{"x":1}', cut)

    def test_without_scheduling_nothing_is_cut(self):
        self.assertEqual(b"", bridge.cut((self.TEXT % ("", "")).encode(), "up")[1])

    def numbering(self, hosts, brokers, **options):
        return bridge.Numbering({i: (h, "c") for i, h in enumerate(hosts)}, brokers, **options)

    def test_hosts_decide_which_rank_is_which(self):
        n = self.numbering(["c", "a", "x", "b"], ["a", "b", "c", "d"])
        self.assertEqual({0: 2, 1: 0, 3: 1, 2: 4}, n.to)
        self.assertEqual((["x"], ["d"], False), (n.foreign, n.unknown, n.same))
        self.assertEqual("0,2", n.text("0-1"))

    def test_where_names_are_not_unique_the_same_rank_is_the_same_host(self):
        n = self.numbering(["vm", "vm", "other"], ["vm", "vm", "vm"])
        self.assertEqual({0: 0, 1: 1, 2: 3}, n.to)
        self.assertEqual(["vm"], n.unknown)

    def test_an_R_of_another_cluster_is_refused(self):
        with self.assertRaisesRegex(ValueError, "none of the 2 hosts of Muster's R is a host of one of the 1 brokers"):
            self.numbering(["a", "b"], ["vm"])

    def test_ranks_are_selected_and_renumbered(self):
        text = {
            "version": 1,
            "execution": {
                "R_lite": [{"rank": "0-1", "children": {"core": "0-3"}}, {"rank": "2", "children": {"core": "0-7"}}],
                "nodelist": ["a,b,c"],
                "expiration": 0.0,
                "properties": {"big": "2", "old": "0"},
            },
            "scheduling": {},
        }
        selected = bridge.select(text, {2: 0, 1: 5})
        self.assertNotIn("scheduling", selected)
        self.assertEqual({0: ("c", '{"core": "0-7"}'), 5: ("b", '{"core": "0-3"}')}, bridge.expand(selected))
        self.assertEqual({"big": "0"}, selected["execution"]["properties"])
        self.assertEqual({}, bridge.expand(bridge.select(text, {})))


if __name__ == "__main__":
    unittest.main()
