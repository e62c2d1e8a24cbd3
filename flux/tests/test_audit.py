import errno

import paths  # noqa: F401
from test_bridge import BridgeTest

CHILDREN = {"core": "0-1", "gpu": "0-3"}


def R(entries, properties=None):
    execution = {"R_lite": [{"rank": rank, "children": children} for rank, children in entries], "nodelist": []}
    return {"version": 1, "execution": {**execution, **({"properties": properties} if properties else {})}}


class Fluxion:
    """Answers find as Fluxion 0.54 does."""

    def __init__(self):
        self.every, self.down = R([("0-3", CHILDREN)], {"fast": "0", "fast=1": "1", "live=1": "2"}), None
        self.asked, self.answers = [], None

    def __call__(self, topic, payload):
        self.asked.append((topic, payload))
        if topic != "sched-fluxion-resource.find":
            return OSError(errno.ENOSYS, "no such service")
        if self.answers is not None:
            return self.answers
        if not payload:
            return OSError(errno.EPROTO, "Protocol error")
        return {"R": self.down if payload["criteria"] == "status=down" else self.every}


class Simple:
    """Answers as sched-simple does."""

    def __call__(self, topic, payload):
        if topic != "sched.resource-status":
            return OSError(errno.ENOSYS, "no such service")
        return {"all": R([("0-3", CHILDREN)]), "down": R([("1", CHILDREN)]), "allocated": R([])}


class Audits(BridgeTest):
    def begin(self, scheduler):
        self.all()
        self.h.beliefs = scheduler
        return scheduler

    def answers(self):
        return [o for topic, o, *_ in self.muster.requests if topic == "resource.audit-answer" and o["question"]]

    def ask(self, count=1):
        """Sends a question of Muster, and returns the answer."""
        before = len(self.answers())
        for _ in range(count):
            self.muster.ask_belief()
        self.until(lambda: len(self.answers()) > before)
        return self.answers()[-1]

    def test_the_bridge_offers_answers_when_it_reports(self):
        self.all()
        offers = [o for topic, o, *_ in self.muster.requests if topic == "resource.audit-answer"]
        self.assertEqual([{"question": 0}], offers)

    def test_fluxion_says_what_it_believes(self):
        scheduler = self.begin(Fluxion())
        scheduler.down = R([("1", CHILDREN), ("2-3", {"gpu": "3"})])
        answer = self.ask()
        belief = {"known": "0-3", "down": "1", "parts": {"gpu3": "2-3"}, "properties": {"fast": "0-1", "live": "2"}}
        self.assertEqual(belief, answer["belief"])
        self.assertLessEqual(answer["cost"], answer["seconds"])
        self.assertEqual(3, len(scheduler.asked))

    def test_another_scheduler_says_what_it_believes(self):
        self.begin(Simple())
        self.assertEqual({"known": "0-3", "down": "1", "properties": {}}, self.ask()["belief"])

    def test_a_scheduler_that_knows_no_hosts_is_no_fault(self):
        self.begin(Fluxion()).every = None
        self.assertEqual("", self.ask()["belief"]["known"])

    def test_a_scheduler_that_cannot_be_asked_is_named_and_nothing_is_logged(self):
        self.begin(lambda topic, payload: OSError(errno.ENOSYS, "no such service"))
        self.assertEqual("the scheduler cannot be asked", self.ask()["error"])
        self.assertEqual([], self.logs("audit"))

    def test_nonsense_is_named_and_has_no_effect(self):
        scheduler = self.begin(Fluxion())
        for nonsense in ({}, {"R": []}, {"R": {"execution": 1}}, {"R": R([("x", CHILDREN)])}, {"R": R([("0-3", 7)])}):
            scheduler.answers = nonsense
            self.assertIn("nonsense", self.ask()["error"])
        scheduler.answers = OSError(errno.EIO, "broken")
        self.assertEqual("the scheduler answers: broken", self.ask()["error"])
        scheduler.answers = None
        self.assertIn("belief", self.ask())
        self.muster.change("drain", {"n1"}, reason="fan")
        self.until(lambda: self.up() == "0,2-3")

    def test_a_scheduler_that_ends_before_it_answers_is_asked_again_when_it_is_loaded(self):
        self.begin(Fluxion())
        self.h.beliefs = lambda topic, payload: None  # never answers
        self.muster.ask_belief()
        self.until(lambda: self.bridge.audit._asked)
        self.h.send("resource.disconnect", sender="sched", noresponse=True)
        self.until(lambda: self.answers())
        self.assertEqual("the scheduler ended before it answered", self.answers()[-1]["error"])
        self.assertEqual("no scheduler has acquired the resources", self.ask()["error"])
        self.h.beliefs = Fluxion()
        self.schedule()
        self.assertIn("belief", self.ask())

    def test_a_scheduler_is_sent_no_question_before_it_has_answered_the_last(self):
        self.begin(Fluxion())
        sent = []
        self.h.beliefs = lambda topic, payload: sent.append(payload)
        for _ in range(5):
            self.muster.ask_belief()
        self.until(lambda: self.bridge.audit._question == self.muster.question)
        self.assertEqual(3, len(sent))

    def test_an_answer_for_an_older_question_is_not_used(self):
        scheduler = self.begin(Fluxion())
        self.h.delayed = []
        self.muster.ask_belief()
        self.until(lambda: len(self.h.delayed) == 3)
        self.muster.ask_belief()
        self.until(lambda: self.bridge.audit._question == self.muster.question)
        late, self.h.delayed = self.h.delayed, None
        for future in late:
            future.callback(future)
        self.until(lambda: self.answers())
        self.assertEqual([self.muster.question], [o["question"] for o in self.answers()])
        self.assertEqual(6, len(scheduler.asked))

    def test_muster_is_lost_before_the_scheduler_answers(self):
        scheduler = self.begin(Fluxion())
        self.h.delayed = []
        self.muster.ask_belief()
        self.until(lambda: len(self.h.delayed) == 3)
        self.away()
        late, self.h.delayed = self.h.delayed, None
        for future in late:
            future.callback(future)
        self.back()
        self.assertIn("belief", self.ask())
        self.assertEqual(6, len(scheduler.asked))

