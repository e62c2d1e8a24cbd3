import errno
import json
import random

import paths  # noqa: F401
import muster_bridge as bridge
from test_bridge import BridgeTest

HOSTS = ["n0", "n1", "n2", "n3"]


class Fluxion:
    """Answers find, set_property, remove_property and set_status as Fluxion 0.54 does."""

    def __init__(self, test):
        self.hosts, self.has, self.asked, self.nudges = list(HOSTS), {}, [], 0
        self.refuses = None  # an answer in place of the right one
        for name, ranks in bridge.properties_of(test.R).items() if hasattr(test, "R") else ():
            self.has[name] = {HOSTS[rank] for rank in ranks}

    def find(self, topic, payload):
        self.asked.append("find")
        if self.refuses is not None:
            return self.refuses
        places = {host: HOSTS.index(host) for host in self.hosts}
        tags = {name: bridge.encode(places[host] for host in hosts & places.keys()) for name, hosts in self.has.items()}
        R_lite = [{"rank": bridge.encode(places.values()), "children": {"core": "0-1"}}]
        execution = {"R_lite": R_lite, "nodelist": [",".join(self.hosts)], "properties": {k: v for k, v in tags.items() if v}}
        return {"R": {"version": 1, "execution": execution}}

    def change(self, name, payload):
        self.asked.append((name, payload))
        if self.refuses is not None:
            return self.refuses
        for path in payload["sp_resource_path" if name == "set_property" else "resource_path"]:
            host = path.removeprefix("/cluster0/")
            if host not in self.hosts:
                return OSError(errno.ENOENT, f"Couldn't find '{path}' in resource graph")
            if name == "set_property":
                self.has.setdefault(payload["sp_keyval"], set()).add(host)
            else:
                for key in (payload["key"], payload["key"] + "=1"):
                    self.has.get(key, set()).discard(host)
        return "{}"

    def status(self, payload):
        self.nudges += payload == {"resource_path": "/cluster0", "status": "up"}
        return "" if payload else OSError(errno.EINVAL, "malformed RPC")

    def properties(self):
        found = {}
        for name, hosts in self.has.items():
            found[name.removesuffix("=1")] = found.get(name.removesuffix("=1"), set()) | hosts
        return {name: hosts for name, hosts in found.items() if hosts}


class LiveTest(BridgeTest):
    def load(self):
        """Loads Fluxion, with the properties of the R that it acquires."""
        if self.bridge.acquisition.held:
            self.h.send("resource.disconnect", sender="sched", noresponse=True)
        self.schedule()
        self.fluxion = fluxion = Fluxion(self)
        self.h.beliefs, self.h.changes, self.h.scheduler = fluxion.find, fluxion.change, fluxion.status
        return fluxion

    def begin(self, live=True):
        self.muster.live = live
        self.muster.properties = {"+a": {"n0", "n1"}, "+b": {"n2"}}
        self.start()
        self.boot()
        self.joined()
        return self.load()

    def report(self):
        reports = [o for topic, o, *_ in self.muster.requests if topic == "resource.usage"]
        return reports[-1].get("properties") if reports else None

    def agree(self):
        want = {name: hosts for name, hosts in self.muster.properties.items() if hosts}
        return self.fluxion.properties() == want


class Live(LiveTest):
    def test_without_a_change_nothing_is_sent(self):
        fluxion = self.begin()
        self.muster.change("drain", {"n1"}, reason="fan")
        self.until(lambda: self.up() == "0,2-3" and self.muster.usage is not None)
        self.assertEqual([], fluxion.asked)
        self.assertIsNone(self.report())

    def test_hosts_move_from_one_queue_to_another(self):
        fluxion = self.begin()
        self.muster.tag("+a", "n1", add=False)
        self.muster.tag("+b", "n1")
        self.until(lambda: self.agree() and fluxion.nudges)
        self.assertEqual("find", fluxion.asked[0])
        self.until(lambda: not self.bridge.properties._busy)
        self.muster.tag("new", "n0", "n3")
        self.until(self.agree)
        self.assertEqual(1, fluxion.asked.count("find"))
        self.assertEqual(("set_property", {"sp_resource_path": ["/cluster0/n0", "/cluster0/n3"], "sp_keyval": "new=1"}), fluxion.asked[-1])

    def test_changes_that_come_together_are_set_first_then_removed_then_followed_by_one_nudge(self):
        fluxion = self.begin(live=False)
        self.muster.tag("+a", "n1", add=False)
        self.muster.tag("+b", "n1")
        self.until(lambda: len(self.bridge.properties._lacks) == 2)
        self.assertEqual([], fluxion.asked)
        self.muster.tell({"properties": "live"})
        self.until(lambda: self.agree() and fluxion.nudges)
        self.assertEqual(["find", "set_property", "remove_property"], [one if one == "find" else one[0] for one in fluxion.asked])
        self.assertEqual(1, fluxion.nudges)

    def test_a_mark_on_the_whole_graph_is_not_lifted(self):
        fluxion = self.begin()
        self.muster.marks = {"/cluster0": "/cluster0"}
        self.muster.mark("n0", "gpu0")
        self.until(lambda: self.bridge.local.marks["down"].get("/cluster0"))
        self.muster.tag("+b", "n1")
        self.until(lambda: self.agree() and not self.bridge.properties._busy)
        self.assertEqual(0, fluxion.nudges)

    def test_properties_that_only_the_scheduler_has_are_left_alone(self):
        fluxion = self.begin()
        fluxion.has["own=7"] = {"n0"}
        self.muster.tag("+b", "n1")
        self.until(lambda: fluxion.nudges)
        self.assertEqual({"n0"}, fluxion.has["own=7"])

    def test_a_change_while_muster_is_away_arrives_with_the_next_connection(self):
        fluxion = self.begin()
        self.away()
        self.muster.properties["+b"] = {"n3"}
        self.back()
        self.until(lambda: self.agree() and fluxion.nudges)

    def test_a_scheduler_that_is_loaded_again_has_the_properties_from_R(self):
        self.begin()
        self.muster.tag("+b", "n1")
        self.until(self.agree)
        fluxion = self.load()
        self.muster.change("drain", {"n1"}, reason="fan")
        self.until(lambda: self.up() == "0,2-3")
        self.assertEqual([], fluxion.asked)
        self.assertTrue(self.agree())

    def test_R_in_the_KVS_has_the_properties(self):
        self.begin()
        self.muster.tag("+b", "n1")
        self.until(lambda: json.loads(self.kvs["resource.R"])["execution"]["properties"] == {"+a": "0-1", "+b": "1-2"})

    def test_whatever_happens_the_scheduler_has_the_properties_of_muster_in_the_end(self):
        chance, running = random.Random(35), True
        self.begin()
        for _ in range(150):
            what = chance.randrange(6)
            if what == 0 and running:
                self.away()
                running = False
            elif what == 1 and not running:
                self.start()
                running = True
            elif what == 2 and running and not chance.randrange(3):
                self.load()
            elif running:
                hosts = chance.sample(HOSTS, chance.randrange(1, 4))
                self.muster.tag(chance.choice(["+a", "+b", "c"]), *hosts, add=bool(chance.randrange(2)))
            for _ in range(chance.randrange(4)):
                self.h.turn()
        if not running:
            self.start()
        self.joined()
        self.until(self.agree)


class Waits(LiveTest):
    """Changes that the scheduler has only after it is loaded again, and Muster hears why."""

    def waits(self, why, **waiting):
        self.until(lambda: (self.report() or {}).get("waiting") == waiting)
        self.assertIn(why, self.report()["why"])

    def test_without_the_key_in_the_configuration(self):
        fluxion = self.begin(live=False)
        self.muster.tag("new", "n1")
        self.waits('[flux] of the configuration is not "live"', new="1")
        self.muster.tag("new", "n1", add=False)
        self.until(lambda: self.report() is None)
        self.assertEqual([], fluxion.asked)

    def test_with_a_graph_in_R(self):
        self.muster.scheduling = json.dumps({"graph": {}})
        fluxion = self.begin()
        self.muster.tag("new", "n1")
        self.waits("R has a graph", new="1")
        self.assertEqual([], fluxion.asked)

    def test_with_another_scheduler(self):
        self.begin()
        self.h.beliefs = lambda topic, payload: OSError(errno.ENOSYS, "no such service")
        self.muster.tag("new", "n1")
        self.waits("takes no properties", new="1")
        self.assertEqual([], self.logs("propert"))

    def test_with_a_Fluxion_that_finds_but_sets_no_properties(self):
        self.begin()
        self.h.changes = lambda name, payload: None
        self.muster.tag("new", "n1")
        self.waits("takes no properties", new="1")
        self.assertEqual([], self.logs("propert"))

    def test_a_name_with_an_equals_sign(self):
        self.begin()
        self.muster.tag("new=2", "n1")
        self.waits("a name has a =", **{"new=2": "1"})

    def test_paths_that_the_scheduler_does_not_know_are_not_sent(self):
        fluxion = self.begin()
        fluxion.hosts.remove("n1")
        self.muster.tag("new", "n1", "n3")
        self.waits("has no paths for these hosts", **{"new": "1", "+a": "1"})
        self.assertEqual(["/cluster0/n3"], fluxion.asked[1][1]["sp_resource_path"])

    def test_a_refusal_is_logged_once_and_tried_a_few_times_after_a_look(self):
        fluxion = self.begin()
        fluxion.refuses = OSError(errno.ENOMEM, "no memory")
        self.muster.tag("new", "n1")
        for tries in (*range(1, bridge.MOST_TRIES + 1), bridge.MOST_TRIES):
            self.until(lambda: self.bridge.properties._tries == tries)
            self.bridge.properties.tick(self.bridge.properties._retry)
            self.h.turn()
        self.waits("the scheduler answers: no memory", new="1")
        self.assertEqual(["find"] * bridge.MOST_TRIES, fluxion.asked)
        self.assertEqual(1, len(self.logs("no memory")))
        fluxion.refuses = None
        self.muster.tag("new", "n2")
        self.until(self.agree)
        self.until(lambda: self.report() is None)

    def test_a_refusal_in_the_middle_is_followed_by_a_look(self):
        fluxion = self.begin()
        self.muster.tag("new", "n1")
        self.until(self.agree)
        fluxion.hosts.remove("n2")  # after the look
        self.muster.tag("new", "n0", "n2", "n3")
        self.until(lambda: self.bridge.properties._tries == 1)
        self.bridge.properties.tick(self.bridge.properties._retry)
        self.until(lambda: fluxion.has["new=1"] == {"n0", "n1", "n3"})
        self.waits("has no paths", **{"new": "2", "+b": "2"})
        self.assertEqual(2, fluxion.asked.count("find"))

    def test_nonsense_is_logged_once_and_has_no_effect_on_the_stream(self):
        fluxion = self.begin()
        for nonsense in ("", "[]", "{}", '{"R":1}', '{"R":{"execution":{"R_lite":[{"rank":"x"}]}}}', ValueError("no text")):
            fluxion.refuses = nonsense
            self.muster.tag("new", "n1", add=not self.muster.properties.get("new"))
            self.until(lambda: self.bridge.properties._tries == 1 or not self.bridge.properties._lacks)
        self.muster.change("drain", {"n1"}, reason="fan")
        self.until(lambda: self.up() == "0,2-3")
        for line in self.logs("properties: the scheduler answers"):
            self.assertEqual(1, len(self.logs(line)))

    def test_a_scheduler_that_never_answers_holds_up_nothing(self):
        self.begin()
        self.h.beliefs = lambda topic, payload: None
        self.muster.tag("new", "n1")
        self.until(lambda: self.bridge.properties._busy)
        self.muster.tag("new", "n2")
        self.muster.change("drain", {"n1"}, reason="fan")
        self.until(lambda: self.up() == "0,2-3")
        for more in (600, 601):
            self.bridge.properties.tick(self.bridge.properties._since + more)
        self.assertEqual(1, len(self.logs("has not answered a request about properties for 600 s")))
        self.load()
        self.muster.tag("new", "n3")
        self.until(self.agree)

    def test_an_answer_to_the_scheduler_before_does_not_count(self):
        self.begin()
        self.h.delayed = []
        self.muster.tag("new", "n1")
        self.until(lambda: self.h.delayed)
        late, self.h.delayed = self.h.delayed, None
        self.load()
        for future in late:
            future.callback(future)
        self.assertIsNone(self.bridge.properties._known)
        self.muster.tag("new", "n3")
        self.until(self.agree)


def jobspec(constraints=None, nodes=None):
    slot = [{"type": "slot", "count": 1, "label": "t", "with": [{"type": "core", "count": 1}]}]
    resources = slot if nodes is None else [{"type": "node", "count": nodes, "with": slot}]
    return {"version": 1, "resources": resources, "attributes": {"system": {"constraints": constraints or {}}}}


class Jobs(LiveTest):
    def ends(self, *jobs, **removed):
        """Returns how many of the waiting jobs would end, according to the bridge."""
        if not self.bridge:
            self.begin()
        self.h.jobs = list(jobs) if jobs != (None,) else None
        self.muster.question += 1
        number = self.muster.question
        removed = {name.replace("_", "+"): ranks for name, ranks in removed.items()}
        self.muster.tell({"jobs": number, "property-remove": removed})
        answers = []
        self.until(lambda: answers.extend(o for t, o, *_ in self.muster.requests if t.endswith("audit-answer") and o["question"] == number) or answers)
        return answers[0]["jobs"]

    def test_jobs_that_have_too_few_hosts_left_are_counted(self):
        queue = {"properties": ["+a"]}
        self.assertEqual(1, self.ends(jobspec(queue, 2), jobspec(queue, 1), jobspec(), jobspec(None, 4), _a="1"))
        self.assertEqual(3, self.ends(jobspec(queue, 2), jobspec(queue, {"min": 1}), jobspec(queue), _a="0-1"))
        self.assertEqual(0, self.ends(jobspec(queue, 3), _a="0-1"))  # it could not run before either

    def test_constraints_of_all_kinds_are_understood(self):
        for constraint, ends in (
            ({"and": [{"properties": ["+a"]}, {"hostlist": ["n[0-1]"]}]}, 1),
            ({"or": [{"properties": ["+a"]}, {"ranks": ["3"]}]}, 0),
            ({"not": [{"properties": ["^+a"]}]}, 1),
            ({"properties": ["^+a"]}, 0),
            ({"and": []}, 0),
        ):
            self.assertEqual(ends, self.ends(jobspec(constraint), _a="0-1"), constraint)

    def test_many_jobs_are_counted_and_those_of_another_form_are_not(self):
        jobs = [jobspec({"properties": ["+b"]})] * 500
        strange = [{}, [], {"resources": 1}, jobspec({"other": 1}), OSError(errno.ENOENT, "gone")]
        self.assertEqual(500, self.ends(*jobs, *strange, _b="2"))

    def test_without_a_list_of_jobs_the_number_is_not_known(self):
        self.assertEqual(-1, self.ends(None, _a="0"))
