import errno
import json
import os
import random
import tempfile
import time
import unittest

import paths  # noqa: F401
import muster_bridge as bridge
from instance import Instance
from muster import Muster, response
from test_held import Scheduler

HOSTS = ["n0", "n1", "n2", "n3"]
USER = {"userid": 5000, "rolemask": 2}


class BridgeTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.path = os.path.join(directory.name, "s")
        self.muster, self.kvs, self.bridge, self.running = Muster(self.path, HOSTS), {}, None, False

    def tearDown(self):
        if self.bridge:
            self.bridge.stop()
        self.stop()

    def start(self):
        self.muster.start()
        self.running = True

    def stop(self):
        if self.running:
            self.running = False
            self.muster.stop()

    def boot(self, online="0-3", brokers=HOSTS, args=(), listen=False, config=None, **options):
        """Starts an instance with the KVS of the one before."""
        self.h = Instance(",".join(brokers), {"muster": {"socket": self.path, **options}, **(config or {})}, self.kvs)
        if listen:
            self.h.listen(self.path + ".broker")
            self.addCleanup(self.h.close)
        self.bridge = bridge.Bridge(self.h, self.h.config["muster"], args)
        if online and not args:
            self.h.group("broker.online", online)

    def until(self, condition):
        self.h.until(condition)

    def joined(self):
        self.until(lambda: self.bridge.local.joined and self.bridge.journal.following and self.bridge.liveness.reports)

    def schedule(self):
        """Loads a scheduler."""
        self.msg = self.h.send("resource.acquire", sender="sched", streaming=True)
        self.until(lambda: self.msg.responses)
        errnum, first = self.msg.responses[0]
        self.assertEqual(0, errnum, first)
        self.R, self.taken = first["resources"], 1
        self.scheduler = Scheduler(bridge.expand(self.R), bridge.decode(first["up"]))

    def up(self):
        """Returns the ranks that are up according to the scheduler."""
        for errnum, update in self.msg.responses[self.taken :]:
            self.assertEqual(0, errnum, update)
            self.scheduler.take(update)
        self.taken = len(self.msg.responses)
        return bridge.encode(self.scheduler.up)

    def all(self, **options):
        self.start()
        self.boot(**options)
        self.joined()
        self.schedule()
        self.until(lambda: self.up() == "0-3")

    def away(self):
        self.stop()
        self.until(lambda: not self.bridge.wire.up)

    def back(self):
        self.start()
        self.joined()
        self.until(lambda: self.bridge.acquisition.said.fresh)

    def log(self):
        events = [json.loads(line) for line in self.kvs.get("resource.eventlog", b"").splitlines()]
        return [event for event in events if event["name"] != "resource-define"]

    def written(self):
        """Returns whether the KVS has everything."""
        done = []
        self.bridge.records.after(lambda: done.append(True))
        return done

    def logs(self, text):
        return [line for line in self.h.logged if text in line]


class WithMuster(BridgeTest):
    def test_a_scheduler_gets_R_and_what_is_up(self):
        self.all()
        self.assertEqual("0-3", self.R["execution"]["R_lite"][0]["rank"])
        self.assertEqual("0-3", self.up())

    def test_the_acquisition_has_an_owner_that_outlives_the_bridge(self):
        self.all(grace=7.0)
        acquires = [o for topic, o, *_ in self.muster.requests if topic == "resource.acquire"]
        self.assertEqual(7.0, acquires[0]["grace"])
        self.bridge.stop()
        self.boot()
        self.joined()
        self.schedule()
        self.assertEqual({acquires[0]["owner"]}, {o["owner"] for t, o, *_ in self.muster.requests if t == "resource.acquire"})

    def test_a_second_scheduler_is_refused_and_the_first_one_can_leave(self):
        self.all()
        self.assertEqual(errno.EBUSY, self.h.ask("resource.acquire", sender="other", streaming=True)[0])
        self.h.send("resource.disconnect", sender="other", noresponse=True)
        self.assertIsNotNone(self.bridge.acquisition.held)
        self.h.send("resource.disconnect", sender="sched", noresponse=True)
        self.until(lambda: self.muster.owner is None)
        self.schedule()
        self.h.send("resource.acquire-cancel", {"matchtag": self.msg.tag}, sender="sched", noresponse=True)
        self.assertEqual(errno.ECANCELED, self.msg.responses[-1][0])

    def test_changes_of_admins_reach_the_scheduler(self):
        self.all()
        self.muster.change("drain", {"n1"}, reason="fan")
        self.until(lambda: self.up() == "0,2-3")
        self.muster.change("exclude", {"n2"})
        self.until(lambda: self.up() == "0,3")
        self.muster.change("undrain", {"n1"})
        self.until(lambda: self.up() == "0-1,3")

    def test_a_drain_and_an_undrain_of_the_owner_are_passed_on(self):
        self.all()
        self.assertEqual((0, None), self.h.ask("resource.drain", {"targets": "1-2", "reason": "x"}))
        self.assertEqual({"n1": "x", "n2": "x"}, self.muster.drained)
        self.until(lambda: self.up() == "0,3")
        errnum, text = self.h.ask("resource.drain", {"targets": "n1"})
        self.assertEqual((errno.EEXIST, "n1 already drained"), (errnum, text))
        self.assertEqual((0, None), self.h.ask("resource.undrain", {"targets": "1-2"}))
        self.until(lambda: self.up() == "0-3")

    def test_each_change_has_an_id_and_the_credentials_of_its_user(self):
        self.all()
        self.h.ask("resource.drain", {"targets": "1"}, userid=77)
        _, o, userid, rolemask = [r for r in self.muster.requests if r[0] == "resource.drain"][0]
        self.assertEqual((36, 77, 1), (len(o["id"]), userid, rolemask))

    def test_a_user_may_change_things_only_where_muster_believes_who_asks(self):
        self.all()
        self.h.ask("resource.drain", {"targets": "1"}, **USER)
        self.assertEqual((5000, 2), [r for r in self.muster.requests if r[0] == "resource.drain"][0][2:])
        self.muster.sees_users = False
        self.away()
        errnum, text = self.h.ask("resource.undrain", {"targets": "1"}, **USER)
        self.assertEqual((errno.EPERM, "Request requires owner credentials"), (errnum, text))
        self.back()
        self.assertEqual(errno.EPERM, self.h.ask("resource.undrain", {"targets": "1"}, **USER)[0])
        self.assertEqual(errno.EPERM, self.h.ask("resource.acquire", **USER)[0])

    def test_a_user_may_change_things_also_where_muster_refuses_those_without_a_grant(self):
        self.muster.refuse["ping"] = errno.EPERM, "nobody, for whom flux sends this request, has no right to it"
        self.all()
        self.assertEqual((0, None), self.h.ask("resource.drain", {"targets": "1"}, **USER))
        self.assertEqual((5000, 2), [r for r in self.muster.requests if r[0] == "resource.drain"][0][2:])

    def test_the_status_has_the_liveness_of_this_instance(self):
        self.all()
        self.muster.change("drain", {"n1"}, reason="fan")
        self.h.group("broker.online", "0-2")
        errnum, o = self.h.ask("resource.status", **USER)
        self.assertEqual(0, errnum)
        self.assertEqual({"1": {"timestamp": 7.0, "reason": "fan"}}, o["drain"])
        self.assertEqual(("0-2", "3", ""), (o["online"], o["offline"], o["exclude"]))
        self.assertNotIn("muster", o)

    def test_sched_status_has_all_down_and_allocated(self):
        self.all()
        self.muster.change("drain", {"n1"}, reason="fan")
        self.until(lambda: self.up() == "0,2-3")
        self.h.allocated = "0,2"
        _, o = self.h.ask("resource.sched-status", **USER)
        self.assertEqual(({0, 1, 2, 3}, {1}, {0, 2}), tuple(bridge.ranks_of(o[key]) for key in ("all", "down", "allocated")))

    def test_get_and_the_first_response_have_scheduling_byte_for_byte(self):
        self.muster.scheduling = '{"graph":{"nodes":[{"x":"}\\"scheduling\\":"}]}}'
        self.all()
        self.assertEqual(json.loads(self.muster.scheduling), self.R["scheduling"])
        errnum, o = self.h.ask("resource.get")
        self.assertEqual((0, json.loads(self.muster.scheduling)), (errnum, o["R"]["scheduling"]))
        self.assertEqual("configuration", o["method"])

    def large(self):
        """A scheduling that is too large for flux_respond, and a socket of the broker."""
        self.muster.scheduling = json.dumps({"graph": "x" * 3_000_000})
        self.start()
        self.boot(listen=True)
        self.joined()
        self.until(lambda: self.bridge.broker.lane.up)

    def test_a_large_first_response_comes_in_pieces_and_changes_meanwhile_follow_it(self):
        self.large()
        msg = self.h.send("resource.acquire", sender="sched", streaming=True)
        self.until(lambda: self.bridge.broker.lane.sent)
        self.h.group("broker.online", "0-2")
        self.assertEqual([], msg.responses)
        self.until(lambda: len(msg.responses) > 1)
        (_, first), (_, update) = msg.responses
        self.assertEqual((json.loads(self.muster.scheduling), "0-3"), (first["resources"]["scheduling"], first["up"]))
        self.assertEqual({"down": "3"}, update)
        _, got = self.h.ask("resource.get")
        self.assertEqual(json.loads(self.muster.scheduling), got["R"]["scheduling"])

    def test_a_scheduler_that_leaves_before_its_large_first_response_does_not_spoil_the_next_one(self):
        self.large()
        msg = self.h.send("resource.acquire", sender="sched", streaming=True)
        self.until(lambda: self.bridge.broker.lane.sent)
        self.h.send("resource.acquire-cancel", {"matchtag": msg.tag}, sender="sched", noresponse=True)
        self.assertEqual([errno.ECANCELED], [errnum for errnum, _ in msg.responses])
        self.until(lambda: self.bridge.broker.lane.up)
        self.schedule()
        self.assertEqual(json.loads(self.muster.scheduling), self.R["scheduling"])
        self.assertEqual(1, len(msg.responses))

    def test_a_restart_of_muster_does_not_bring_a_second_copy_of_scheduling(self):
        self.large()
        self.schedule()
        known, largest = self.bridge.wire.known, []
        self.away()
        on_R, self.bridge.on_R = self.bridge.on_R, lambda errnum, body: (largest.append(len(body)), on_R(errnum, body))
        self.back()
        self.until(lambda: largest)
        self.assertLess(largest[0], 1000)
        self.assertIs(known, self.bridge.local.hosts.scheduling)
        self.assertEqual(json.loads(self.muster.scheduling), json.loads(b"{" + known[1:] + b"}")["scheduling"])

    def test_the_kvs_has_R_and_the_drains_for_readers_in_the_instance(self):
        self.all()
        self.assertEqual("0-3", json.loads(self.kvs["resource.R"])["execution"]["R_lite"][0]["rank"])
        self.muster.change("drain", {"n1", "n2"}, reason="fan")
        self.until(lambda: len(self.log()) == 1)
        self.muster.change("undrain", {"n1"})
        self.until(lambda: len(self.log()) == 2)
        drain, undrain = self.log()
        self.assertEqual({"idset": "1-2", "nodelist": "n1,n2", "reason": "fan", "overwrite": 0}, drain["context"])
        self.assertEqual(("undrain", "1"), (undrain["name"], undrain["context"]["idset"]))
        self.assertGreaterEqual(undrain["timestamp"], drain["timestamp"])

    def test_a_change_is_in_the_eventlog_and_the_log_when_it_is_answered(self):
        self.all()
        self.assertEqual(0, self.h.ask("resource.drain", {"targets": "1-2", "reason": "fan"})[0])
        self.assertEqual(0, self.h.ask("resource.undrain", {"targets": "2", "reason": "mended", "mode": "force-overwrite"})[0])
        drain, undrain = self.log()
        self.assertEqual({"idset": "1-2", "nodelist": "n1,n2", "reason": "fan", "overwrite": 0}, drain["context"])
        self.assertEqual({"idset": "2", "nodelist": "n2", "reason": "mended", "overwrite": 2}, undrain["context"])
        self.assertTrue(self.logs("undrain idset=2 nodelist=n2 overwrite=2 reason=mended"))
        self.h.ask("resource.status")
        self.assertEqual(2, len(self.log()))

    def test_a_drain_without_a_reason_is_written_once(self):
        self.all()
        self.kvs["resource.eventlog"], self.bridge.records.logged = b"", {1: ""}  # as after the start, while Muster is told
        self.muster.change("drain", {"n1"}, reason="")
        self.until(lambda: self.up() == "0,2-3" and 1 in self.bridge.local.withheld() and self.written())
        self.assertEqual([], self.log())

    def test_a_drain_that_the_kvs_did_not_take_is_written_later(self):
        self.all()
        self.h.kvs_fails = True
        self.assertEqual(0, self.h.ask("resource.drain", {"targets": "1", "reason": "fan"})[0])
        self.assertEqual([], self.log())
        self.h.kvs_fails = False
        self.until(lambda: [e["context"]["reason"] for e in self.log()] == ["fan"])

    def test_an_exclusion_alone_is_remembered(self):
        self.all()
        self.muster.change("exclude", {"n2"})
        self.until(lambda: "n2" in json.loads(self.kvs["resource.muster.state"])["exclude"]["nodelist"])

    def test_an_undrain_by_force_of_a_host_that_is_not_drained_succeeds(self):
        self.all()
        for mode in "overwrite", "force-overwrite":
            self.assertEqual((0, None), self.h.ask("resource.undrain", {"targets": "1", "mode": mode}))

    def test_a_host_that_R_does_not_name_may_drain_itself(self):
        self.start()
        self.boot(brokers=[*HOSTS, "login"], online="0-4")
        self.joined()
        self.assertEqual((0, None), self.h.ask("resource.drain", {"targets": "4", "reason": "not in R"}))
        self.assertEqual(1, len(self.logs("no drain of rank 4, because R does not name it: not in R")))
        self.assertEqual(errno.EINVAL, self.h.ask("resource.drain", {"targets": "3-4"})[0])
        self.assertEqual(errno.EINVAL, self.h.ask("resource.drain", {"targets": "5"})[0])
        self.assertEqual({}, self.muster.drained)

    def test_an_unknown_option_is_refused(self):
        self.start()
        with self.assertRaisesRegex(ValueError, "unknown option: badoption; the options are monitor-force-up, not"):
            self.boot(args=["noverify", "badoption"])

    def test_the_eventlog_says_that_R_is_there(self):
        self.all()
        event = json.loads(self.kvs["resource.eventlog"].splitlines()[0])
        self.assertEqual(("resource-define", {"method": "configuration"}), (event["name"], event["context"]))

    def test_the_end_writes_a_checkpoint_as_flux_reads_it(self):
        self.all()
        self.muster.change("drain", {"n1", "n2"}, reason="fan")
        self.bridge.stop()
        check = json.loads(self.kvs["checkpoint.resource"])
        self.assertEqual({"timestamp": 7.0, "reason": "fan", "nodelist": "n1"}, check["drain_state"]["1"])
        self.assertIsInstance(check["drain_state"]["1"]["timestamp"], float)
        self.assertTrue(all(event["timestamp"] <= check["timestamp"] for event in self.log()))

    def test_before_a_scheduler_comes_only_drained_or_offline_hosts_are_down(self):
        self.start()
        self.boot(online="0-2")
        self.joined()
        self.muster.change("drain", {"n1"}, reason="fan")
        self.until(lambda: self.bridge.local.blocked == {1})
        _, o = self.h.ask("resource.sched-status", **USER)
        self.assertEqual(({0, 1, 2, 3}, {1, 3}), tuple(bridge.ranks_of(o[key]) for key in ("all", "down")))
        self.h.group("broker.online", "0,2-3")
        _, o = self.h.ask("resource.sched-status", **USER)
        self.assertEqual({1}, bridge.ranks_of(o["down"]))

    def test_the_journal_goes_on_through_a_restart_and_nothing_comes_twice(self):
        self.all()
        self.muster.change("drain", {"n1"}, reason="a")
        journal = self.h.send("resource.journal", streaming=True)
        names = lambda: [e["name"] for _, o in journal.responses for e in o["events"]]  # noqa: E731
        self.until(lambda: "drain" in names())
        self.assertIn((0, {"events": []}), journal.responses)
        self.away()
        self.muster.change("undrain", {"n1"})
        self.back()
        self.muster.change("drain", {"n2"}, reason="b")
        self.until(lambda: names().count("drain") == 2)
        self.assertEqual(1, names().count("undrain"))
        self.h.send("resource.journal-cancel", {"matchtag": journal.tag}, noresponse=True)
        self.assertEqual((errno.ENODATA, None), journal.responses[-1])
        self.assertEqual(errno.EPROTO, self.h.ask("resource.journal")[0])

    def test_liveness_and_usage_are_reported(self):
        self.all()
        self.assertEqual(set(HOSTS), self.muster.online)
        self.h.group("broker.online", "0-2")
        self.assertEqual("0-2", self.up())
        self.until(lambda: self.muster.online == {"n0", "n1", "n2"})
        self.h.group("broker.torpid", "1")
        self.assertEqual("0,2", self.up())
        self.until(lambda: any(r[0] == "resource.torpid" for r in self.muster.requests))
        self.h.allocated = "2"
        self.until(lambda: self.muster.usage == "2")
        self.muster.usage = None
        self.until(lambda: self.muster.usage == "2")  # for users who wait for a report that is newer than their change

    def test_a_muster_without_reporters_is_named_once_and_serves(self):
        self.muster.missing = {"report", "usage"}
        self.muster.online = set(HOSTS)
        self.start()
        self.boot()
        self.until(lambda: self.logs("resource.report"))
        self.schedule()
        self.assertEqual("0-3", self.up())
        self.bridge.liveness.tick(time.monotonic() + 11)
        self.until(lambda: sum(r[0] == "resource.report" for r in self.muster.requests) > 1)
        self.assertEqual(1, len(self.logs("resource.report")))

    def test_ranks_are_translated_by_host(self):
        self.muster.hosts = ["n3", "n0", "x", "n1", "n2"]
        self.muster.scheduling = '{"graph":{}}'
        self.start()
        self.boot()
        self.joined()
        self.schedule()
        self.until(lambda: self.up() == "0-3")
        self.assertEqual("n0,n1,n2,n3,x", self.R["execution"]["nodelist"][0])
        self.assertNotIn("scheduling", self.R)
        self.assertTrue(self.logs("hosts of R without a broker, which stay down: x"))
        self.assertTrue(self.logs("scheduling of R is left out"))
        self.assertEqual(0, self.h.ask("resource.drain", {"targets": "3"})[0])
        self.assertEqual({"n3"}, set(self.muster.drained))
        self.until(lambda: self.up() == "0-2")
        self.assertEqual({"3"}, set(self.h.ask("resource.status")[1]["drain"]))

    def test_an_R_of_another_cluster_is_refused_at_the_start(self):
        self.start()
        with self.assertRaisesRegex(ValueError, "cannot start.*none of the 4 hosts of Muster's R"):
            self.boot(brokers=["a", "b"])

    def test_bad_requests_get_a_sentence(self):
        self.all()
        for topic, payload, errnum, sentence in (
            ("drain", {}, errno.EPROTO, "'targets'"),
            ("drain", {"targets": 7}, errno.EPROTO, ""),
            ("drain", {"targets": "1", "reason": 5}, errno.EPROTO, "strings"),
            ("drain", {"targets": "9"}, errno.EINVAL, "R has no rank 9"),
            ("drain", {"targets": "0-9999999999"}, errno.EINVAL, "not in R"),
            ("undrain", {"targets": "[]"}, errno.EINVAL, "empty"),
            ("monitor-waitup", {"up": 5}, errno.EPROTO, "out of range"),
            ("monitor-waitup", {"up": "x"}, errno.EPROTO, "out of range"),
            ("monitor-waitup", None, errno.EPROTO, ""),
            ("monitor-force-down", {"ranks": "x"}, errno.EINVAL, "not an idset"),
            ("property-add", {"properties": 3}, errno.EPROTO, ""),
        ):
            with self.subTest(topic=topic, payload=payload):
                got = self.h.ask("resource." + topic, payload)
                self.assertEqual(errnum, got[0])
                self.assertIn(sentence, got[1])
        self.assertEqual("0-3", self.up())

    def test_waitup_force_down_mute_topology_and_config_reload(self):
        self.all()
        waits = self.h.send("resource.monitor-waitup", {"up": 3})
        self.assertEqual([], waits.responses)
        self.assertEqual((0, None), self.h.ask("resource.monitor-force-down", {"ranks": "2"}))
        self.assertEqual([(0, None)], waits.responses)
        self.assertEqual("0-1,3", self.up())
        self.assertEqual((0, None), self.h.ask("resource.config-reload", {}))
        self.assertEqual(errno.EINVAL, self.h.ask("resource.config-reload", {"resource": {"history": "long"}})[0])
        self.assertIn(self.h.ask("resource.topo-get", **USER)[0], (0, errno.ENOSYS))
        self.h.send("resource.topo-reduce", {"count": 1, "resource": {}}, noresponse=True)
        self.assertEqual((0, None), self.h.ask("resource.acquire-mute"))
        self.h.group("broker.online", "0")
        self.assertEqual("0-1,3", self.up())

    def test_an_exception_in_a_callback_is_logged_and_stops_nothing(self):
        self.all()
        self.bridge.tick = lambda *_: 1 / 0
        self.until(lambda: self.logs("the clock: ZeroDivisionError"))
        self.h.group("broker.online", "what")
        self.assertTrue(self.logs("broker.online: ValueError"))
        self.assertEqual(0, self.h.ask("resource.status")[0])

    def test_a_scheduler_that_still_waits_at_the_end_of_the_instance_is_let_go(self):
        self.muster.owner = "rival"
        self.start()
        self.boot()
        self.joined()
        msg = self.h.send("resource.acquire", sender="sched", streaming=True)
        self.until(lambda: self.logs("held for rival"))
        self.h.ask("resource.acquire-mute")
        self.assertEqual([(errno.ECANCELED, "the instance ends")], msg.responses)

    def test_the_bridge_knows_itself(self):
        self.all()
        _, o = self.h.ask("resource.bridge", **USER)
        self.assertEqual((True, True, 0, "0-3"), (o["joined"], o["acquired"], o["pending"], o["told"]["up"]))

    def test_the_end_of_the_module_ends_the_streams(self):
        self.all()
        journal = self.h.send("resource.journal", streaming=True)
        self.muster.change("drain", {"n0"}, reason="last")
        self.bridge.stop()
        self.bridge = None
        self.assertEqual((errno.ECANCELED, "the resource module was unloaded"), self.msg.responses[-1])
        self.assertEqual(errno.ECANCELED, journal.responses[-1][0])
        self.assertEqual("last", self.log()[-1]["context"]["reason"])
        self.assertEqual((set(), set()), (self.h.fds, self.h.timers - {t for t in self.h.timers if t.repeat == 0.25}))


class WithoutMuster(BridgeTest):
    def test_the_scheduler_hears_nothing_of_a_restart(self):
        self.all()
        self.muster.change("drain", {"n3"}, reason="fan")
        self.until(lambda: self.up() == "0-2")
        heard = len(self.msg.responses)
        for _ in range(3):
            self.away()
            self.back()
        self.assertEqual(heard, len(self.msg.responses))
        self.assertEqual("0-2", self.up())

    def test_a_drain_is_answered_at_once_kept_and_passed_on_with_its_id(self):
        self.all()
        self.away()
        self.assertEqual((0, None), self.h.ask("resource.drain", {"targets": "n1", "reason": "epilog failed"}))
        self.assertEqual("0,2-3", self.up())
        event = self.log()[-1]
        self.assertEqual(("drain", "n1", "epilog failed"), (event["name"], event["context"]["nodelist"], event["context"]["reason"]))
        _, o = self.h.ask("resource.status")
        self.assertEqual("epilog failed", o["drain"]["1"]["reason"])
        self.assertEqual(False, o["muster"]["reachable"])
        self.back()
        self.until(lambda: self.muster.drained == {"n1": "epilog failed"})
        self.assertEqual([event["context"]["id"]], list(self.muster.ids))
        self.until(lambda: not self.bridge.local.pending)
        self.assertEqual("0,2-3", self.up())
        self.assertEqual(1, [e["name"] for e in self.log()].count("drain"))
        self.assertEqual(0, self.h.ask("resource.undrain", {"targets": "1"})[0])
        self.until(lambda: self.up() == "0-3")

    def test_a_drain_survives_a_restart_of_the_broker_meanwhile(self):
        self.all()
        self.away()
        self.h.ask("resource.drain", {"targets": "1", "reason": "epilog failed"})
        self.bridge.stop()
        self.boot()
        self.schedule()
        self.assertEqual("0,2-3", self.up())
        self.back()
        self.until(lambda: self.muster.drained == {"n1": "epilog failed"} and not self.bridge.local.pending)
        self.until(lambda: self.up() == "0,2-3")
        self.assertEqual([], json.loads(self.kvs["resource.muster.state"])["pending"])

    def test_a_drain_follows_its_host_when_the_brokers_are_numbered_anew(self):
        self.all()
        self.away()
        self.h.ask("resource.drain", {"targets": "1", "reason": "x"})
        self.bridge.stop()
        self.boot(brokers=["n1", "n0", "n2", "n3"])
        self.schedule()
        self.assertEqual("1-3", self.up())
        self.back()
        self.until(lambda: self.muster.drained == {"n1": "x"})

    def test_a_drain_that_muster_was_asked_for_when_it_died_is_made_once(self):
        self.all()
        self.muster.refuse["drain"] = (errno.EROFS, "later")
        self.assertEqual((0, None), self.h.ask("resource.drain", {"targets": "1", "reason": "x"}))
        self.assertEqual("0,2-3", self.up())
        self.assertTrue(self.logs("this instance keeps it until Muster takes it"))
        self.away()
        del self.muster.refuse["drain"]
        self.back()
        self.bridge.local.pending and [d.update(retry=0) for d in self.bridge.local.pending.values()]
        self.until(lambda: self.muster.drained == {"n1": "x"} and not self.bridge.local.pending)
        self.assertEqual(1, len(self.muster.ids))

    def test_a_full_disk_of_muster_does_not_put_a_bad_host_into_service(self):
        self.all()
        self.muster.refuse["drain"] = (errno.ENOSPC, "the disk is full")
        self.assertEqual((0, None), self.h.ask("resource.drain", {"targets": "1", "reason": "x"}))
        self.assertEqual("0,2-3", self.up())

    def test_a_muster_that_hangs_delays_a_drain_by_a_second(self):
        self.all()
        with self.muster.lock:
            msg = self.h.send("resource.drain", {"targets": "1", "reason": "x"})
            status = self.h.send("resource.status")
            self.until(lambda: msg.responses and status.responses)
            self.assertEqual([(0, None)], msg.responses)
            self.assertEqual("0,2-3", self.up())
            self.assertEqual(False, status.responses[0][1]["muster"]["reachable"])
        self.until(lambda: self.muster.drained == {"n1": "x"} and not self.bridge.local.pending)
        self.assertEqual("0,2-3", self.up())

    def test_a_drain_for_which_the_wire_has_no_room_is_kept(self):
        self.all()
        self.bridge.wire.most = 0
        self.assertEqual((0, None), self.h.ask("resource.drain", {"targets": "1", "reason": "x"}))
        self.assertEqual("0,2-3", self.up())
        self.bridge.wire.most = 1 << 20
        self.until(lambda: [drain.update(retry=0) for drain in self.bridge.local.pending.values()] == [])
        self.assertEqual({"n1": "x"}, self.muster.drained)

    def test_a_drain_that_cannot_be_is_refused(self):
        self.all()
        self.h.ask("resource.drain", {"targets": "1", "reason": "x"})
        self.until(lambda: 1 in self.bridge.records.logged)
        self.away()
        for o, errnum, sentence in (
            ({"targets": "9"}, errno.EINVAL, "R has no rank 9"),
            ({"targets": "nobody"}, errno.EINVAL, "invalid targets: nobody not in R"),
            ({"targets": "1", "mode": "what"}, errno.EINVAL, "invalid mode 'what'"),
        ):
            self.assertEqual((errnum, True), (lambda e, t, s=sentence: (e, s in t))(*self.h.ask("resource.drain", o)))
        self.assertEqual((0, None), self.h.ask("resource.drain", {"targets": "1", "mode": "overwrite", "reason": "y"}))
        self.assertEqual(1, self.log()[-1]["context"]["overwrite"])

    def test_a_drain_of_what_muster_may_have_undrained_is_kept(self):
        self.all()
        self.h.ask("resource.drain", {"targets": "1", "reason": "x"})
        self.until(lambda: 1 in self.bridge.records.logged)
        self.away()
        self.muster.drained.clear()  # Muster answered an undrain just before it was lost
        self.assertEqual((0, None), self.h.ask("resource.drain", {"targets": "1", "reason": "epilog"}))
        self.back()
        self.until(lambda: self.muster.drained == {"n1": "epilog"} and not self.bridge.local.pending)
        self.assertEqual("0,2-3", self.up())

    def test_a_host_that_is_drained_already_does_not_keep_the_others_up(self):
        self.all()
        self.away()
        self.assertEqual((0, None), self.h.ask("resource.drain", {"targets": "1-2", "reason": "bad"}))
        self.muster.drained["n1"] = "other"
        self.back()
        self.until(lambda: not self.bridge.local.pending)
        self.assertEqual({"n1", "n2"}, set(self.muster.drained))
        self.assertEqual("0,3", self.up())

    def test_a_host_that_left_r_does_not_keep_the_others_up(self):
        self.all()
        self.away()
        self.assertEqual((0, None), self.h.ask("resource.drain", {"targets": "1,3", "reason": "bad"}))
        self.muster.hosts, self.muster.online = ["n0", "n1", "n2"], set()
        self.back()
        self.until(lambda: "n1" in self.muster.drained)
        self.until(lambda: self.up() == "0,2")

    def test_targets_that_name_too_much_are_refused_before_they_are_expanded(self):
        self.all()
        for targets in ("0a[0-4194304],0b[0-4194304]", ",".join(["0-100000"] * 3)):
            errnum, _ = self.h.ask("resource.drain", {"targets": targets})
            self.assertEqual(errno.EINVAL, errnum)

    def test_a_drain_under_way_at_the_end_of_the_module_is_kept(self):
        self.all()
        with self.muster.lock:
            self.h.send("resource.drain", {"targets": "1", "reason": "x", "mode": "update"})
            ended, self.bridge = self.bridge, None
            ended.stop()
        pending = json.loads(self.kvs["resource.muster.state"])["pending"]
        self.assertEqual([("1", "x")], [(drain["idset"], drain["reason"]) for drain in pending])

    def test_a_new_r_under_a_reloaded_scheduler_is_never_read_with_old_ranks(self):
        self.all()
        self.h.send("resource.disconnect", sender="sched", noresponse=True)
        self.until(lambda: self.muster.owner is None)
        with self.muster.lock:
            self.muster.hosts, self.muster.drained = ["n1", "n0", "n2", "n3"], {"n0": "bad"}
        self.schedule()
        self.until(lambda: self.up() == "1-3")

    def test_nonsense_on_the_stream_opens_it_again(self):
        self.all()
        with self.muster.lock:
            for peer in self.muster.peers:
                for tag, topic in peer.streams.items():
                    if topic == "resource.acquire":
                        peer.send(response(topic, tag, json.dumps({"up": 5, "down": "1"}), 0, True))
        self.until(lambda: not self.bridge.acquisition.said.fresh)
        self.until(lambda: self.bridge.acquisition.said.fresh and self.up() == "0-3")

    def test_an_undrain_does_not_overtake_a_drain_that_is_tried_again(self):
        self.all()
        self.muster.refuse["drain"] = (errno.EROFS, "disk")
        self.h.ask("resource.drain", {"targets": "1", "reason": "new", "mode": "update"})
        self.until(lambda: any("retry" in drain for drain in self.bridge.local.pending.values()))
        self.muster.refuse.clear()
        self.h.ask("resource.undrain", {"targets": "1"})
        self.until(lambda: not self.bridge.local.pending)
        self.assertEqual({}, self.muster.drained)

    def test_a_kvs_that_refuses_is_said(self):
        self.all()
        self.away()
        self.h.kvs_fails = True
        errnum, text = self.h.ask("resource.drain", {"targets": "1", "reason": "x"})
        self.assertEqual((errno.EIO, True), (errnum, "KVS did not take it" in text))
        self.assertEqual("0,2-3", self.up())

    def test_other_changes_wait_for_grace_and_fail_with_a_sentence(self):
        self.all(grace=0.3)
        self.muster.drained["n1"] = "x"
        self.away()
        errnum, text = self.h.ask("resource.undrain", {"targets": "1"})
        self.assertEqual((errno.EAGAIN, "Muster has not been reachable for 0 s; nothing was changed"), (errnum, text))
        self.bridge.acquisition.grace = 20.0
        msg = self.h.send("resource.undrain", {"targets": "1"})
        self.back()
        self.until(lambda: msg.responses)
        self.assertEqual([(0, None)], msg.responses)
        self.assertEqual({}, self.muster.drained)

    def test_a_drain_and_then_an_undrain_reach_muster_in_their_order(self):
        self.all()
        self.away()
        self.h.ask("resource.drain", {"targets": "1", "reason": "x"})
        msg = self.h.send("resource.undrain", {"targets": "1"})
        self.back()
        self.until(lambda: msg.responses and not self.bridge.local.pending)
        self.assertEqual([(0, None)], msg.responses)
        self.until(lambda: self.up() == "0-3")

    def test_a_drain_and_then_an_undrain_that_muster_never_read_are_passed_on_in_their_order(self):
        self.all()
        for hangs in False, True:
            with self.subTest(hangs=hangs):
                with self.muster.lock:
                    drain = self.h.send("resource.drain", {"targets": "1", "reason": "x"})
                    undrain = self.h.send("resource.undrain", {"targets": "1"})
                    if hangs:
                        self.until(lambda: drain.responses)
                    for peer in list(self.muster.peers):
                        peer.close()
                    self.until(lambda: drain.responses)
                self.until(lambda: undrain.responses and not self.bridge.local.pending)
                self.assertEqual([[(0, None)]] * 2, [drain.responses, undrain.responses])
                self.assertEqual({}, self.muster.drained)
                self.until(lambda: self.up() == "0-3")

    def test_a_broker_that_leaves_meanwhile_is_down_at_once(self):
        self.all()
        self.away()
        self.h.group("broker.online", "0-2")
        self.assertEqual("0-2", self.up())
        self.back()
        self.until(lambda: self.muster.online == {"n0", "n1", "n2"})
        self.h.group("broker.online", "0-3")
        self.until(lambda: self.up() == "0-3")

    def test_a_start_with_nothing_is_refused_with_a_sentence(self):
        expected = "cannot start: Muster at [^ ]*: No such file or directory; .*no R from an earlier start. Start Muster, or remove"
        with self.assertRaisesRegex(ValueError, expected):
            self.boot()

    def test_a_start_from_the_kvs_knows_R_drains_exclusions_and_scheduling(self):
        self.muster.scheduling = json.dumps({"graph": "x" * 3_000_000}, separators=(",", ":"))
        self.all()
        self.muster.change("drain", {"n1"}, reason="fan")
        self.muster.change("exclude", {"n2"})
        self.until(lambda: self.bridge.local.blocked == {1, 2} and self.written())
        self.bridge.stop()
        self.stop()
        self.boot()
        self.schedule()
        self.assertEqual("0,3", self.up())
        self.assertEqual("0-1,3", bridge.encode(bridge.ranks_of(self.R)))
        self.assertEqual(3_000_000, len(self.R["scheduling"]["graph"]))
        self.assertEqual("fan", self.h.ask("resource.status")[1]["drain"]["1"]["reason"])
        self.assertTrue(self.logs("starts with the last known state"))
        self.back()
        self.assertEqual("0,3", self.up())

    def test_an_exclusion_follows_its_host_when_the_brokers_are_numbered_anew_without_muster(self):
        self.all()
        self.muster.change("exclude", {"n1"})
        self.until(lambda: self.bridge.local.blocked == {1} and self.written())
        self.bridge.stop()
        self.stop()
        self.boot(brokers=["n1", "n0", "n2", "n3"])
        self.schedule()
        self.assertEqual("1-3", self.up())
        self.assertEqual("1-3", bridge.encode(bridge.ranks_of(self.R)))

    def test_a_scheduling_that_was_written_in_part_is_not_used(self):
        self.muster.scheduling = json.dumps({"graph": "x" * 3_000_000})
        self.all()
        self.until(lambda: self.written())
        self.bridge.stop()
        self.stop()
        self.kvs["resource.muster.scheduling.3"] = self.kvs["resource.muster.scheduling.3"][:-5]
        self.boot()
        self.schedule()
        self.assertNotIn("scheduling", self.R)

    def test_the_R_in_the_kvs_has_scheduling_and_changes_as_a_whole(self):
        self.all()
        first = self.kvs["resource.R"]
        self.bridge.stop()
        self.muster.scheduling = json.dumps({"graph": "x" * 3_000_000})
        self.boot()
        self.until(lambda: len(self.kvs.get("resource.muster.next", b"")) > 1_000_000)
        self.assertEqual(first, self.kvs["resource.R"])
        self.until(lambda: json.loads(self.kvs["resource.R"]).get("scheduling") == json.loads(self.muster.scheduling))

    def test_drains_of_the_own_module_are_taken_over(self):
        line = '{"timestamp":%d,"name":"%s","context":{"idset":"%s","nodelist":"%s"%s}}\n'
        self.kvs["checkpoint.resource"] = json.dumps(
            {"timestamp": 5.0, "drain_state": {"0": {"timestamp": 1.0, "nodelist": "n0", "reason": "old"}}}
        ).encode()
        self.kvs["resource.eventlog"] = "".join(
            (
                line % (1, "drain", "3", "n3", ',"reason":"before the checkpoint"'),
                line % (6, "drain", "1-2", "n[1-2]", ',"reason":"epilog","overwrite":0'),
                line % (7, "undrain", "1", "n1", ""),
                line % (8, "drain", "3", "n3", ""),
                line % (9, "resource-define", "", "", ""),
            )
        ).encode()
        self.start()
        self.boot()
        self.joined()
        self.schedule()
        self.until(lambda: self.muster.drained == {"n0": "old", "n2": "epilog", "n3": ""} and not self.bridge.local.pending)
        self.until(lambda: self.up() == "1")
        drains = {o["targets"]: o for topic, o, *_ in self.muster.requests if topic == "resource.drain"}
        self.assertNotIn("reason", drains["n3"])
        self.assertEqual(3, len(self.log()))  # the log has these drains, and gets no line for them

    def test_the_eventlog_loses_what_is_older_than_the_checkpoint_and_90_days(self):
        line = '{"timestamp":%d,"name":"drain","context":{"idset":"%d","nodelist":"n%d"}}\n'
        log = "".join(line % (time, time, time) for time in range(3)).encode()
        self.start()
        for timestamp, args, left in (2.0, ["notruncate"], 3), (0.0, [], 3), (2.0, [], 1), (time.time(), [], 0):
            self.kvs["resource.eventlog"] = log
            self.kvs["checkpoint.resource"] = json.dumps({"timestamp": timestamp, "drain_state": {}}).encode()
            self.boot(args=args)
            self.joined()
            self.assertEqual(list(range(3 - left, 3)), [e["timestamp"] for e in self.log() if e["timestamp"] < 3])
            self.bridge.stop()

    def test_a_new_r_is_reported_for_at_once_although_muster_refused_the_report_for_the_old_one(self):
        self.all()
        self.bridge.liveness.on_report(errno.ESTALE, "R was replaced")
        self.muster.hosts = HOSTS + ["n4"]
        self.bridge.wire.call("resource.get", None, self.bridge.on_R)
        self.until(lambda: 4 in self.bridge.local.hosts.nodes)
        self.until(lambda: [o["ranks"] for topic, o, *_ in self.muster.requests if topic == "resource.report"] == ["0-3", "0-4"])
        self.assertEqual([], self.logs("AttributeError"))

    def test_the_history_of_the_eventlog_is_that_of_the_configuration(self):
        old = json.dumps({"timestamp": time.time() - 7 * 86400, "name": "drain", "context": {"idset": "1", "nodelist": "n1"}}) + "\n"
        self.start()
        for history, left in ("infinity", 1), ("8d", 1), ("6d", 0), ("0", 0):
            self.kvs["resource.eventlog"] = old.encode()
            self.kvs["checkpoint.resource"] = json.dumps({"timestamp": time.time(), "drain_state": {}}).encode()
            self.boot(config={"resource.history": history})
            self.assertEqual(left, self.kvs["resource.eventlog"].count(old.encode()), history)
            self.bridge.stop()
        with self.assertRaises(ValueError):
            self.boot(config={"resource.history": "long"})

    def test_an_eventlog_of_an_old_flux_is_read_and_rewritten(self):
        events = (
            ("drain", {"idset": "0", "reason": "before the last start", "overwrite": 1}),
            ("resource-init", {"drain": {"1": {"timestamp": 3.0, "reason": "fan"}}, "online": "", "exclude": ""}),
            ("online", {"idset": "0"}),
            ("drain", {"idset": "2", "reason": "dimm", "overwrite": 0}),
            ("drain", {"idset": "42", "reason": "no such rank", "overwrite": 0}),
        )
        lines = (json.dumps({"timestamp": time, "name": name, "context": o}) for time, (name, o) in enumerate(events))
        self.kvs["resource.eventlog"] = "\n".join(lines).encode()
        self.start()
        self.boot()
        self.joined()
        self.until(lambda: self.muster.drained == {"n1": "fan", "n2": "dimm"})
        self.assertEqual(["drain"] * 3, [event["name"] for event in self.log()[:3]])
        self.assertEqual("n1", self.log()[0]["context"]["nodelist"])
        self.assertTrue(self.logs("resource.eventlog: reduced from 5 to 3 entries"))

    def test_a_line_of_the_eventlog_that_is_no_event_ends_the_start(self):
        self.start()
        for line in b"{}", b'{"timestamp":1.0,"name":"undrain","context":{}}', b"nonsense":
            self.kvs["resource.eventlog"] = line
            with self.assertRaisesRegex(ValueError, "resource.eventlog or checkpoint.resource in the KVS cannot be read"):
                self.boot()

    def test_an_R_that_changed_meanwhile_keeps_other_hosts_down_until_the_scheduler_is_reloaded(self):
        self.all()
        self.away()
        self.muster.hosts = ["n0", "n1", "n2", "other"]
        self.back()
        self.until(lambda: self.up() == "0-2")
        self.assertTrue(self.logs("R changed after the scheduler acquired it: n3 stay down until it is loaded again"))
        self.h.send("resource.disconnect", sender="sched", noresponse=True)
        self.schedule()
        self.assertEqual("n0,n1,n2,other", self.R["execution"]["nodelist"][0])

    def test_an_exclusion_at_a_reconnect_is_no_change_of_R(self):
        self.all()
        self.muster.change("exclude", {"n2"})
        self.until(lambda: self.up() == "0-1,3")
        self.away()
        self.back()
        self.assertEqual("0-1,3", self.up())
        self.assertEqual([], self.logs("R changed"))
        self.muster.change("include", {"n2"})
        self.until(lambda: self.up() == "0-3")

    def test_a_rival_in_the_gap_delays_the_reclaim_and_drains_are_seen_all_the_same(self):
        self.all()
        self.away()
        owner, self.muster.owner = self.muster.owner, "rival"
        self.start()
        self.joined()
        self.until(lambda: self.logs("held for rival"))
        self.muster.change("drain", {"n1"}, reason="dimm")
        self.until(lambda: self.up() == "0,2-3")
        self.assertEqual("rival", self.h.ask("resource.bridge")[1]["refused"].split()[-1])
        self.muster.owner = owner
        self.until(lambda: self.bridge.acquisition.said.fresh)
        self.assertEqual("0,2-3", self.up())

    def test_whatever_breaks_when_the_scheduler_believes_what_the_daemon_says(self):
        chance = random.Random(16)
        self.all(grace=20.0)
        running, asked = True, []
        for step in range(150):
            host = chance.choice(HOSTS)
            what = chance.randrange(8)
            if what == 0 and running:
                self.away()
                running = False
            elif what == 1 and not running:
                self.start()
                running = True
            elif what == 2:
                asked.append(self.h.send("resource.drain", {"targets": host, "reason": str(step), "mode": "update"}))
            elif what == 3:
                asked.append(self.h.send("resource.undrain", {"targets": host}))
            elif what == 4:
                self.muster.change(chance.choice(["drain", "undrain", "exclude", "include"]), {host})
            elif what == 5:
                self.h.group("broker.online", bridge.encode(r for r in range(4) if chance.random() < 0.8))
            elif what == 6:
                self.h.group("broker.torpid", bridge.encode(r for r in range(4) if chance.random() < 0.2))
            for _ in range(chance.randrange(4)):
                self.h.turn()
            self.up()
        if not running:
            self.start()
        self.joined()

        def right():
            want = {HOSTS.index(h) for h in self.muster.up()} & self.bridge.local.online - self.bridge.local.torpid
            return all(m.responses for m in asked) and not self.bridge.local.pending and self.up() == bridge.encode(want)

        self.until(right)
        self.assertEqual({HOSTS[r] for r in self.bridge.local.online}, self.muster.online)
        drained = {HOSTS.index(h) for h in self.muster.drained if h not in self.muster.excluded}
        self.until(lambda: set(self.bridge.records.logged) == drained)


if __name__ == "__main__":
    unittest.main()
