"""The bridge: a broker module that serves the topics of flux-core's `resource` module from a Muster daemon.

rc1.d/muster.py loads it on rank 0 under the name `resource`, when the broker's configuration has a key muster.socket:

    [muster]
    socket = "/run/muster/muster.sock"
    grace = 60.0        # seconds that an acquisition waits for the bridge, and a change for Muster

The file has three sections, because the broker's loader imports one file: the wire (a connection to Muster that is opened again
whenever it is lost), the held stream (what the scheduler was told, and what it is told next), and the module itself. The first
two need no Flux: the wire uses a reactor with the two methods fd_watcher_create and timer_watcher_create, as flux.Flux has them.

The end of a broker module that is written in Python ends the instance. Therefore every callback catches every exception,
everything that grows has a limit, and nothing blocks.
"""

import errno
import json
import os
import socket
import struct
import syslog
import time
import uuid

# ---------------------------------------------------------------------------------------------------------------- the wire
MAGIC = b"\x12\x00\xee\xff"
REQUEST, RESPONSE = 1, 2
HAS_TOPIC, HAS_PAYLOAD, NO_RESPONSE, HAS_ROUTE, STREAMING = 1, 2, 4, 8, 0x40
ANY = 0xFFFFFFFF
POLLIN, POLLOUT, POLLERR = 1, 2, 4  # as in libflux
LARGEST_FRAME = 1 << 30
LARGEST_OUTPUT = 64 << 20  # bytes that wait for the socket, and requests that wait for a connection
READ_AT_ONCE = 1 << 16
RETRY_FIRST, RETRY_LAST = 0.02, 1.0  # seconds


def header(kind, flags, userid, rolemask, third, tag):
    return struct.pack(">BBBBIIII", 0x8E, 1, kind, flags, userid, rolemask, third, tag)


def frame(parts):
    """Returns the bytes of a message that consists of these parts."""
    body = b"".join((bytes([len(p)]) if len(p) < 255 else b"\xff" + struct.pack(">I", len(p))) + p for p in parts)
    return MAGIC + struct.pack(">I", len(body)) + body


def unframe(body):
    """Reads a message after its length: (type, errnum, matchtag, payload without its NUL, or None). ValueError for nonsense."""
    parts, at, view = [], 0, memoryview(body)
    while at < len(view):
        size, at = view[at], at + 1
        if size == 255:
            if at + 4 > len(view):
                raise ValueError("a part without its length")
            size, at = struct.unpack_from(">I", view, at)[0], at + 4
        if at + size > len(view):
            raise ValueError("a part that is longer than its frame")
        parts.append(view[at : at + size])
        at += size
    if not parts or len(parts[-1]) != 20 or parts[-1][0] != 0x8E or parts[-1][1] != 1:
        raise ValueError("a frame without a header of version 1")
    _, _, kind, flags, _, _, errnum, tag = struct.unpack(">BBBBIIII", parts.pop())
    if flags & HAS_ROUTE:
        while parts and len(parts[0]):
            parts.pop(0)
        parts = parts[1:]
    if flags & HAS_TOPIC:
        parts = parts[1:]
    if not flags & HAS_PAYLOAD:
        return kind, errnum, tag, None
    if not parts:
        raise ValueError("a frame without the payload that its flags announce")
    payload = parts[0]
    return kind, errnum, tag, bytes(payload[:-1] if len(payload) and payload[-1] == 0 else payload)


class Call:
    """One request. `done(errnum, body)` is called once, or for each response of a streaming request until errnum is not 0.
    `body` is the payload as bytes, or None; with an errnum, it is a sentence (str)."""

    __slots__ = ("topic", "text", "done", "streaming", "cred", "repeat", "deadline", "begun", "times", "tag")

    def __init__(self, topic, text, done, streaming, cred, repeat, deadline, begun):
        self.topic, self.text, self.done, self.streaming, self.cred = topic, text, done, streaming, cred
        self.repeat, self.deadline, self.begun = repeat, deadline, begun
        self.times, self.tag = 0, None


class Wire:
    """A connection to Muster's UNIX socket that is opened again whenever it is lost.

    on_up() is called after each welcome, before waiting requests are sent; on_down() after each loss of a connection that was
    up. `log(syslog level, text)` hears of each new trouble once.
    """

    def __init__(self, reactor, path, log, on_up=lambda: None, on_down=lambda: None, clock=time.monotonic):
        self.reactor, self.path, self.log, self.on_up, self.on_down, self.clock = reactor, path, log, on_up, on_down, clock
        self.socket = self.reader = self.writer = None
        self.up = False
        self.down_since = clock()
        self.trouble = ""  # the last one that was logged; None while Muster answers
        self.delay = RETRY_FIRST
        self.tags = 0
        self.sent = {}  # tag -> Call
        self.waiting = []  # Calls that are sent at the next welcome
        self.waiting_bytes = 0
        self.counters = {"connects": 0, "losses": 0, "requests": 0, "repeats": 0, "expired": 0}
        self.timer = reactor.timer_watcher_create(0.0, self._guarded(self._dial))
        self.timer.start()
        self.ticker = reactor.timer_watcher_create(0.1, self._guarded(self._expire), repeat=0.1)
        self.ticker.start()

    # ---- what users call
    def call(self, topic, payload, done, streaming=False, cred=(ANY, 0), repeat=False, wait=None):
        """Sends a request. payload: a dict, JSON text, or None. cred: userid and rolemask of the user for whom it is sent.

        A request with `repeat` waits for a connection, and is sent again after a loss; give an id with each change (see
        `change`). Others fail with ECONNRESET without a connection. After `wait` seconds, the request fails with EAGAIN.
        """
        text = json.dumps(payload) if isinstance(payload, dict) else payload
        now = self.clock()
        call = Call(topic, text, done, streaming, cred, repeat, None if wait is None else now + wait, now)
        if not self.up and not repeat:
            self._tell(call, errno.ECONNRESET, "Muster is not reachable; nothing was changed")
        elif len(text or "") + (len(self.output) if self.up else self.waiting_bytes) > LARGEST_OUTPUT:
            self._tell(call, errno.EAGAIN, "too many requests wait for Muster; nothing was changed")
        elif self.up:
            self._send(call)
        else:
            self._wait(call)
        return call

    def change(self, topic, payload, done, **options):
        """Sends a request for a change, with an id of its own unless it has one, so that it is made once."""
        return self.call(topic, {"id": str(uuid.uuid4()), **payload}, done, **options)

    def cancel(self, call, topic=None):
        """Forgets a request: done is not called any more. `topic` is sent to end a stream, e.g. resource.journal-cancel."""
        if call is not None and self.sent.get(call.tag) is call:
            del self.sent[call.tag]
            if topic and self.up:
                body = json.dumps({"matchtag": call.tag}).encode() + b"\0"
                flags = HAS_ROUTE | HAS_TOPIC | HAS_PAYLOAD | NO_RESPONSE
                self._put(frame([b"", topic.encode() + b"\0", body, header(REQUEST, flags, ANY, 0, ANY, 0)]))
        elif call in self.waiting:
            self.waiting.remove(call)
            self.waiting_bytes -= len(call.text or "")

    def close(self):
        for watcher in (self.timer, self.ticker):
            watcher.stop()
            watcher.destroy()
        self._disconnect()
        self.up = False

    # ---- connecting
    def _guarded(self, method):
        def callback(*_):
            try:
                method()
            except Exception as e:  # an exception that escapes ends the instance
                self.log(syslog.LOG_ERR, f"muster: {method.__name__}: {type(e).__name__}: {e}")
                if method not in (self._expire, self._dial):
                    self._lost(f"{type(e).__name__}: {e}")

        return callback

    def _dial(self):
        s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            s.setblocking(False)
            s.connect(self.path)
        except OSError as e:
            s.close()
            self._problem(f"{self.path}: {e.strerror or e}; trying again until it can be reached")
            self._retry()
            return
        self.socket, self.input, self.output, self.welcomed = s, bytearray(), bytearray(), False
        self.reader = self.reactor.fd_watcher_create(s.fileno(), self._guarded(self._readable), POLLIN | POLLERR)
        self.writer = self.reactor.fd_watcher_create(s.fileno(), self._guarded(self._flush), POLLOUT)
        self.reader.start()

    def _problem(self, text):
        if text != self.trouble:
            self.trouble = text
            self.log(syslog.LOG_ERR, f"muster: {text}")

    def _retry(self):
        self.delay = min(self.delay * 1.6, RETRY_LAST)
        self.timer.reset(after=self.delay, repeat=0.0)

    def _disconnect(self):
        for watcher in (self.reader, self.writer):
            if watcher:
                watcher.stop()
                watcher.destroy()
        if self.socket:
            self.socket.close()
        self.socket = self.reader = self.writer = None
        self.input = self.output = bytearray()

    def _lost(self, why):
        was_up, self.up = self.up, False
        self._disconnect()
        self._problem(f"lost the connection to {self.path}: {why}")
        sent, self.sent = self.sent, {}
        later, self.waiting, self.waiting_bytes = self.waiting, [], 0
        for call in [c for c in sent.values() if c.repeat] + later:
            self._wait(call)
        if was_up:
            self.counters["losses"] += 1
            self.down_since = self.clock()
            if self.down_since - self.up_since >= 1.0:
                self.delay = RETRY_FIRST
        for call in sent.values():
            if not call.repeat:
                self._tell(call, errno.ECONNRESET, "the connection to Muster was lost")
        if was_up:
            self._tell_link(self.on_down)
        self._retry()

    def _welcome(self):
        self.up = True
        self.counters["connects"] += 1
        self.up_since = self.clock()
        later, self.waiting, self.waiting_bytes = self.waiting, [], 0
        self._tell_link(self.on_up)
        for call in later:
            self._send(call) if self.up else self._wait(call)

    def _tell_link(self, listener):
        try:
            listener()
        except Exception as e:
            self.log(syslog.LOG_ERR, f"muster: {listener.__name__}: {type(e).__name__}: {e}")

    # ---- reading
    def _readable(self):
        try:
            data = self.socket.recv(READ_AT_ONCE)
        except BlockingIOError:
            return
        except OSError as e:
            return self._lost(e.strerror or str(e))
        if not data:
            return self._lost("Muster closed it")
        if not self.welcomed:
            self.welcomed = True
            if data[0]:
                return self._lost(f"Muster refused it: {os.strerror(data[0])}")
            data = data[1:]
            self._welcome()
        if self.socket:
            self.input += data
            self._frames(self.socket)

    def _frames(self, connection):
        at = 0
        try:
            while len(self.input) - at >= 8:
                if self.input[at : at + 4] != MAGIC:
                    raise ValueError(f"bytes that are not a frame: {bytes(self.input[at:at + 8]).hex(' ')}")
                size = struct.unpack_from(">I", self.input, at + 4)[0]
                if size > LARGEST_FRAME:
                    raise ValueError(f"a frame of {size} bytes; the limit is {LARGEST_FRAME}")
                if len(self.input) - at < 8 + size:
                    break
                with memoryview(self.input) as whole, whole[at + 8 : at + 8 + size] as body:
                    message = unframe(body)
                at += 8 + size
                self._message(*message)
                if self.socket is not connection:  # a listener closed it
                    return
        except ValueError as e:
            return self._lost(f"Muster sent {e}")
        del self.input[:at]

    def _message(self, kind, errnum, tag, body):
        if kind != RESPONSE:
            return
        call = self.sent.get(tag)
        if call is None:
            return
        if self.trouble is not None:  # an answer, not only a welcome, ends the trouble
            self.trouble = None
            gap = f" after {self.clock() - self.down_since:.1f} s" if self.counters["losses"] else ""
            self.log(syslog.LOG_INFO, f"muster: connected to {self.path}{gap}")
        if errnum or not call.streaming:
            del self.sent[tag]
        if errnum:
            body = body.decode(errors="replace") if body else os.strerror(errnum)
        self._tell(call, errnum, body)

    def _tell(self, call, errnum, body):
        try:
            call.done(errnum, body)
        except Exception as e:  # a mistake in one answer must not stop the others
            self.log(syslog.LOG_ERR, f"muster: the answer to {call.topic}: {type(e).__name__}: {e}")

    # ---- writing
    def _wait(self, call):
        call.tag = None
        self.waiting.append(call)
        self.waiting_bytes += len(call.text or "")

    def _send(self, call):
        self.tags = self.tags % 0x7FFFFFFF + 1
        call.tag, call.times = self.tags, call.times + 1
        self.sent[call.tag] = call
        self.counters["requests"] += 1
        self.counters["repeats"] += call.times > 1
        flags = HAS_ROUTE | HAS_TOPIC | (STREAMING if call.streaming else 0)
        parts = [b"", call.topic.encode() + b"\0"]
        if call.text is not None:
            flags |= HAS_PAYLOAD
            parts.append(call.text.encode() + b"\0")
        self._put(frame(parts + [header(REQUEST, flags, *call.cred, ANY, call.tag)]))

    def _put(self, data):
        self.output += data
        self._flush()

    def _flush(self):
        try:
            while self.output:
                del self.output[: self.socket.send(self.output)]
            self.writer.stop()
        except BlockingIOError:
            self.writer.start()
        except OSError:
            self.writer.stop()  # the reader will see the end, after what Muster still had to say

    def _expire(self):
        now = self.clock()
        late = [c for c in (*self.sent.values(), *self.waiting) if c.deadline is not None and now >= c.deadline]
        for call in late:
            self.cancel(call)
            self.counters["expired"] += 1
            what = "has not answered" if self.up else "has not been reachable"
            known = "it is not known whether this change was made" if call.times else "nothing was changed"
            self._tell(call, errno.EAGAIN, f"Muster {what} for {now - call.begun:.0f} s; {known}")
