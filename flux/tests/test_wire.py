import errno
import json
import os
import random
import socket
import struct
import tempfile
import unittest

import paths  # noqa: F401
import muster_bridge as bridge
from muster import parts_of, response
from reactor import Reactor


class Server:
    """A scripted server on the reactor of the test: sends a welcome on each connection, and leaves the rest to the test."""

    def __init__(self, reactor, path, welcome=b"\0"):
        self.reactor, self.path, self.welcome, self.connections, self.read = reactor, path, welcome, [], []
        self.listen()

    def listen(self):
        if os.path.exists(self.path):
            os.unlink(self.path)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen()
        self.watcher = self.reactor.fd_watcher_create(self.listener.fileno(), self.accept, 1)
        self.watcher.start()

    def accept(self, *_):
        connection, _ = self.listener.accept()
        connection.sendall(self.welcome)
        self.connections.append(connection)

    def request(self):
        """Returns topic, payload and matchtag of the next request on the newest connection."""
        self.reactor.until(lambda: self.connections)
        connection, data = self.connections[-1], b""
        connection.setblocking(False)

        def whole():
            nonlocal data
            try:
                data += connection.recv(65536)
            except BlockingIOError:
                pass
            return len(data) >= 8 and len(data) >= 8 + struct.unpack(">I", data[4:8])[0]

        data = self.read.pop() if self.read else b""
        self.reactor.until(whole)
        size = struct.unpack(">I", data[4:8])[0]
        self.read = [data[8 + size :]] if data[8 + size :] else []
        parts = parts_of(data[: 8 + size])
        flags, tag = parts[-1][3], struct.unpack(">I", parts[-1][16:])[0]
        return parts[1][:-1].decode(), json.loads(parts[2][:-1]) if flags & 2 else None, tag

    def send(self, data):
        connection = self.connections[-1]
        connection.setblocking(False)
        while data:
            try:
                data = data[connection.send(data) :]
            except BlockingIOError:
                self.reactor.turn(0.01)

    def drop(self):
        self.connections.pop().close()
        self.read = []

    def close(self):
        self.watcher.stop()
        self.listener.close()
        for connection in self.connections:
            connection.close()


class WireTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.path = os.path.join(directory.name, "s")
        self.reactor, self.logged, self.got, self.now = Reactor(), [], [], 0.0
        self.wire = self.server = None

    def tearDown(self):
        for one in (self.wire, self.server):
            if one:
                one.close()
        self.assertEqual(set(), self.reactor.fds, "a watcher of a file was left")
        self.assertEqual(set(), self.reactor.timers, "a timer was left")

    def serve(self, **options):
        self.server = Server(self.reactor, self.path, **options)

    def connect(self, **listeners):
        self.wire = bridge.Wire(self.reactor, self.path, lambda _, text: self.logged.append(text), **listeners)
        return self.wire

    def call(self, topic="resource.status", payload=None, **options):
        return self.wire.call(topic, payload, lambda *answer: self.got.append(answer), **options)

    def until(self, condition):
        self.reactor.until(condition)

    def test_a_request_waits_for_the_connection_and_is_answered(self):
        self.connect()
        self.call(payload={"a": 1}, repeat=True)
        self.until(lambda: self.logged)
        self.assertIn("No such file or directory; trying again", self.logged[0])
        self.serve()
        topic, payload, tag = self.server.request()
        self.assertEqual(("resource.status", {"a": 1}), (topic, payload))
        self.server.send(response(topic, tag, '{"b":2}'))
        self.until(lambda: self.got)
        self.assertEqual([(0, b'{"b":2}')], self.got)
        self.assertIn("connected", self.logged[-1])

    def test_without_a_connection_a_request_fails_with_a_sentence(self):
        self.connect()
        self.call()
        self.assertEqual([(errno.ECONNRESET, "Muster is not reachable; nothing was changed")], self.got)

    def test_a_change_is_sent_again_with_its_id_after_a_loss_and_answered_once(self):
        self.serve()
        self.connect()
        self.wire.change("resource.drain", {"targets": "1"}, lambda *a: self.got.append(a), repeat=True)
        _, first, _ = self.server.request()
        self.call("resource.undrain", {"targets": "1"}, repeat=True)
        self.server.drop()
        self.until(lambda: self.server.connections)
        topic, second, tag = self.server.request()
        self.assertEqual(first, second)
        self.assertEqual(36, len(first["id"]))
        self.assertEqual("resource.undrain", self.server.request()[0])
        self.server.send(response(topic, tag))
        self.until(lambda: self.got)
        self.assertEqual([(0, None)], self.got)
        self.assertEqual(1, self.wire.counters["losses"])
        self.assertEqual(2, self.wire.counters["repeats"])

    def test_streams_end_with_the_connection_and_the_listeners_hear_of_it(self):
        heard = []
        self.serve()
        self.connect(on_up=lambda: heard.append("up"), on_down=lambda: heard.append("down"))
        self.until(lambda: self.wire.up)
        self.call("resource.journal", streaming=True)
        topic, _, tag = self.server.request()
        self.server.send(response(topic, tag, "{}", 0, True) + response(topic, tag, "{}", 0, True))
        self.until(lambda: len(self.got) == 2)
        self.server.drop()
        self.until(lambda: len(heard) == 3)
        self.assertEqual(["up", "down", "up"], heard)
        self.assertEqual((errno.ECONNRESET, "the connection to Muster was lost"), self.got[2])

    def test_an_error_is_a_sentence(self):
        self.serve()
        self.connect()
        self.until(lambda: self.wire.up)
        self.call()
        topic, _, tag = self.server.request()
        self.server.send(response(topic, tag, "no such rank", errno.EINVAL))
        self.call()
        topic, _, tag = self.server.request()
        self.server.send(response(topic, tag, None, errno.EPERM))
        self.until(lambda: len(self.got) == 2)
        self.assertEqual([(errno.EINVAL, "no such rank"), (errno.EPERM, os.strerror(errno.EPERM))], self.got)

    def test_a_request_that_is_not_answered_in_time_fails_and_says_what_is_known(self):
        self.serve()
        self.connect()
        self.wire.clock = lambda: self.now
        self.until(lambda: self.wire.up)
        self.call(repeat=True, wait=5)
        self.server.request()
        self.now = 6.0
        self.until(lambda: self.got)
        self.assertEqual(errno.EAGAIN, self.got[0][0])
        self.assertEqual("Muster has not answered for 6 s; it is not known whether this change was made", self.got[0][1])
        self.server.close()
        self.until(lambda: not self.wire.up)
        self.call(repeat=True, wait=5)
        self.now = 12.0
        self.until(lambda: len(self.got) == 2)
        self.assertEqual("Muster has not been reachable for 6 s; nothing was changed", self.got[1][1])

    def test_a_request_for_which_there_is_no_room_is_sent_again_before_later_ones(self):
        self.serve()
        self.connect()
        self.wire.clock = lambda: self.now
        self.until(lambda: self.wire.up)
        self.call("resource.drain", repeat=True)
        self.call()
        topic, _, tag = self.server.request()
        self.server.send(response(topic, tag, "no room", errno.EAGAIN))
        topic, _, tag = self.server.request()
        self.server.send(response(topic, tag, "no room", errno.EAGAIN))
        self.until(lambda: self.got)  # only a request with `repeat` is sent again
        self.assertEqual([(errno.EAGAIN, "no room")], self.got)
        self.call("resource.undrain", repeat=True)
        self.now = 0.5
        requests = [self.server.request() for _ in range(2)]
        self.assertEqual(["resource.drain", "resource.undrain"], [topic for topic, _, _ in requests])
        for topic, _, tag in requests:
            self.server.send(response(topic, tag, "{}"))
        self.until(lambda: len(self.got) == 3)
        self.assertEqual([(0, b"{}")] * 2, self.got[1:])

    def test_a_cancelled_request_is_never_answered_and_its_stream_is_ended(self):
        self.serve()
        self.connect()
        self.until(lambda: self.wire.up)
        call = self.call("resource.acquire", streaming=True)
        topic, _, tag = self.server.request()
        self.wire.cancel(call, "resource.acquire-cancel")
        self.assertEqual(("resource.acquire-cancel", {"matchtag": tag}), self.server.request()[:2])
        self.server.send(response(topic, tag, "{}", 0, True))
        self.call()
        topic, _, tag = self.server.request()
        self.server.send(response(topic, tag, "{}"))
        self.until(lambda: self.got)
        self.assertEqual([(0, b"{}")], self.got)

    def test_an_exception_in_an_answer_is_logged_and_stops_nothing(self):
        self.serve()
        self.connect(on_up=lambda: 1 / 0)
        self.until(lambda: self.logged)
        self.assertIn("ZeroDivisionError", self.logged[0])
        self.wire.on_up = lambda: None
        self.until(lambda: self.wire.up)
        self.wire.call("a.b", None, lambda *_: {}["missing"])
        topic, _, tag = self.server.request()
        self.server.send(response(topic, tag))
        self.until(lambda: any("the answer to a.b: KeyError" in text for text in self.logged))
        self.assertTrue(self.wire.up)

    def test_a_refused_connection_is_logged_once(self):
        self.serve(welcome=bytes([errno.EPERM]))
        self.connect()
        self.until(lambda: len(self.server.connections) > 3)
        refusals = [text for text in self.logged if "refused" in text]
        self.assertEqual([f"muster: lost the connection to {self.path}: Muster refused it: Operation not permitted"], refusals)

    def test_nonsense_ends_the_connection_and_the_next_one_works(self):
        self.serve()
        self.connect()
        header = struct.pack(">BBBBIIII", 0x8E, 1, 2, 8, 0, 5, 0, 1)
        for nonsense, reason in (
            (b"GET / HTTP/1.1\r\n", "bytes that are not a frame: 47 45 54"),
            (bridge.MAGIC + b"\xff\xff\xff\xff", "a frame of 4294967295 bytes"),
            (bridge.MAGIC + struct.pack(">I", 3) + b"\x05ab", "longer than its frame"),
            (bridge.MAGIC + struct.pack(">I", 3) + b"\xffab", "without its length"),
            (bridge.MAGIC + struct.pack(">I", 0), "without a header"),
            (bridge.MAGIC + struct.pack(">I", 22) + b"\0\x14" + b"\0" * 20, "without a header of version 1"),
            (bridge.MAGIC + struct.pack(">I", 22) + b"\0\x14" + header[:3] + b"\x0a" + header[4:], "without the payload"),
        ):
            with self.subTest(reason):
                self.until(lambda: self.wire.up)
                connections = self.wire.counters["connects"]
                self.server.send(nonsense)
                self.until(lambda: any(reason in text for text in self.logged))
                self.until(lambda: self.wire.counters["connects"] > connections)
        self.until(lambda: self.wire.up)
        self.call()
        topic, _, tag = self.server.request()
        self.server.send(response(topic, tag, "{}"))
        self.until(lambda: self.got)
        self.assertEqual([(0, b"{}")], self.got)

    def test_random_bytes_never_stop_the_reactor(self):
        chance = random.Random(16)
        self.serve()
        self.connect()
        for _ in range(40):
            self.until(lambda: self.wire.up)
            connects = self.wire.counters["connects"]
            good = response("resource.status", chance.randrange(5), "{}")
            at = chance.randrange(len(good))
            self.server.send(good[:at] + chance.randbytes(chance.randrange(1, 40)))
            self.server.drop()
            self.until(lambda before=connects: self.wire.counters["connects"] > before)
            self.wire.delay = bridge.RETRY_FIRST

    def test_frames_that_come_byte_by_byte_and_a_frame_of_20_MB(self):
        self.serve()
        self.connect()
        self.until(lambda: self.wire.up)
        self.call()
        topic, _, tag = self.server.request()
        for byte in response(topic, tag, '{"slow":1}'):
            self.server.send(bytes([byte]))
            self.reactor.turn(0)
        self.call()
        topic, _, tag = self.server.request()
        text = b'{"graph":"' + b"x" * 20_000_000 + b'"}'
        self.server.send(response(topic, tag, text))
        self.until(lambda: len(self.got) == 2)
        self.assertEqual([(0, b'{"slow":1}'), (0, text)], self.got)

    def test_what_is_known_is_left_out_of_large_answers_while_they_come(self):
        self.serve()
        self.connect()
        self.until(lambda: self.wire.up)
        known = b',"scheduling":{"graph":"' + bytes(random.Random(1).choices(b"abc", k=1_500_000)) + b'"}'
        self.wire.known = known
        other = known[:1_000_000] + b"d" + known[1_000_001:]
        begin = b'{"R":{"properties":{"a":"1"' + known[:40] + b'"}}'
        largest = 0
        for text, kept in (
            (begin + known + b'},"method":"x"}', begin + b'},"method":"x"}'),
            (begin + known[:-1] + b',"x":1}},"method":"x"}', None),
            (b'{"R":{' + other + b"}}", None),
            (b'{"R":{' + known[:-9], None),
            (b'{"R":{' + known[:499_999] + known + b"}}", None),
            (known, b""),
        ):
            self.got.clear()
            for _ in range(2):
                self.wire.call("resource.get", None, lambda _, body: self.got.append((body, self.wire.left_out is known)))
            topic, _, tag = self.server.request()
            frames = memoryview(response(topic, tag, text) + response(topic, self.server.request()[2], text))
            while frames:
                self.server.send(frames[:90_000])
                frames = frames[90_000:]
                self.reactor.turn(0)
                largest = max(largest, len(self.wire.input) if text is known else 0)
            self.until(lambda: len(self.got) == 2)
            self.assertEqual([(text if kept is None else kept, kept is not None)] * 2, self.got)
        self.assertLess(largest, 500_000)

    def test_a_large_request_is_sent_in_pieces_by_several_turns(self):
        self.serve()
        self.connect()
        self.until(lambda: self.wire.up)
        sent = []

        class Swift:  # a socket whose other side reads as fast as this side writes
            send, close = lambda _, data: sent.append(len(data)) or len(data), self.wire.socket.close

        self.wire.socket = Swift()
        self.wire.put(b"head", b"x" * 20_000_000)
        self.assertLess(sum(sent), 6_000_000)
        self.until(lambda: not self.wire.output)
        self.assertEqual(20_000_004, sum(sent))

    def test_a_server_that_does_not_read_makes_requests_fail_and_not_memory_grow(self):
        self.serve()
        self.connect()
        self.until(lambda: self.wire.up)
        text = json.dumps({"targets": "x" * 1_000_000})
        for _ in range(100):
            self.call(payload=text)
        self.assertLessEqual(sum(map(len, self.wire.output)), bridge.LARGEST_OUTPUT)
        self.assertEqual({errno.EAGAIN}, {errnum for errnum, _ in self.got})
        self.assertIn("too many requests wait", self.got[0][1])
        self.server.drop()
        self.until(lambda: self.wire.counters["connects"] == 2)
        self.assertEqual(100, len(self.got))


if __name__ == "__main__":
    unittest.main()
