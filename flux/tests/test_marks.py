import errno
import json
import random

import paths  # noqa: F401
import muster_bridge as bridge
from test_bridge import BridgeTest

HOSTS = ["n0", "n1", "n2", "n3"]


class Fluxion:
    """Answers set_status as Fluxion 0.54 does."""

    def __init__(self, hosts=HOSTS):
        self.vertices = {f"/cluster0/{host}/gpu{n}" for host in hosts for n in range(4)}
        self.down, self.requests, self.refuses = set(), [], None

    def __call__(self, payload):
        self.requests.append(payload)
        if self.refuses:
            return self.refuses
        if set(payload) != {"resource_path", "status"}:
            return OSError(errno.EINVAL, "malformed RPC")
        path, status = payload["resource_path"], payload["status"]
        if path not in self.vertices:
            return OSError(errno.EINVAL, f"could not find path '{path}' in resource graph")
        self.down.add(path) if status == "down" else self.down.discard(path)
        return ""


class Marks(BridgeTest):
    def fluxion(self):
        self.h.scheduler = scheduler = Fluxion()
        return scheduler

    def load(self):
        """Loads Fluxion again."""
        self.h.send("resource.disconnect", sender="sched", noresponse=True)
        scheduler = self.fluxion()
        self.schedule()
        return scheduler

    def usage(self):
        """Returns the marks of the last report."""
        reports = [o for topic, o, *_ in self.muster.requests if topic == "resource.usage"]
        return reports[-1].get("marks") if reports else None

    def test_without_marks_the_scheduler_is_asked_once_whether_it_takes_them(self):
        self.start()
        self.boot()
        scheduler = self.fluxion()
        self.joined()
        self.schedule()
        self.until(lambda: self.bridge.fluxion.takes)
        self.muster.change("drain", {"n1"}, reason="fan")
        self.until(lambda: self.up() == "0,2-3" and self.muster.usage is not None)
        self.assertEqual([{}], scheduler.requests)
        self.assertIsNone(self.usage())

    def test_a_mark_reaches_the_scheduler_and_leaves_it(self):
        self.all()
        scheduler = self.load()
        self.muster.mark("n1", "gpu0")
        self.until(lambda: scheduler.down == {"/cluster0/n1/gpu0"})
        self.until(lambda: (self.usage() or {}).get("time") == self.muster.clock)
        self.assertEqual({"time": self.muster.clock, "takes": True, "refused": []}, self.usage())
        self.muster.mark("n1", "gpu0", None)
        self.until(lambda: not scheduler.down)
        self.until(lambda: self.usage() is None)
        self.assertEqual(3, len(scheduler.requests))

    def test_a_scheduler_that_is_loaded_again_has_the_marks_before_it_can_ask_for_anything(self):
        self.all()
        self.muster.mark("n1", "gpu0")
        self.until(lambda: self.bridge.local.marks["down"])
        self.load()
        request = {"resource_path": "/cluster0/n1/gpu0", "status": "down"}
        self.assertEqual([{}, request], self.h.scheduler.requests[:2])

    def test_a_restart_of_muster_sends_the_difference_only(self):
        self.all()
        scheduler = self.load()
        self.muster.mark("n1", "gpu0")
        self.muster.mark("n1", "gpu1")
        self.until(lambda: len(scheduler.down) == 2)
        self.away()
        sent = len(scheduler.requests)
        self.muster.marks = {"n1/gpu1": "/cluster0/n1/gpu1", "n2/gpu0": "/cluster0/n2/gpu0"}
        self.back()
        self.until(lambda: scheduler.down == {"/cluster0/n1/gpu1", "/cluster0/n2/gpu0"})
        self.assertEqual(2, len(scheduler.requests) - sent)

    def test_a_restart_of_the_broker_without_muster_sends_the_last_known_marks(self):
        self.all()
        self.muster.mark("n1", "gpu0")
        self.until(lambda: "n1/gpu0" in json.loads(self.kvs["resource.muster.state"])["marks"])
        self.away()
        self.bridge.stop()
        self.boot()
        scheduler = self.fluxion()
        self.schedule()
        self.until(lambda: scheduler.down == {"/cluster0/n1/gpu0"})

    def test_another_scheduler_is_sent_nothing_and_muster_hears_it(self):
        self.all()
        self.muster.mark("n1", "gpu0")
        self.until(lambda: self.usage())
        self.assertFalse(self.usage()["takes"])
        self.assertEqual([], self.logs("mark"))
        self.assertFalse(self.bridge.fluxion.takes)

    def test_a_vertex_that_the_scheduler_does_not_know_is_logged_once_and_reported(self):
        self.all()
        scheduler = self.load()
        self.muster.mark("n1", "gpu7")
        self.muster.mark("n1", "gpu0")
        self.until(lambda: (self.usage() or {}).get("refused") == ["n1/gpu7"])
        self.assertEqual({"/cluster0/n1/gpu0"}, scheduler.down)
        sent = [o for o in scheduler.requests if o.get("resource_path") == "/cluster0/n1/gpu7"]
        self.assertEqual(1, len(sent))
        self.assertEqual(1, len(self.logs("refuses marks: /cluster0/n1/gpu7 down: could not find path")))

    def test_a_vertex_without_a_path_is_reported_and_not_sent(self):
        self.all()
        scheduler = self.load()
        self.muster.marks["n1/socket0"] = ""
        self.muster.mark("n1", "gpu0")
        self.until(lambda: (self.usage() or {}).get("refused") == ["n1/socket0"])
        self.assertEqual(2, len(scheduler.requests))

    def test_a_mark_that_is_refused_for_another_reason_is_sent_a_few_times(self):
        self.all()
        scheduler = self.load()
        self.until(lambda: self.bridge.fluxion.takes)
        scheduler.refuses = OSError(errno.ENOMEM, "no memory")
        self.muster.mark("n1", "gpu0")
        for n in range(1, bridge.MOST_TRIES + 3):
            tries = min(n, bridge.MOST_TRIES)
            self.until(lambda: self.bridge.fluxion._failed.get("/cluster0/n1/gpu0") == tries)
            self.bridge.fluxion.tick(self.bridge.fluxion._retry)
            self.h.turn()
        self.assertEqual(1 + bridge.MOST_TRIES, len(scheduler.requests))
        self.assertEqual(1, len(self.logs("no memory")))

    def test_a_scheduler_that_never_answers_holds_up_nothing(self):
        self.all()
        scheduler, requests = self.load(), []
        self.until(lambda: self.bridge.fluxion.takes)
        h_rpc = self.h.rpc

        class Silent:
            def then(self, callback):
                requests.append(callback)

        self.h.rpc = lambda topic, *args, **options: Silent() if "set_status" in topic else h_rpc(topic, *args, **options)
        for n in range(4):
            self.muster.mark("n1", f"gpu{n}")
        self.until(lambda: len(requests) >= 1)
        self.muster.change("drain", {"n1"}, reason="fan")
        self.until(lambda: self.up() == "0,2-3")
        self.bridge.fluxion.tick(self.bridge.fluxion._since + 600)
        self.bridge.fluxion.tick(self.bridge.fluxion._since + 601)
        self.assertEqual(1, len(self.logs("has not answered a mark for 600 s")))
        self.h.rpc = h_rpc
        scheduler = self.load()
        self.until(lambda: len(scheduler.down) == 4)
        requests[0](None)  # an answer to the scheduler before
        self.assertEqual(4, len(scheduler.down))

    def test_nonsense_for_an_answer_is_logged_and_has_no_effect_on_the_stream(self):
        self.all()
        self.h.send("resource.disconnect", sender="sched", noresponse=True)
        self.h.scheduler = lambda payload: ValueError("no text")
        self.schedule()
        self.h.scheduler = lambda payload: ""
        self.load_nonsense()
        self.muster.change("drain", {"n1"}, reason="fan")
        self.until(lambda: self.up() == "0,2-3")

    def load_nonsense(self):
        self.h.send("resource.disconnect", sender="sched", noresponse=True)
        self.schedule()
        self.until(lambda: self.bridge.fluxion.takes is False)
        self.assertEqual(1, len(self.logs("is sent no marks, because it answers set_status with success")))

    def test_an_earlier_muster_has_no_marks(self):
        self.muster.missing.add("marks")
        self.all()
        self.load()
        self.until(lambda: self.bridge.fluxion.takes)
        self.assertEqual([], self.logs("marks"))

    def test_whatever_happens_the_scheduler_has_the_marks_of_muster_in_the_end(self):
        chance = random.Random(35)
        self.all()
        self.load()
        running = True
        for _ in range(150):
            what = chance.randrange(5)
            if what == 0 and running:
                self.away()
                running = False
            elif what == 1 and not running:
                self.start()
                running = True
            elif what == 2 and running and not chance.randrange(3):
                self.load()
            else:
                self.muster.mark(chance.choice(HOSTS), f"gpu{chance.randrange(4)}", chance.choice(["down", None]))
            for _ in range(chance.randrange(4)):
                self.h.turn()
        if not running:
            self.start()
        self.joined()
        self.until(lambda: self.h.scheduler.down == set(self.muster.marks.values()))


class ManyMarks(BridgeTest):
    def test_at_most_a_window_of_requests_is_open(self):
        self.start()
        self.boot()
        self.joined()
        self.muster.marks = {f"n0/gpu{n}": f"/cluster0/n0/gpu{n}" for n in range(1000)}
        scheduler, most = Fluxion(), []
        scheduler.vertices = set(self.muster.marks.values())
        self.h.scheduler = lambda payload: most.append(self.bridge.fluxion._open) or scheduler(payload)
        self.schedule()
        self.muster.mark("n0", "gpu0")
        self.until(lambda: len(scheduler.down) == 1000)
        self.assertLessEqual(max(most), bridge.WINDOW)
