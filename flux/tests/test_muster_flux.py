"""The rules of muster-flux, with models of both sides. Needs no Flux."""

import contextlib
import importlib.machinery
import importlib.util
import io
import os
import random
import socket
import tempfile
import threading
import unittest
from unittest import mock

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "muster-flux")


def load():
    loader = importlib.machinery.SourceFileLoader("muster_flux", PATH)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("muster_flux", loader))
    loader.exec_module(module)
    return module


mf = load()


def split(hostlist):
    return hostlist.split(",")


def R(hosts):
    lite = [{"rank": f"0-{len(hosts) - 1}", "children": {"core": "0"}}]
    return {"version": 1, "execution": {"R_lite": lite, "nodelist": [",".join(hosts)]}}


class Flux:
    """A model of flux-core's resource module: drained hosts, each with one reason."""

    def __init__(self, hosts="a b c", excluded=""):
        self.hosts, self.excluded, self.drained = hosts.split(), excluded.split(), {}

    def drain(self, host, reason, mode=None):
        if mode is None and (self.drained.get(host) or host in self.excluded):
            raise AssertionError(f"Flux refuses to drain {host}")
        if mode or not self.drained.get(host):
            self.drained[host] = reason

    def undrain(self, host, reason=None, mode=None):
        if mode is None and host not in self.drained:
            raise AssertionError(f"Flux refuses to undrain {host}")
        self.drained.pop(host, None)

    def state(self):
        ranks = {host: rank for rank, host in enumerate(self.hosts)}
        drain = {str(ranks[h]): {"timestamp": 1.0, "reason": r} for h, r in self.drained.items()}
        exclude = ",".join(str(ranks[h]) for h in self.excluded)
        status = {"R": R(self.hosts), "drain": drain, "online": "0", "offline": "1", "exclude": exclude, "torpid": ""}
        return mf.instance_state(status, split)


class Muster:
    """A model of the daemon: any number of holds for each host, under different holders, and hosts that are excluded."""

    def __init__(self, hosts="a b c", excluded=""):
        self.hosts, self.holds, self.absent = hosts.split(), {}, {h: ("config", None) for h in excluded.split()}

    def drain(self, host, reason, mode=None, holder="admin"):
        if host in self.absent or (mode is None and self.holds.get(host, {}).get(holder)):
            raise AssertionError(f"Muster refuses to drain {host}")
        self.holds.setdefault(host, {})[holder] = reason

    def undrain(self, host, reason=None, mode=None, holder="admin"):
        if mode is None and holder not in self.holds.get(host, {}):
            raise AssertionError(f"Muster refuses to undrain {host}")
        self.holds.get(host, {}).pop(holder, None)

    def exclude(self, host, reason):
        self.absent[host] = ("admin", reason)
        self.undrain(host, mode="update")

    def shrink(self, host):
        self.absent[host] = ("lost", None)

    def include(self, host):
        del self.absent[host]

    def state(self):
        def hold(holder, reason):
            return {"holder": holder, "since": 1.0, **({"reason": reason} if reason else {})}

        state = {
            "absent": [{"nodelist": h, "kind": kind, "reason": reason} for h, (kind, reason) in self.absent.items()],
            "holds": [{"nodelist": h, "holds": [hold(*item) for item in holds.items()]} for h, holds in self.present().items()],
        }
        return mf.muster_state({"R": R(self.hosts), "state": state}, split)

    def present(self):
        return {h: dict(holds) for h, holds in self.holds.items() if holds}


def settle(flux, muster, feed=True):
    """Takes the steps of one comparison. A process that was restarted does the same, because the rules have no memory."""
    for step in mf.steps(flux.state(), muster.state(), feed):
        for host in step.hosts:
            if step.side == "Flux":
                getattr(flux, step.verb)(host, step.reason, step.mode)
            else:
                getattr(muster, step.verb)(host, step.reason, step.mode, holder="flux")


FAN, DIMM = "bad fan", "bad dimm"
OURS = "muster(admin): bad dimm"


# (description, events, drains of Flux at the end, holds of Muster at the end)
ROWS = [
    ("drain in Muster", [("muster", "drain", "a", DIMM)], {"a": OURS}, {"a": {"admin": DIMM}}),
    ("drain in Flux", [("flux", "drain", "a", FAN)], {"a": FAN}, {"a": {"flux": FAN}}),
    ("drain in Flux without a reason", [("flux", "drain", "a", "")], {"a": ""}, {"a": {"flux": ""}}),
    ("drain in Muster without a reason", [("muster", "drain", "a", "")], {"a": "muster(admin)"}, {"a": {"admin": ""}}),
    (
        "drain in Flux, then in Muster",
        [("flux", "drain", "a", FAN), ("muster", "drain", "a", DIMM)],
        {"a": FAN},
        {"a": {"flux": FAN, "admin": DIMM}},
    ),
    (
        "drain in Muster, then in Flux with force",
        [("muster", "drain", "a", DIMM), ("flux", "drain", "a", FAN, "overwrite")],
        {"a": FAN},
        {"a": {"flux": FAN, "admin": DIMM}},
    ),
    (
        "both, then undrain in Muster",
        [("flux", "drain", "a", FAN), ("muster", "drain", "a", DIMM), ("muster", "undrain", "a")],
        {"a": FAN},
        {"a": {"flux": FAN}},
    ),
    (
        "both, then undrain in Flux",
        [("flux", "drain", "a", FAN), ("muster", "drain", "a", DIMM), ("flux", "undrain", "a")],
        {"a": OURS},
        {"a": {"admin": DIMM}},
    ),
    (
        "both, then undrain in both",
        [
            ("muster", "drain", "a", DIMM),
            ("flux", "drain", "a", FAN, "overwrite"),
            ("flux", "undrain", "a"),
            ("muster", "undrain", "a"),
        ],
        {},
        {},
    ),
    ("drain and undrain in Muster", [("muster", "drain", "a", DIMM), ("muster", "undrain", "a")], {}, {}),
    ("drain and undrain in Flux", [("flux", "drain", "a", FAN), ("flux", "undrain", "a")], {}, {}),
    (
        "undrain in Flux of what Muster holds",
        [("muster", "drain", "a", DIMM), ("flux", "undrain", "a", None, "update")],
        {"a": OURS},
        {"a": {"admin": DIMM}},
    ),
    (
        "undrain in Muster of what Flux drains",
        [("flux", "drain", "a", FAN), ("muster", "undrain", "a", None, "overwrite", "flux")],
        {"a": FAN},
        {"a": {"flux": FAN}},
    ),
    (
        "overwrite in Muster",
        [("muster", "drain", "a", FAN), ("muster", "drain", "a", DIMM, "overwrite")],
        {"a": OURS},
        {"a": {"admin": DIMM}},
    ),
    (
        "overwrite in Flux",
        [("flux", "drain", "a", "x"), ("flux", "drain", "a", FAN, "overwrite")],
        {"a": FAN},
        {"a": {"flux": FAN}},
    ),
    (
        "a hold of the holder flux by somebody else",
        [("muster", "drain", "a", DIMM, None, "flux")],
        {},
        {},
    ),
    (
        "two holders in Muster",
        [("muster", "drain", "a", DIMM), ("muster", "drain", "a", "ecc", None, "health")],
        {"a": "muster(admin): bad dimm; muster(health): ecc"},
        {"a": {"admin": DIMM, "health": "ecc"}},
    ),
    (
        "two holders in Muster, and one leaves",
        [
            ("muster", "drain", "a", DIMM),
            ("muster", "drain", "a", "ecc", None, "health"),
            ("muster", "undrain", "a", None, None, "health"),
        ],
        {"a": OURS},
        {"a": {"admin": DIMM}},
    ),
    ("exclude in Muster", [("muster", "exclude", "a", "login node")], {"a": "muster(exclude): login node"}, {}),
    ("exclude and include in Muster", [("muster", "exclude", "a", ""), ("muster", "include", "a")], {}, {}),
    (
        "exclude in Muster of what Muster holds",
        [("muster", "drain", "a", DIMM), ("muster", "exclude", "a", "")],
        {"a": "muster(exclude)"},
        {},
    ),
    (
        "include in Muster of what Flux drained meanwhile",
        [("muster", "exclude", "a", ""), ("flux", "drain", "a", FAN, "overwrite"), ("muster", "include", "a")],
        {"a": FAN},
        {"a": {"flux": FAN}},
    ),
    ("shrink in Muster", [("muster", "shrink", "a")], {"a": "muster(shrink)"}, {}),
    ("drain in Muster of a host that Flux excludes", [("muster", "drain", "x", DIMM)], {}, {"x": {"admin": DIMM}}),
    ("forced drain in Flux of a host that Flux excludes", [("flux", "drain", "x", FAN, "overwrite")], {"x": FAN}, {}),
    ("drain in Muster of a host that only Muster knows", [("muster", "drain", "m", DIMM)], {}, {"m": {"admin": DIMM}}),
    ("drain in Flux of a host that only Flux knows", [("flux", "drain", "f", FAN)], {"f": FAN}, {}),
    (
        "a hold of Flux on a host that has left the instance",
        [("muster", "drain", "m", FAN, None, "flux")],
        {},
        {"m": {"flux": FAN}},
    ),
    (
        "a reason of two lines in Flux",
        [("flux", "drain", "a", "bad\nfan")],
        {"a": "bad\nfan"},
        {"a": {"flux": FAN}},
    ),
]


class RulesTest(unittest.TestCase):
    def sides(self):
        return {"flux": Flux("a b x f", "x"), "muster": Muster("m x b a")}

    def play(self, events, seen):
        """Carries out the events; seen(i) says whether muster-flux compares after the i-th."""
        sides = self.sides()
        for i, (side, verb, *rest) in enumerate(events):
            getattr(sides[side], verb)(*rest)
            if seen(i):
                settle(sides["flux"], sides["muster"])
        return sides["flux"], sides["muster"]

    def test_each_row_while_both_sides_are_there(self):
        for name, events, drained, held in ROWS:
            with self.subTest(name):
                flux, muster = self.play(events, lambda i: True)
                self.assertEqual((drained, held), (flux.drained, muster.present()))

    def test_each_row_while_a_side_or_muster_flux_is_away_for_any_part_of_it(self):
        for name, events, drained, held in ROWS:
            last = len(events) - 1
            for mask in range(1 << last):
                with self.subTest(name, mask=mask):
                    flux, muster = self.play(events, lambda i: i == last or mask >> i & 1)
                    self.assertEqual((drained, held), (flux.drained, muster.present()))

    def test_nothing_is_echoed(self):
        for name, events, _, _ in ROWS:
            with self.subTest(name):
                flux, muster = self.play(events, lambda i: i == len(events) - 1)
                self.assertEqual([], mf.steps(flux.state(), muster.state(), True))

    def test_observe_changes_nothing_in_flux(self):
        for name, events, _, _ in ROWS:
            with self.subTest(name):
                flux, muster = self.play(events, lambda i: False)
                self.assertEqual([], [s for s in mf.steps(flux.state(), muster.state(), False) if s.side == "Flux"])

    def test_observe_says_what_feed_has_left_drained_in_flux(self):
        flux, muster = Flux(), Muster()
        muster.drain("a", DIMM)
        settle(flux, muster)
        settle(flux, muster, feed=False)
        self.assertEqual({"a": {"admin": DIMM}}, muster.present())
        muster.undrain("a")
        settle(flux, muster, feed=False)
        self.assertEqual(({"a": OURS}, {"a": {"flux": OURS}}), (flux.drained, muster.present()))
        settle(flux, muster)
        self.assertEqual(({}, {}), (flux.drained, muster.present()))

    def test_drains_are_taken_before_undrains(self):
        flux, muster = Flux(), Muster()
        muster.drain("a", DIMM)
        settle(flux, muster)
        muster.undrain("a")
        muster.drain("b", DIMM)
        flux.drain("c", FAN)
        verbs = [step.verb for step in mf.steps(flux.state(), muster.state(), True)]
        self.assertEqual(["drain", "drain", "undrain"], verbs)

    def test_hosts_with_the_same_change_are_changed_together(self):
        flux, muster = Flux(), Muster()
        for host in "abc":
            muster.drain(host, DIMM)
        self.assertEqual([mf.Step("Flux", "drain", ["a", "b", "c"], OURS, None)], mf.steps(flux.state(), muster.state(), True))

    def test_whatever_happens_both_sides_agree_and_keep_what_is_theirs(self):
        for seed in range(500):
            with self.subTest(seed=seed):
                self.agree(random.Random(seed))

    def agree(self, chance):
        flux, muster = Flux("a b x f", "x"), Muster("m x b a")
        for _ in range(chance.randrange(1, 30)):
            host, reason = chance.choice("ab"), chance.choice(["", FAN, DIMM, "muster(x)", OURS])
            act = chance.choice(["drain", "undrain", "hold", "lift", "exclude", "include", "settle"])
            if act == "drain":
                flux.drain(host, reason, "overwrite")
            elif act == "undrain":
                flux.undrain(host, mode="update")
            elif act == "hold" and host not in muster.absent:
                muster.drain(host, reason, "overwrite", chance.choice(["admin", "health"]))
            elif act == "lift":
                muster.undrain(host, None, "overwrite", chance.choice(["admin", "health", "flux"]))
            elif act == "exclude":
                muster.exclude(host, reason)
            elif act == "include" and host in muster.absent:
                muster.include(host)
            elif act == "settle":
                settle(flux, muster, chance.random() < 0.8)
        own_drains = {h: r for h, r in flux.drained.items() if not mf.MARK.match(r)}
        own_holds = {(h, n): r for h, holds in muster.holds.items() for n, r in holds.items() if n != "flux"}
        settle(flux, muster)
        self.assertEqual([], mf.steps(flux.state(), muster.state(), True))
        self.assertEqual(own_drains, {h: r for h, r in flux.drained.items() if not mf.MARK.match(r)})
        self.assertEqual(own_holds, {(h, n): r for h, holds in muster.holds.items() for n, r in holds.items() if n != "flux"})
        self.assertEqual(set(muster.present()) | set(muster.absent), set(flux.drained))


class LivenessTest(unittest.TestCase):
    def test_the_changes_lead_from_any_liveness_to_any_other(self):
        allowed = {"online": "offline unknown", "offline": "online torpid unknown", "torpid": "online", "lively": "torpid"}
        for before in ("offline", "online", "torpid", "unknown"):
            for now in ("offline", "online", "torpid"):
                with self.subTest(before=before, now=now):
                    live = before
                    for step in mf.liveness_steps({"a": before}, {"a": now}):
                        self.assertIn(live, allowed[step.verb].split())  # Muster ignores the change otherwise
                        live = "online" if step.verb == "lively" else step.verb
                    self.assertEqual(now, live)

    def test_liveness_is_read_from_the_sets_of_flux(self):
        status = {"R": R(["a", "b", "c"]), "drain": {}, "online": "0-1", "offline": "2", "exclude": "", "torpid": "1-2"}
        self.assertEqual({"a": "online", "b": "torpid", "c": "offline"}, mf.instance_state(status, split).liveness)


class StateTest(unittest.TestCase):
    def test_ranks_that_r_does_not_have_are_left_out(self):
        status = {"R": R(["a"]), "drain": {"0-3": {"timestamp": 1, "reason": None}}, "online": "0-3", "exclude": "2"}
        state = mf.instance_state(status, split)
        self.assertEqual(({"a": ""}, set(), {"a": "online"}), (state.drained, state.excluded, state.liveness))

    def test_several_ranks_on_one_host_are_refused_with_its_name(self):
        with self.assertRaises(mf.End) as end:
            mf.hosts_of(R(["a", "b", "a"]), split, "the instance")
        self.assertEqual("the instance has 3 ranks on 2 hosts, several on a; each needs its own host", str(end.exception))
        self.assertEqual(mf.UNFIT, end.exception.status)

    def test_hosts_that_only_one_side_has_are_named(self):
        found = mf.differences(Flux("a b").state(), Muster("b c d").state(), True, ",".join)
        alone = "R differs: only in {}, and left alone: {}"
        self.assertEqual([alone.format("the instance", "a"), alone.format("Muster", "c,d")], found)

    def test_properties_that_muster_adds_are_named_by_feed_only(self):
        muster = Muster().state()._replace(properties=["fast"])
        sentence = "not fed, because Flux cannot change properties while it runs: fast"
        self.assertEqual([sentence], mf.differences(Flux().state(), muster, True, str))
        self.assertEqual([], mf.differences(Flux().state(), muster, False, str))

    def test_a_reason_becomes_one_line_that_muster_accepts(self):
        self.assertEqual("a b c d  e", mf.clean("a\nb\tc\u2028d\x7f\ud800e"))
        self.assertEqual("x" * 4096, mf.clean("x" * 4096))
        self.assertEqual("x" * 4093 + "...", mf.clean("x" * 4097))

    def test_only_a_reason_that_begins_with_a_mark_is_ours(self):
        for text in (OURS, "muster(admin)", "muster(a.b@c:d-e_1); muster(x): y"):
            self.assertTrue(mf.MARK.match(text), text)
        for text in ("", "muster: x", "muster(): x", "muster(admin) x", " muster(admin): x", "see muster(admin): x"):
            self.assertFalse(mf.MARK.match(text), text)


class AdmissionTest(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.path = os.path.join(self.directory.name, "s")

    def refusal(self, once):
        with self.assertRaises(mf.End) as end:
            mf.admission(self.path, once)
        return end.exception.status, str(end.exception).replace(self.path, "S")

    def answer(self, welcome):
        listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(listener.close)
        listener.bind(self.path)
        listener.listen()

        def serve():
            connection, _ = listener.accept()
            with connection:
                connection.sendall(welcome)

        thread = threading.Thread(target=serve)
        thread.start()
        self.addCleanup(thread.join)

    def test_a_missing_socket_is_an_error_with_once_only(self):
        sentence = "S: No such file or directory; is this the socket of a Muster daemon that runs?"
        self.assertEqual((7, sentence), self.refusal(True))
        self.assertIsNone(mf.admission(self.path, False))

    def test_a_user_who_is_not_admitted_is_told_what_to_do(self):
        self.answer(b"\1")
        status, sentence = self.refusal(False)
        self.assertEqual((6, True), (status, sentence.endswith("; a [[grant]] with the rights follow and change permits it")))

    def test_an_admitted_user_goes_on(self):
        self.answer(b"\0")
        self.assertIsNone(mf.admission(self.path, True))

    def test_a_daemon_that_hangs_up_is_an_error_with_once(self):
        self.answer(b"")
        self.assertEqual((7, "S: Connection reset by peer; is this the socket of a Muster daemon that runs?"), self.refusal(True))


class ArgumentsTest(unittest.TestCase):
    def test_a_dry_run_is_one_comparison(self):
        options = mf.arguments(["feed", "--dry-run"])
        self.assertEqual((True, True, True), (options.feed, options.once, options.dry_run))
        self.assertFalse(mf.arguments(["observe"]).feed)

    def test_the_socket_is_that_of_the_option_or_of_MUSTER_URI(self):
        for uri, more, socket in (
            (None, [], "/run/muster/muster.sock"),
            ("", [], "/run/muster/muster.sock"),
            ("/x/sock", [], "/x/sock"),
            ("local:///x/sock", [], "/x/sock"),
            ("ssh://mgmt1", ["--socket", "/y"], "/y"),
        ):
            with mock.patch.dict(os.environ, {} if uri is None else {"MUSTER_URI": uri}):
                if uri is None:
                    os.environ.pop("MUSTER_URI", None)
                self.assertEqual(socket, mf.arguments(["feed", *more]).socket)
        error = io.StringIO()
        with mock.patch.dict(os.environ, {"MUSTER_URI": "ssh://mgmt1"}), contextlib.redirect_stderr(error):
            self.assertRaises(SystemExit, mf.arguments, ["feed"])
        self.assertIn("ssh://mgmt1 is no path; muster-flux reaches Muster by a UNIX socket of this host", error.getvalue())


if __name__ == "__main__":
    unittest.main()
