"""The bridge, with the stand-in for Flux, against a real daemon of four nodes node0 to node3. MUSTER_SOCKET names its socket.

FluxFolderTest starts the daemon and runs this file.
"""

import json
import os
import random
import unittest

import paths  # noqa: F401
import muster_bridge as bridge
from reactor import Reactor
from test_bridge import BridgeTest

PATH = os.environ["MUSTER_SOCKET"]
HOSTS = [f"node{i}" for i in range(4)]


class LiveDaemon(BridgeTest):
    kvs = {}  # one instance in all tests: after each test, the acquisition waits for the instance

    def setUp(self):
        self.path, self.reactor, self.bridge, self.running = PATH, Reactor(), None, False
        self.admin = bridge.Wire(self.reactor, PATH, lambda *_: None)

    def tearDown(self):
        self.admin.close()
        super().tearDown()

    def boot(self):
        super().boot(brokers=HOSTS, grace=30.0)
        self.until(lambda: self.bridge.local.joined and self.bridge.journal.following)

    def up(self):
        return bridge.decode(super().up())

    def ask(self, topic, payload=None, **options):
        """Asks the daemon on another connection."""
        got = []
        self.admin.call("resource." + topic, payload, lambda *answer: got.append(answer), repeat=True, **options)
        self.reactor.until(lambda: got)
        return got[0][0], json.loads(got[0][1]) if got[0][1] and not got[0][0] else got[0][1]

    def allowed(self):
        """Returns the ranks that a scheduler may use according to the daemon and the brokers."""
        _, status = self.ask("status")
        down = bridge.decode(status["exclude"]).union(*map(bridge.decode, status["drain"]))
        return set(range(4)) - down

    def lose(self):
        """Breaks the connection to the daemon, which continues to run."""
        self.bridge.wire.lost("the test closed it")

    def test_the_wire(self):
        self.assertEqual("configuration", self.ask("get")[1]["method"])
        self.assertEqual((38, "Unknown service method 'resource.nonsense'"), self.ask("nonsense"))
        self.assertIn("node9", self.ask("drain", {"targets": "node9"})[1])
        wanted = {"targets": "node1", "reason": "x", "id": "0f2b1c9e-6a55-4c44-9d53-3e1f4a1b2c3d"}
        self.assertEqual([0, 0], [self.ask("drain", wanted)[0], self.ask("drain", wanted)[0]])
        self.assertEqual(0, self.ask("undrain", {"targets": "node1"})[0])

    def test_what_the_scheduler_believes_is_what_the_daemon_says(self):
        chance = random.Random(28)
        self.boot()
        self.schedule()
        for step in range(60):
            host, what = chance.choice(HOSTS), chance.randrange(6)
            if what == 0:
                self.h.send("resource.drain", {"targets": host, "reason": f"step {step}", "mode": "update"})
            elif what == 1:
                self.h.send("resource.undrain", {"targets": host, "mode": "update"})
            elif what == 2:
                self.ask(chance.choice(["drain", "undrain"]), {"targets": host, "mode": "update"})
            elif what == 3:
                self.ask(chance.choice(["exclude", "include"]), {"targets": host})
            elif what == 4:
                self.lose()
            elif what == 5 and chance.random() < 0.3:
                self.bridge.stop()
                self.boot()
                self.schedule()
            quiet = lambda: not self.bridge.local.pending and self.bridge.acquisition.said.fresh  # noqa: E731
            if step % 3 == 0:
                offered = self.scheduler.ranks
                self.h.until(lambda: quiet() and self.up() == self.allowed() & offered)  # noqa: B023
        self.h.until(lambda: set(self.bridge.records.logged) == set().union(*map(bridge.decode, self.ask("status")[1]["drain"])))
        for host in HOSTS:
            self.ask("include", {"targets": host})
            self.ask("undrain", {"targets": host, "mode": "update"})

    def test_a_drain_without_a_connection_is_made_and_the_acquisition_is_taken_up_again(self):
        self.boot()
        self.schedule()
        owner = self.bridge.records.owner
        self.lose()
        self.assertEqual(0, self.h.ask("resource.drain", {"targets": "node2", "reason": "epilog"})[0])
        self.assertEqual({0, 1, 3}, self.up())
        self.h.until(lambda: self.bridge.acquisition.said.fresh and not self.bridge.local.pending)
        self.assertEqual({0, 1, 3}, self.up())
        self.assertEqual(["2"], list(self.ask("status")[1]["drain"]))
        errnum, text = self.ask("acquire", {"owner": "rival"}, streaming=True)
        self.assertEqual(16, errnum)
        self.assertIn(owner, text)
        self.assertEqual(0, self.h.ask("resource.undrain", {"targets": "2"})[0])
        self.h.until(lambda: self.up() == {0, 1, 2, 3})


if __name__ == "__main__":
    unittest.main()
