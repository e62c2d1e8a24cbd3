"""The bridge: a broker module that serves the topics of flux-core's `resource` module from a Muster daemon.

rc1.d/muster.py loads it on rank 0 under the name `resource`, when the configuration of the broker has a key muster.socket:

    [muster]
    socket = "/run/muster/muster.sock"
    grace = 60.0        # seconds that the acquisition waits for the bridge, and changes wait for Muster

The loader of the broker imports one file, so this file has all sections: the wire (a connection to Muster that is opened again
whenever it is lost), the held stream (the knowledge of the scheduler, and the updates for it), R, the broker with its KVS, and the
parts of the module, each of which owns the state of one service. The first two need no Flux: the wire uses a reactor with the
methods fd_watcher_create and timer_watcher_create, as flux.Flux has them. Fields that begin with _ belong to their class alone.

The end of a broker module that is written in Python ends the instance. Therefore every callback catches every exception,
every queue and buffer has a limit, and no call blocks after the start.
"""

import collections
import ctypes
import ctypes.util
import errno
import functools
import json
import math
import os
import re
import socket
import struct
import syslog
import time
import uuid
import zlib

try:
    from _flux._core import ffi, lib
    from flux.brokermod import BrokerLogger
    from flux.constants import FLUX_KVS_APPEND, FLUX_KVS_TREEOBJ, FLUX_MSGTYPE_REQUEST, FLUX_RPC_STREAMING
    from flux.future import Future
    from flux.hostlist import Hostlist
    from flux.util import parse_fsd
except ImportError:  # the wire and the held stream need no Flux
    pass

# ---------------------------------------------------------------------------------------------------------------- the wire
MAGIC = b"\x12\x00\xee\xff"
REQUEST, RESPONSE = 1, 2
HAS_TOPIC, HAS_PAYLOAD, NO_RESPONSE, HAS_ROUTE, STREAMING = 1, 2, 4, 8, 0x40
ANY = 0xFFFFFFFF
POLLIN, POLLOUT, POLLERR = 1, 2, 4  # as in libflux
LARGEST_FRAME = 1 << 30
LARGEST_OUTPUT = 64 << 20  # bytes that wait for the socket, and bytes of requests that wait for a connection
READ_AT_ONCE, SEND_AT_ONCE, LARGE = 1 << 16, 1 << 22, 1 << 20
RETRY_FIRST, RETRY_LAST, ROOM = 0.02, 1.0, 0.5  # seconds; ROOM: before a repeat of a request for which Muster had no room


def request(topic, text, flags, cred, tag):
    """Returns the bytes of a request."""
    parts = [b"", topic.encode() + b"\0"] + ([] if text is None else [text.encode() + b"\0"])
    flags |= HAS_ROUTE | HAS_TOPIC | (0 if text is None else HAS_PAYLOAD)
    parts.append(struct.pack(">BBBBIIII", 0x8E, 1, REQUEST, flags, *cred, ANY, tag))
    return frame(parts)


def frame(parts):
    body = b"".join((bytes([len(p)]) if len(p) < 255 else b"\xff" + struct.pack(">I", len(p))) + p for p in parts)
    return MAGIC + struct.pack(">I", len(body)) + body


def unframe(data, at, end, gone=0):
    """Reads the message data[at:end]: (type, errnum, matchtag, start and end of its payload without NUL, or None). `gone` bytes
    of its large part were left out. Raises ValueError for a malformed message."""
    parts = []
    while at < end:
        size, at = data[at], at + 1
        if size == 255:
            if at + 4 > end:
                raise ValueError("a part without its length")
            size, at = struct.unpack_from(">I", data, at)[0], at + 4
        size -= gone if size >= LARGE else 0
        if not 0 <= size <= end - at:
            raise ValueError("a part that is longer than its frame")
        parts.append((at, at + size))
        at += size
    start, stop = parts.pop() if parts else (0, 0)
    if stop - start != 20 or data[start] != 0x8E or data[start + 1] != 1:
        raise ValueError("a frame without a header of version 1")
    _, _, kind, flags, _, _, errnum, tag = struct.unpack_from(">BBBBIIII", data, start)
    if flags & HAS_ROUTE:
        while parts and parts[0][0] < parts[0][1]:
            parts.pop(0)
        parts = parts[1:]
    if flags & HAS_TOPIC:
        parts = parts[1:]
    if not flags & HAS_PAYLOAD:
        return kind, errnum, tag, None
    if not parts:
        raise ValueError("a frame without the payload that its flags announce")
    start, stop = parts[0]
    return kind, errnum, tag, (start, stop - (stop > start and data[stop - 1] == 0))


def trim(data, start, end):
    """Leaves only data[start:end], without a copy."""
    del data[end:]
    del data[:start]


class Call:
    """A request that was sent, or that waits to be sent."""

    def __init__(self, **fields):
        self.__dict__.update(fields, times=0, tag=None)


class Wire:
    """A connection to Muster's UNIX socket that is opened again whenever it is lost.

    on_up() is called after each welcome, before waiting requests are sent; on_down() after each loss of a connection that
    was welcomed. log(syslog level, text) is called once for each new fault. `known` are bytes, perhaps 100 MB, that the wire
    removes from large answers while it reads them; left_out equals known during such an answer, and is None otherwise.
    """

    def __init__(self, reactor, path, log, on_up=lambda: None, on_down=lambda: None, clock=time.monotonic):
        self.reactor, self.path, self.log, self.on_up, self.on_down, self.clock = reactor, path, log, on_up, on_down, clock
        self.socket = self.reader = self.writer = None
        self.known, self.left_out, self.most = b"", None, LARGEST_OUTPUT
        self.up, self.down_since, self.up_since = False, clock(), clock()
        self.trouble = ""  # the last one that was logged; None while Muster answers
        self.delay, self.tags = RETRY_FIRST, 0
        self.sent = {}  # tag -> Call
        self.waiting, self.waiting_bytes, self.again_at = [], 0, 0.0  # Calls for the next connection, or for when Muster has room
        self.counters = {"connects": 0, "losses": 0, "requests": 0, "repeats": 0, "expired": 0}
        self.timer = reactor.timer_watcher_create(0.0, self._guarded(self._dial))
        self.ticker = reactor.timer_watcher_create(0.1, self._guarded(self._expire), repeat=0.1)
        self.timer.start()
        self.ticker.start()

    # ---- methods for callers
    def call(self, topic, payload, done, streaming=False, cred=(ANY, 0), repeat=False, wait=None):
        """Sends a request. payload: a dict, JSON text, or None. cred: userid and rolemask of the user for whom it is sent.

        done(errnum, body) is called once, or for each response of a streaming request until errnum is not 0. body is the
        payload as bytes (a bytearray if it is large), or None; with an errnum, it is a sentence (str).

        A request with `repeat` waits for a connection. It is sent again after a loss of the connection, and after Muster had no
        room for it (EAGAIN), as during an answer of 100 MB; give an id with each change (see `change`). Other requests fail with
        ECONNRESET if there is no connection. After `wait` seconds, the request fails with EAGAIN.
        """
        text, now = json.dumps(payload) if isinstance(payload, dict) else payload, self.clock()
        call = Call(topic=topic, text=text, done=done, streaming=streaming, cred=cred, repeat=repeat, begun=now)
        call.deadline = None if wait is None else now + wait
        if not self.up and not repeat:
            self._tell(call, errno.ECONNRESET, "Muster is not reachable; nothing was changed")
        elif len(text or "") + (sum(map(len, self.output)) if self.up else self.waiting_bytes) > self.most:
            self._tell(call, errno.EAGAIN, "too many requests wait for Muster; nothing was changed")
        else:
            self._send(call) if self.up and not (repeat and self.waiting) else self._wait(call)  # it must not overtake waiting ones
        return call

    def change(self, topic, payload, done, **options):
        """Sends a request for a change. If the request has no id, adds a new one, so that Muster makes the change once."""
        return self.call(topic, {"id": str(uuid.uuid4()), **payload}, done, **options)

    def awaits(self, call):
        return self.sent.get(call.tag) is call or call in self.waiting

    def cancel(self, call, topic=None):
        """Drops a request: done is not called any more. With a topic, e.g. resource.journal-cancel, also asks Muster to end it."""
        if call and self.sent.get(call.tag) is call:
            del self.sent[call.tag]
            if topic and self.up:
                self.put(request(topic, json.dumps({"matchtag": call.tag}), NO_RESPONSE, (ANY, 0), 0))
        elif call in self.waiting:
            self.waiting.remove(call)
            self.waiting_bytes -= len(call.text or "")

    def close(self):
        for watcher in (self.timer, self.ticker):
            watcher.stop()
            watcher.destroy()
        self._disconnect()

    # ---- connecting
    def _guarded(self, method):
        def callback(*_):
            try:
                method()
            except Exception as e:  # an exception that escapes ends the instance
                self.log(syslog.LOG_ERR, f"muster: {method.__name__}: {type(e).__name__}: {e}")
                if self.socket:
                    self.lost(f"{type(e).__name__}: {e}")

        return callback

    def _dial(self):
        s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            s.setblocking(False)
            s.connect(self.path)
        except OSError as e:
            s.close()
            self._problem(f"{self.path}: {e.strerror or e}; trying again until it can be reached")
            return self._retry()
        self.socket, self.welcomed = s, False
        self._empty()
        self.reader = self.reactor.fd_watcher_create(s.fileno(), self._guarded(self._readable), POLLIN | POLLERR)
        self.writer = self.reactor.fd_watcher_create(s.fileno(), self._guarded(self._flush), POLLOUT)
        return self.reader.start()

    def _empty(self):
        self.input, self.gone, self.looked, self.output = bytearray(), 0, 0, collections.deque()

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
        self.up = False
        self._empty()

    def lost(self, why):
        was_up = self.up
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
            self._guarded(self.on_down)()
        self._retry()

    # ---- reading
    def _readable(self):
        try:
            data = self.socket.recv(READ_AT_ONCE)
        except BlockingIOError:
            return
        except OSError as e:
            return self.lost(e.strerror or str(e))
        if not data:
            return self.lost("Muster closed it")
        if not self.welcomed:
            if data[0]:
                return self.lost(f"Muster refused it: {os.strerror(data[0])}")
            self.welcomed = self.up = True
            self.up_since, data = self.clock(), data[1:]
            self.counters["connects"] += 1
            self._guarded(self.on_up)()
            self._send_waiting()
        if self.socket:
            self.input += data
            self._leave_out()
            self._frames(self.socket)

    def _leave_out(self):
        """Removes the bytes of `known` from a large frame while the frame repeats them: so far `gone` bytes at `gap`."""
        end = 8 + struct.unpack_from(">I", self.input, 4)[0] if self.known and len(self.input) >= 8 else 0
        if end > LARGE and not self.gone:
            self.gap = self.input.find(self.known[:64], self.looked)
            self.looked = max(self.looked, len(self.input) - 63)
        if end <= LARGE or self.gap < 0 or self.gap + len(self.known) > end:
            return
        size = min(len(self.input) - self.gap, len(self.known) - self.gone)
        rest = self.input[self.gap :]
        del self.input[self.gap : self.gap + size]
        self.gone += size
        if rest[:size] != memoryview(self.known)[self.gone - size : self.gone]:  # the frame differs from known
            del self.input[self.gap :]
            self.input += memoryview(self.known)[: self.gone - size]
            self.input += rest
            self.gone, self.looked = 0, end

    def _frames(self, connection):
        at = 0
        try:
            while len(self.input) - at >= 8:
                if self.input[at : at + 4] != MAGIC:
                    raise ValueError(f"bytes that are not a frame: {bytes(self.input[at : at + 8]).hex(' ')}")
                size = struct.unpack_from(">I", self.input, at + 4)[0]
                if size > LARGEST_FRAME:
                    raise ValueError(f"a frame of {size} bytes; the limit is {LARGEST_FRAME}")
                end = at + 8 + size - self.gone
                if len(self.input) < end:
                    break
                kind, errnum, tag, part = unframe(self.input, at + 8, end, self.gone)
                body, at, self.left_out = None, end, self.known if self.gone else None
                self.gone = self.looked = 0
                if part and size < LARGE:
                    body = bytes(self.input[part[0] : part[1]])
                elif part:
                    body, self.input, at = self.input, self.input[at:], 0
                    trim(body, *part)
                self._message(kind, errnum, tag, body)
                if self.socket is not connection:  # a callback closed this connection
                    return
        except ValueError as e:
            return self.lost(f"Muster sent {e}")
        del self.input[:at]

    def _message(self, kind, errnum, tag, body):
        call = self.sent.get(tag)
        if kind != RESPONSE or call is None:
            return
        if self.trouble is not None:  # an answer, not only a welcome, ends the trouble
            self.trouble = None
            gap = f" after {self.clock() - self.down_since:.1f} s" if self.counters["losses"] else ""
            self.log(syslog.LOG_INFO, f"muster: connected to {self.path}{gap}")
        if errnum or not call.streaming:
            del self.sent[tag]
        if errnum == errno.EAGAIN and call.repeat:
            self.again_at = self.clock() + ROOM
            return self._wait(call)
        return self._tell(call, errnum, (body.decode(errors="replace") if body else os.strerror(errnum)) if errnum else body)

    def _tell(self, call, errnum, body):
        try:
            call.done(errnum, body)
        except Exception as e:  # a fault in the handling of one answer must not affect others
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
        self.put(request(call.topic, call.text, STREAMING if call.streaming else 0, call.cred, call.tag))

    def put(self, *parts):
        self.output.extend(map(memoryview, parts))
        self._flush()

    def _flush(self):
        sent = 0
        try:
            while self.output and sent < SEND_AT_ONCE:  # the other side may read as fast as this writes
                done = self.socket.send(self.output[0][:LARGE])
                self.output[0], sent = self.output[0][done:], sent + done
                if not self.output[0]:
                    self.output.popleft()
            self.writer.start() if self.output else self.writer.stop()
        except BlockingIOError:
            self.writer.start()
        except OSError:
            self.writer.stop()  # the reader gets the last answers of Muster, and then the end

    def _send_waiting(self):
        calls, self.waiting, self.waiting_bytes = self.waiting, [], 0
        for call in calls:
            self._send(call) if self.up else self._wait(call)

    def _expire(self):
        now = self.clock()
        if self.up and now >= self.again_at and self.waiting:
            self._send_waiting()
        for call in [c for c in (*self.sent.values(), *self.waiting) if c.deadline is not None and now >= c.deadline]:
            self.cancel(call)
            self.counters["expired"] += 1
            what = "has not answered" if self.up else "has not been reachable"
            known = "it is not known whether this change was made" if call.times else "nothing was changed"
            self._tell(call, errno.EAGAIN, f"Muster {what} for {now - call.begun:.0f} s; {known}")


# --------------------------------------------------------------------------------------------------------- the held stream
LARGEST_RANK = 1 << 22


def decode(text, most=LARGEST_RANK):
    """Returns the set of integers of an idset in RFC 22 form. Raises ValueError for other text."""
    count, ids, body = 0, set(), text[1:-1] if text[:1] == "[" and text[-1:] == "]" else text
    for part in body.split(",") if body else ():
        first, dash, last = part.partition("-")
        last = last if dash else first
        if not (first.isascii() and first.isdigit() and last.isascii() and last.isdigit()) or len(last) > 9:
            raise ValueError(f"{text[:80]!r} is not an idset")
        count += int(last) - int(first) + 1
        if not int(first) <= int(last) <= LARGEST_RANK or count > most + 1:
            raise ValueError(f"{part[:80]} in an idset: ranks go up from 0 to {most}, and each is named once")
        ids.update(range(int(first), int(last) + 1))
    return ids


def encode(ids):
    ids, runs = sorted(ids), []
    if ids and ids[-1] - ids[0] == len(ids) - 1:  # most sets are all ranks
        return f"{ids[0]}-{ids[-1]}" if len(ids) > 1 else str(ids[0])
    for i in ids:
        if runs and i == runs[-1][1] + 1:
            runs[-1][1] = i
        else:
            runs.append([i, i])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


class Said:
    """The state of the resources according to the stream of the acquisition, in ranks of the brokers."""

    def __init__(self):
        self.nodes = {}  # rank -> its host and the contents of the host
        self.up, self.lost, self.properties, self.expiration = set(), set(), {}, 0.0
        self.fresh = False  # whether the stream is open and its first response has arrived

    def first(self, nodes, up, properties, expiration, fresh=True):
        self.nodes, self.up, self.lost = nodes, up, set()
        self.properties, self.expiration, self.fresh = properties, expiration, fresh

    def update(self, change, ids):
        """Applies an update of the stream, and returns the ranks that it names. ids: text of an idset -> set of broker ranks."""
        up, down, lost = (ids(change.get(key, "")) for key in ("up", "down", "shrink"))
        self.up |= up
        self.up -= down
        self.lost |= lost
        for name, text in change.get("property-add", {}).items():
            self.properties[name] = self.properties.get(name, set()) | ids(text)
        for name, text in change.get("property-remove", {}).items():
            self.properties[name] = self.properties.get(name, set()) - ids(text)
        self.expiration = change.get("expiration", self.expiration)
        return up | down | lost


class Local:
    """The state of this instance, also for the time without a connection: R, its brokers, the last status that Muster has sent, and the
    drains that Muster has not made yet."""

    def __init__(self, hosts=None):
        self.hosts, self.joined = hosts, False  # joined: Muster has sent its status on the present connection
        self.online, self.torpid = set(), set()
        self.pending = {}  # id -> drain that Muster has not made yet, with its "ranks"
        self.status, self.status_time = {"drain": {}, "exclude": ""}, time.time()  # in broker ranks
        self.outdated = False  # something changed after this status
        self.marks = {"time": 0.0, "down": {}}  # the last answer to resource.marks: the paths of vertices by their places
        self.blocked = set()  # drained or excluded according to the last answer of Muster
        self.reported = set()  # online according to the last report to Muster

    def up(self, said, among=None):
        """Returns the ranks that jobs may use, of the ranks `among` or of all. While the stream of Muster is open, Muster decides.
        Without the stream, a rank may come up only if Muster had it down because of a report, and if it is neither drained nor
        excluded."""
        ranks = said.up if said.fresh else (said.up | (set(said.nodes) - self.reported)) - self.blocked
        return ((ranks if among is None else ranks & among) & self.online) - self.barred()

    def barred(self):
        return self.torpid.union(*(drain["ranks"] for drain in self.pending.values()))

    def define(self, raw, known):
        """Puts an R with Muster's ranks in force; returns sentences about what does not fit. known: the scheduling of this R."""
        trouble = self.hosts.take(raw, known)
        for drain in self.pending.values():
            drain["ranks"] = self.hosts.locate(drain)
        return trouble

    def keep(self, change, ranks, reason, mode, cred):
        """Adds a drain that Muster has not made yet, and returns it."""
        drain = {"id": change, **self.hosts.placed(ranks), "reason": clean(reason), "mode": mode, "cred": list(cred), "ranks": ranks}
        self.pending[change] = drain
        return drain

    def withheld(self):
        return decode(self.status["exclude"]).union(*map(decode, self.status["drain"]))

    def drains(self):
        """Returns the drains of Muster and those that Muster has not made yet, as in the status."""
        drain = dict(self.status["drain"])
        drained = set().union(*map(decode, drain))
        for entry in self.pending.values():
            if entry["ranks"] - drained:
                drain[encode(entry["ranks"] - drained)] = {"timestamp": round(self.status_time), "reason": entry["reason"]}
                drained |= entry["ranks"]
        return drain


class Held:
    """The knowledge of one scheduler. Its stream lasts as long as the scheduler, also while Muster is away."""

    def __init__(self):
        self.told, self.up, self.properties, self.expiration = False, set(), {}, 0.0
        self.offered, self.ranks = {}, set()  # the ranks of the first response that were not shrunk
        self.compared, self.other = None, set()  # Muster's nodes that were compared last, and the ranks that differ

    def strange(self, said):
        """Returns the offered ranks that have another host or other contents now, or that are missing."""
        return {r for r, node in self.offered.items() if said.nodes.get(r) != node} - said.lost

    def returned(self, said, nodes, excluded=frozenset()):
        """Returns the offered ranks that the stream of Muster does not name, because they were excluded when it was opened
        again, and that are offered now. nodes: the contents of the present R."""
        missing = self.offered.keys() - said.nodes.keys() - excluded if said.fresh else ()
        return {r for r in missing if nodes.get(r) == self.offered[r]}

    def first(self, said, up):
        """Returns the ranks that are up for the first response."""
        self.told, self.offered, self.expiration = True, dict(said.nodes), said.expiration
        self.properties = {name: set(ranks) for name, ranks in said.properties.items()}
        self.ranks = set(self.offered)
        self.up = up & self.ranks
        return self.up

    def next(self, said, up, among=None):
        """Returns the update that takes the scheduler to the present state, or None if no update is necessary. up: the ranks that
        jobs may use, of the ranks `among` if only these may have changed. An update never names a rank that the first response
        did not name, and one rank of the scheduler always remains, because a scheduler without ranks hangs."""
        shrink = said.lost & self.ranks
        if shrink and len(shrink) == len(self.ranks):
            shrink.remove(min(shrink))
        if said.nodes is not self.compared:
            self.compared, self.other = said.nodes, self.strange(said)
        now, was = (up & self.ranks) - said.lost - self.other, self.up if among is None else self.up & among
        update = {"up": now - was, "down": (was - now) | shrink, "shrink": shrink}
        update = {key: encode(ranks) for key, ranks in update.items() if ranks}
        self.up -= was - now  # the work must not grow with the ranks that did not change
        self.up |= now
        self.ranks -= shrink
        for rank in shrink:
            del self.offered[rank]
        have, want = self.properties, said.properties if said.fresh else self.properties
        for key, more, less in (("property-add", want, have), ("property-remove", have, want)) if want != have else ():
            changed = {name: (ranks - less.get(name, set())) & self.ranks for name, ranks in more.items()}
            if any(changed.values()):
                update[key] = {name: encode(ranks) for name, ranks in changed.items() if ranks}
        self.properties = have if want == have else {name: set(ranks) for name, ranks in want.items()}
        if said.expiration != self.expiration:
            self.expiration = update["expiration"] = said.expiration
        return update or None


# ------------------------------------------------------------------------------------------------------------------ R
SCHEDULING = b',"scheduling":'


def cut(text, last, left_out=None):
    """Reads a response {"…": R, last: "…"} without its `scheduling`, which may have 100 MB: returns it as a dict, and the bytes
    from the comma before `scheduling` to the end of R, or b"". R with these bytes before its last brace is the R of Muster.
    A bytearray is reduced to these bytes in place, because a copy of 100 MB takes too long. left_out: the bytes that the wire
    removed."""
    if left_out is not None:
        return json.loads(text), left_out
    at, end = text.find(SCHEDULING), text.rfind(b'},"' + last.encode() + b'":')
    for _ in range(16):  # a property may have the same name; the text before it is then no valid JSON
        if at < 0 or end < at:
            return json.loads(text), b""
        try:
            o = json.loads(text[:at] + text[end:])
            if isinstance(text, bytes):
                return o, text[at:end]
            trim(text, at, end)
            return o, text
        except ValueError:
            at = text.find(SCHEDULING, at + 1)
    raise ValueError("Muster sent an R whose key scheduling was not found")


def ranks_of(R):
    return {rank for entry in R["execution"]["R_lite"] for rank in decode(str(entry["rank"]))}


def properties_of(R):
    return {name: decode(text) for name, text in R["execution"].get("properties", {}).items()}


def hosts_of(text, most=LARGEST_RANK):
    """Returns the names of a hostlist. The time that Flux's Hostlist needs grows with the square of the number of names."""
    names = []
    for part in re.findall(r"[^,\[]+(?:\[[^\]]*\][^,\[]*)*", text):
        prefix, bracket, rest = part.partition("[")
        ids, _, suffix = rest.partition("]")
        if not bracket or "[" in suffix:
            names.extend(Hostlist(part) if bracket else [part])
            continue
        for run in ids.split(","):
            first, dash, last = run.partition("-")
            if not 0 <= int(last or first) - int(first) <= most - len(names):
                raise ValueError(f"{part[:80]} is not a hostlist of at most {most} hosts")
            names.extend(f"{prefix}{n:0{len(first)}}{suffix}" for n in range(int(first), int(last or first) + 1))
    return names


def hostlist(names):
    return Hostlist(",".join(names)).encode()


def expand(R):
    """Returns rank -> (host, contents as text)."""
    hosts, contents = hosts_of(",".join(R["execution"].get("nodelist", []))), {}
    for entry in R["execution"]["R_lite"]:
        text = json.dumps(entry.get("children", {}), sort_keys=True)
        contents.update(dict.fromkeys(decode(str(entry["rank"])), text))
    if len(hosts) != len(contents):
        raise ValueError(f"R has {len(contents)} ranks and {len(hosts)} hosts")
    return {rank: (host, contents[rank]) for rank, host in zip(sorted(contents), hosts)}


def select(R, numbers, nodes=None):
    """Returns R, without scheduling, with each rank r of `numbers` as numbers[r], and without the other ranks. nodes: expand(R),
    if it is known."""
    old, order, groups = nodes or expand(R), sorted(numbers, key=numbers.get), {}
    for rank in order:
        groups.setdefault(old[rank][1], []).append(numbers[rank])
    execution = {k: v for k, v in R["execution"].items() if k != "properties"}
    execution["R_lite"] = [{"rank": encode(ranks), "children": json.loads(text)} for text, ranks in groups.items()]
    execution["nodelist"] = [hostlist(old[rank][0] for rank in order)] if order else []
    execution["properties"] = {k: encode(numbers[r] for r in v if r in numbers) for k, v in properties_of(R).items()}
    execution["properties"] = {k: v for k, v in execution["properties"].items() if v}
    return {"version": 1, "execution": {k: v for k, v in execution.items() if k != "properties" or v}}


class Numbering:
    """The mapping between Muster's ranks and the brokers' ranks: ranks with the same host correspond. If several brokers run on one
    host, rank r corresponds to rank r if both have this host. A host without a broker gets a rank after those of the brokers, and
    is never up."""

    def __init__(self, nodes, brokers, by_rank=False):
        names, place = [host for host, _ in nodes.values()], {host: rank for rank, host in enumerate(brokers)}
        if by_rank:
            self.to = {rank: rank for rank in nodes}
        elif len(place) == len(brokers) and len(set(names)) == len(names):
            self.to = {r: place[host] for r, (host, _) in sorted(nodes.items()) if host in place}
        else:
            self.to = {r: r for r in nodes if r < len(brokers) and brokers[r] == nodes[r][0]}
        if not self.to:
            raise ValueError(f"none of the {len(nodes)} hosts of Muster's R is a host of one of the {len(brokers)} brokers")
        others, used = [r for r in sorted(nodes) if r not in self.to], set(self.to.values())
        self.foreign = [nodes[r][0] for r in others]
        self.unknown = [] if by_rank else [host for rank, host in enumerate(brokers) if rank not in used]
        self.to.update({r: len(brokers) + i for i, r in enumerate(others)})
        self.back = {b: m for m, b in self.to.items()}
        self.same = all(a == b for a, b in self.to.items())

    def ids(self, text):
        return {self.to[r] for r in decode(text) if r in self.to}

    def text(self, text):
        return text if self.same else encode(self.ids(text))


class Hosts:
    """R in force, and the ranks of the brokers on its hosts."""

    def __init__(self, brokers, by_rank=False):
        self.brokers, self._by_rank = brokers, by_rank  # by_rank: for tests with hosts that do not exist
        self.R = self.raw = self.numbering = None  # R has the ranks of the brokers, raw those of Muster
        self.scheduling, self.method, self.trouble = b"", "configuration", []
        self.nodes, self.everywhere = {}, set()  # as in Said; the ranks of R and of brokers
        self._by_host = {}  # host -> its ranks
        self._places = {host: rank for rank, host in reversed(list(enumerate(brokers)))}

    def take(self, raw, known):
        nodes = expand(raw)
        n = Numbering(nodes, self.brokers, self._by_rank)
        self.numbering, self.raw, self.R = n, raw, raw if n.same else select(raw, n.to)
        self.nodes = {n.to[rank]: node for rank, node in nodes.items()}
        self._by_host, self.everywhere = {}, {*self.nodes, *range(len(self.brokers))}
        for rank, (host, _) in self.nodes.items():
            self._by_host.setdefault(host, set()).add(rank)
        self._places = {**{host: rank for rank, (host, _) in reversed(self.nodes.items())}, **self._places}
        self.scheduling = known if n.same else b""
        trouble = {
            f"hosts of R without a broker, which stay down: {hostlist(n.foreign)}": n.foreign,
            f"brokers on hosts that are not in R: {hostlist(n.unknown)}": n.unknown,
            "the brokers have other ranks than Muster's R, so ranks are translated by host": not n.same,
            "the key scheduling of R is left out, because it has Muster's ranks": known and not n.same,
        }
        was, self.trouble = self.trouble, [text for text, true in trouble.items() if true]
        return set(self.trouble) - set(was)

    # ---- from ranks to hosts and back
    def host(self, rank):
        return self.nodes[rank][0] if rank in self.nodes else self.brokers[rank] if rank < len(self.brokers) else None

    def named(self, ranks):
        return hostlist(self.host(r) or f"rank{r}" for r in sorted(ranks))

    def placed(self, ranks):
        return {"idset": encode(ranks), "nodelist": self.named(ranks)}

    def locate(self, entry):
        """Returns the present ranks of the hosts of an entry."""
        pairs = zip(sorted(decode(entry["idset"])), hosts_of(entry.get("nodelist") or ""))
        ranks = {rank if self.host(rank) == host else self._places.get(host) for rank, host in pairs}
        return ranks - {None}

    # ---- from requests of this instance to those for Muster
    def ranks(self, targets):
        """Returns the ranks of targets, which are an idset or a hostlist."""
        try:
            ranks = decode(targets, 1 << 17)
        except ValueError:
            hosts = set(hosts_of(targets, 1 << 17))
            unknown = hosts - self._by_host.keys()
            if unknown:
                raise OSError(errno.EINVAL, f"invalid targets: {hostlist(sorted(unknown)[:10])} not in R") from None
            return set().union(*(self._by_host[host] for host in hosts))
        if not ranks <= self.nodes.keys() or not ranks:
            unknown = encode(ranks - self.nodes.keys())
            raise OSError(errno.EINVAL, f"idset is out of range: R has no rank {unknown}" if unknown else "idset is empty")
        return ranks

    def elsewhere(self, targets):
        """Returns whether targets are ranks of brokers on hosts that R does not name."""
        try:
            ranks = decode(targets, 1 << 17)
        except (AttributeError, TypeError, ValueError):  # hosts, or a malformed value
            return False
        return bool(ranks) and ranks <= self.everywhere - self.nodes.keys()

    def to_muster(self, ranks):
        return encode(self.numbering.back[r] for r in ranks if r in self.numbering.back)

    def translate(self, targets):
        """Returns targets for Muster. Ranks are replaced by hosts, because a rank may be another host in a new R."""
        if not targets or targets[0] not in "[0123456789":
            return targets
        ranks = self.ranks(targets)
        return self.named(ranks) if len(self._by_host) == len(self.nodes) else self.to_muster(ranks)


# -------------------------------------------------------------------------------------------------------------- the broker
OWNER, USER = 1, 2


class Broker:
    """The broker that has loaded this module: its log, its groups of brokers, and the requests and answers that it passes on."""

    def __init__(self, h):
        self.h, self.log, self._complaints = h, BrokerLogger(h), collections.deque(maxlen=20)
        self._queues = []
        self.lane = Wire(h, h.attr_get("local-uri").removeprefix("local://"), lambda *_: None)  # a second connection to this broker
        self.lane.most = float("inf")

    def guard(self, what, function, *args):
        try:
            return function(*args)
        except Exception as e:  # an exception that escapes ends the instance
            return self.log.error(f"muster: {what}: {type(e).__name__}: {e}")

    def once(self, text):
        if text not in self._complaints:
            self._complaints.append(text)
            self.log.error(f"muster: {text}")

    def queue(self):
        """Returns a list for requests that wait. A request leaves the list when its sender disconnects."""
        self._queues.append([])
        return self._queues[-1]

    def disconnect(self, msg):
        for queue in self._queues:
            queue[:] = [one for one in queue if not lib.flux_disconnect_match(msg.handle, one.handle)]

    def serve(self, name, handler, roles):
        def callback(_h, _t, msg, _a):
            try:
                handler(msg)
            except Exception as e:
                errnum = getattr(e, "errno", None) or (errno.EINVAL if isinstance(e, ValueError) else errno.EPROTO)
                text = f"resource.{name} without {e}" if isinstance(e, KeyError) else sentence(e)
                self.guard(name, self.fail, msg, errnum, text)

        return self.h.msg_watcher_create(callback, FLUX_MSGTYPE_REQUEST, "resource." + name, rolemask=roles).start()

    def group(self, name, changed):
        def callback(future):
            self.guard(name, lambda: changed(decode(future.get()["members"])))
            future.reset()

        future = self.h.rpc("groups.get", {"name": name}, flags=FLUX_RPC_STREAMING)
        callback(future)
        future.then(callback)
        return future

    def answer(self, msg, body=None, errnum=0):
        data = json.dumps(body).encode() if isinstance(body, dict) else body.encode() if isinstance(body, str) else body
        args = (self.h.handle, msg.handle, *([errnum] if errnum else []), ffi.NULL if data is None else data)
        if not lib.flux_msg_is_noresponse(msg.handle):
            if (lib.flux_respond_error if errnum else lib.flux_respond)(*args) < 0:
                self.log.error(f"muster: answer to {msg.topic}: {os.strerror(ffi.errno)}")

    def fail(self, msg, errnum, text=None):
        self.answer(msg, text, errnum)

    def answer_R(self, msg, before, R, scheduling, after, done):
        """Answers with R and scheduling; done(errnum, _) is called when the broker has it. flux_respond copies the payload twice,
        and returns when the broker has read it. A large answer takes another connection instead, in pieces, before a ping."""
        parts = (before, json.dumps(R).encode()[:-1], scheduling, b"}" + after)
        if len(scheduling) < LARGE or not self.lane.up:
            self.answer(msg, b"".join(parts))
            return done(0, None)
        response = lib.flux_response_derive(msg.handle, 0)
        head = bytearray(lib.flux_msg_encode_size(response))
        lib.flux_msg_encode(response, ffi.from_buffer(head), len(head))
        lib.flux_msg_destroy(response)
        head[-17] |= HAS_PAYLOAD  # the header is the last part, of 20 bytes and their number
        size = sum(map(len, parts)) + 1
        sizes = struct.pack(">I", len(head) + 5 + size), b"\xff" + struct.pack(">I", size)
        self.lane.put(MAGIC + sizes[0] + head[:-21] + sizes[1], *parts, b"\0" + head[-21:])
        return self.lane.call("broker.ping", {"seq": 0}, done)


# ----------------------------------------------------------------------------------------------------------------- the KVS
STATE, SCHEDULING_KEY, LOG = "resource.muster.state", "resource.muster.scheduling", "resource.eventlog"
OWN_R, NEXT_R, CHECKPOINT = "resource.muster.R", "resource.muster.next", "checkpoint.resource"
PIECE = 1 << 19
SAVED = ("id", "idset", "nodelist", "reason", "mode", "cred")  # of a drain that Muster has not made yet


class Kvs:
    """The KVS of the instance. Writes are made in their order, one at a time, without blocking."""

    def __init__(self, h, log):
        self.h, self.log, self.queue, self.writing = h, log, [], None

    def read(self, key):
        future, data, size = self.h.flux_kvs_lookup(None, 0, key), ffi.new("void *[1]"), ffi.new("size_t [1]")
        try:
            if lib.flux_kvs_lookup_get_raw(future, data, size) == 0:
                return bytearray(ffi.buffer(data[0], size[0])) if size[0] else bytearray()
            if ffi.errno == errno.ENOENT:
                return None
            raise OSError(ffi.errno, f"{key}: {os.strerror(ffi.errno)}")
        finally:
            lib.flux_future_destroy(future)

    def write(self, entries, done=lambda ok: None):
        """entries: (key, bytes or a function that returns them, append). append is None for a reference to a value (a treeobj)."""
        self.queue.append((entries, [done]))
        if self.writing is None:
            self._next()

    def after(self, done):
        """Calls done when all waiting writes are complete."""
        if self.writing is None:
            return done()
        return (self.queue[-1][1] if self.queue else self.done).append(lambda ok: done())

    def _next(self):
        entries, self.done = self.queue.pop(0)
        while self.queue and not any(callable(value) for _, value, _ in entries + self.queue[0][0]) and len(entries) < 100:
            more, done = self.queue.pop(0)
            entries, self.done = entries + more, self.done + done
        try:
            txn = lib.flux_kvs_txn_create()
            for key, value, append in entries:
                data = value() if callable(value) else value
                if append is None:
                    lib.flux_kvs_txn_put_treeobj(txn, 0, key.encode(), data)
                else:
                    flags = FLUX_KVS_APPEND if append else 0
                    lib.flux_kvs_txn_put_raw(txn, flags, key.encode(), ffi.from_buffer(data), len(data))
            self.writing = Future(lib.flux_kvs_commit(self.h.handle, ffi.NULL, 0, txn))
            lib.flux_kvs_txn_destroy(txn)
            self.writing.then(self._written)
        except Exception as e:
            self.log.error(f"muster: a write to the KVS failed: {type(e).__name__}: {e}")
            self._end(False)

    def copy(self, source, target, wanted):
        """Copies the value of the key source to the key target in one step, if wanted() is true when the value was looked up."""

        def found(future):
            value = ffi.new("char *[1]")
            if lib.flux_kvs_lookup_get_treeobj(future.handle, value) < 0:
                self.log.error(f"muster: {source} in the KVS: {os.strerror(ffi.errno)}")
            elif wanted():
                self.write([(target, ffi.string(value[0]), None)])

        Future(self.h.flux_kvs_lookup(None, FLUX_KVS_TREEOBJ, source)).then(found)

    def _written(self, future):
        if future is self.writing:
            ok = lib.flux_future_get(future.handle, ffi.NULL) == 0
            if not ok:
                self.log.error(f"muster: a write to the KVS failed: {os.strerror(ffi.errno)}")
            self._end(ok)

    def _end(self, ok):
        for done in self.done:
            try:
                done(ok)
            except Exception as e:
                self.log.error(f"muster: after a write to the KVS: {type(e).__name__}: {e}")
        self.writing = None
        if self.queue:
            self._next()

    def flush(self):
        """Makes all waiting writes, and returns when they are complete."""
        while self.writing is not None:
            self._written(self.writing)


class Records:
    """The KVS records of this instance: the state for the next bridge, R, and the drains for readers in the instance and for flux-core's
    own module."""

    def __init__(self, broker, local):
        self.local, self.log, self._kvs = local, broker.log, Kvs(broker.h, broker.log)
        self.logged = {}  # broker rank -> reason of its drain in the eventlog
        self._remembered = None  # the status that the KVS has
        self._R = self._scheduling = None  # those that the KVS has
        self._state = json.loads(self._kvs.read(STATE) or b"{}")
        self._last = dict(self._state)  # as the last bridge left it
        self.owner = self._state.setdefault("owner", f"flux:{socket.gethostname()[:64]}:{uuid.uuid4()}")

    # ---- the state of the last bridge
    def last_R(self):
        """Returns the R of the last bridge of this instance, or None."""
        self._R = self._kvs.read(OWN_R)
        if "method" not in self._state or not self._R:
            return None
        self.local.hosts.method, self._scheduling = self._state["method"], b""
        return json.loads(self._R)

    def last_scheduling(self):
        """Returns scheduling from the KVS, or b"" if it is incomplete."""
        known, data = self._state.get("scheduling", [0, 0]), bytearray()
        for number in range(-(-known[0] // PIECE)):
            data += self._kvs.read(f"{SCHEDULING_KEY}.{number}") or b""
        self._scheduling = data if [len(data), zlib.crc32(data)] == known else b""
        return self._scheduling

    def recognize(self, scheduling):
        if [len(scheduling), zlib.crc32(scheduling)] == self._state.get("scheduling"):
            self._scheduling = scheduling

    def restore(self, history):
        """Reads the drains and exclusions of the last bridge, and the eventlog that flux-core's own module wrote. history: the number of
        seconds for which entries stay in the eventlog after a checkpoint has the drains."""
        local, known = self.local, set()
        for drain in self._last.get("pending", []):
            local.pending[drain["id"]] = {**drain, "ranks": local.hosts.locate(drain)}
            known |= local.hosts.locate(drain)
        for drain in self._last.get("drain", []):
            ranks = local.hosts.locate(drain)
            known |= ranks
            if ranks:
                local.status["drain"][encode(ranks)] = {"timestamp": drain["timestamp"], "reason": drain["reason"]}
        local.status["exclude"] = encode(local.hosts.locate(self._last.get("exclude", {"idset": ""})))
        local.marks["down"] = self._last.get("marks", {})
        local.blocked, self.logged = local.withheld(), self._replay(history)
        for reason, ranks in by_reason({r: why for r, why in self.logged.items() if r not in known}):
            self.log.info(f"muster: {local.hosts.named(ranks)} drained before Muster served this instance; Muster will be told")
            local.keep(str(uuid.uuid4()), ranks, reason, "update", (os.getuid(), OWNER))

    def _replay(self, history):
        """Returns the drained ranks and their reasons according to checkpoint.resource and resource.eventlog. Removes old entries
        from the eventlog, and, if flux-core 0.61 or older wrote it, all entries except drains, undrains and definitions."""
        check, drained, lines = json.loads(self._kvs.read(CHECKPOINT) or b"{}"), {}, (self._kvs.read(LOG) or b"").splitlines()
        try:
            events = [json.loads(line) for line in lines]
            starts = [i for i, event in enumerate(events) if event["name"] == "resource-init"]
            if starts:
                was, names = events[starts[-1]]["context"]["drain"].items(), ("drain", "undrain", "resource-define")
                old = [{"timestamp": o["timestamp"], "name": "drain", "context": {**o, "idset": ids}} for ids, o in was]
                events = old + [event for event in events[starts[-1] + 1 :] if event["name"] in names]
            for event in [{"context": {**o, "idset": ids}} for ids, o in check.get("drain_state", {}).items()] + events:
                name, context = event.get("name", "drain"), event["context"]
                if name not in ("drain", "undrain") or event.get("timestamp", math.inf) < check.get("timestamp", 0):
                    continue
                context.setdefault("nodelist", self.local.hosts.named(decode(context["idset"])))
                for rank in self.local.hosts.locate(context):
                    if name == "undrain":
                        drained.pop(rank, None)
                    elif context.get("overwrite", 1) or not drained.get(rank):
                        drained[rank] = context.get("reason") or ""
            first = min(time.time() - history, check.get("timestamp", 0))
            left = [json.dumps(event) + "\n" for event in events if event["timestamp"] >= first]
        except (AttributeError, KeyError, TypeError, ValueError) as e:
            raise ValueError(f"{LOG} or {CHECKPOINT} in the KVS cannot be read: {type(e).__name__}: {e}") from e
        if len(left) < len(lines):
            self.log.info(f"{LOG}: reduced from {len(lines)} to {len(left)} entries")
            self._kvs.write([(LOG, "".join(left).encode(), False)])
        return drained

    # ---- the eventlog and the state for the next bridge
    def after(self, done):
        """Calls done when all waiting writes are complete."""
        self._kvs.after(done)

    def append(self, line, done=lambda ok: None):
        self._kvs.write([(LOG, line.encode(), True)], done)

    def note(self, name, ranks, reason, overwrite):
        """Adds a drain or undrain of Muster to the eventlog, unless the eventlog has it."""
        unknown = {r for r in ranks if not self.logged.get(r) and (reason or self.logged.get(r) is None)}
        if name == "undrain" or overwrite or unknown:
            self.append(self.record(name, ranks, reason, overwrite), lambda ok: ok or self.unsure(ranks))

    def event(self, name, **context):
        """Returns a line of the eventlog. Times go up, because readers skip what is older than their checkpoint."""
        self._state["logged"] = max(time.time(), self._state.get("logged", 0))
        return json.dumps({"timestamp": self._state["logged"], "name": name, "context": context}) + "\n"

    def _line(self, name, ranks, reason="", overwrite=0, **context):
        where, why = self.local.hosts.placed(ranks), {"reason": reason} if reason else {}
        self.log.info(f"{name} idset={where['idset']} nodelist={where['nodelist']} overwrite={overwrite} reason={reason}")
        return self.event(name, **where, **why, overwrite=overwrite, **context)

    def record(self, name, ranks, reason, overwrite, **context):
        """Returns the line of the eventlog for a drain or undrain, which counts as written."""
        if name == "undrain":
            self.logged = {rank: why for rank, why in self.logged.items() if rank not in ranks}
        else:
            self.logged.update({rank: reason for rank in ranks if overwrite or not self.logged.get(rank)})
        return self._line(name, ranks, reason, overwrite, **context)

    def unsure(self, ranks):
        """The KVS may not have a line about these ranks. The next comparison with Muster writes it again."""
        self.logged.update(dict.fromkeys(ranks))

    def mirror(self):
        """Makes the drains in the eventlog those of Muster, for readers in the instance and for flux-core's own module."""
        want = {rank: d["reason"] for d in self.local.pending.values() for rank in d["ranks"]}
        want.update({rank: entry["reason"] for ids, entry in self.local.status["drain"].items() for rank in decode(ids)})
        gone, self.logged, logged = set(self.logged) - set(want), want, self.logged
        lines = self._line("undrain", gone) if gone else ""
        for reason, ranks in by_reason({rank: why for rank, why in want.items() if logged.get(rank) != why}):
            lines += self._line("drain", ranks, reason, 1)
        self.local.blocked = self.local.withheld()
        if lines or self.local.status != self._remembered:
            self.remember(lines, lambda ok: ok or vars(self).update(logged=logged, _remembered=None))

    def remember(self, lines="", done=lambda ok: None):
        """Writes the state for the next bridge, and lines of the eventlog, in one transaction."""
        hosts, status = self.local.hosts, self.local.status
        pending = [{k: v for k, v in d.items() if k in SAVED} for d in self.local.pending.values() if not d.get("made")]
        drain = [{**hosts.placed(decode(ids)), **entry} for ids, entry in status["drain"].items()]
        self._remembered = status
        self._state.update(method=hosts.method, exclude=hosts.placed(decode(status["exclude"])), drain=drain, pending=pending)
        self._state["marks"] = self.local.marks["down"]
        self._kvs.write([(LOG, lines.encode(), True), (STATE, json.dumps(self._state).encode(), False)][not lines :], done)

    def checkpoint(self):
        """Writes all drains for flux-core's own module, and returns when the KVS has everything."""
        drains = {
            ids: {**entry, "timestamp": float(entry["timestamp"]), "nodelist": self.local.hosts.named(decode(ids))}
            for ids, entry in self.local.drains().items()
        }
        check = {"timestamp": max(time.time(), self._state.get("logged", 0)), "drain_state": drains}
        self._kvs.write([(CHECKPOINT, json.dumps(check).encode(), False)])
        self._kvs.flush()

    # ---- R
    def write_R(self):
        """Writes R and, in pieces, its scheduling for the next bridge, and both as a whole to resource.R for all others."""
        text, data, crc = json.dumps(self.local.hosts.R).encode(), self.local.hosts.scheduling, [0]
        if text == self._R and (data is self._scheduling or data == self._scheduling):
            return
        self._R, self._scheduling, self._state["scheduling"] = text, data, [0, 0]  # until all pieces are written
        self.remember()
        self._kvs.write([(OWN_R, text, False), (NEXT_R, text[:-1], False) if data else ("resource.R", text, False)])

        def piece(at):
            crc[0] = zlib.crc32(data[at : at + PIECE], crc[0])
            return data[at : at + PIECE]

        def finish(ok):
            if ok and self._R is text and self._scheduling is data:
                self._state["scheduling"] = [len(data), crc[0]]
                self._kvs.copy(NEXT_R, "resource.R", lambda: self._R is text)
            self.remember()

        for at in range(0, len(data), PIECE):
            self._kvs.write([(f"{SCHEDULING_KEY}.{at // PIECE}", functools.partial(piece, at), False)])
            self._kvs.write([(NEXT_R, lambda at=at: data[at : at + PIECE], True)])
        if data:
            self._kvs.write([(NEXT_R, b"}", True)], finish)


# --------------------------------------------------------------------------------------------------- the parts of the module
OPTIONS = {"noverify", "notruncate", "monitor-force-up"}  # of flux-core's own module
ANOTHER = 65534 if os.getuid() == 0 else 0  # a user who does not own the instance; Muster refuses no ping for root, and logs refusals
SHARED = "admin"  # the holder of drains that flux-core knows
MOST_PENDING, MOST_EVENTS, MOST_WAITUPS = 10_000, 10_000, 1_000
WINDOW, MOST_TRIES = 64, 5  # requests to Fluxion without an answer; how often a mark is sent that is refused
DECIDED = (errno.EEXIST, errno.EINVAL, errno.EPROTO)  # with these, Muster has refused a drain permanently


class Acquisition:
    """What the scheduler of this instance acquired: its request, which is answered as long as the scheduler lives, and the stream of
    Muster that the answers come from, which is opened again after each loss."""

    def __init__(self, broker, wire, local, terms, ask_R, settle):
        """terms: owner and grace. settle() is called when Muster has sent the whole state again, and after the end."""
        self.broker, self.wire, self.local, self.ask_R, self.settle = broker, wire, local, ask_R, settle
        self.owner, self.grace = terms
        self.said, self.held = Said(), None
        self.fluxion, self.audit = Fluxion(broker, wire, local), Audit(broker, wire, local)
        self.refused = None  # the sentence with which Muster refuses the acquisition
        self._request = self._call = None  # the scheduler's, and the one to Muster whose stream is open
        self._telling = self._muted = False
        self._asked = set()  # ranks for which the stream was opened again
        self._retry = self._first_until = 0.0

    # ---- the scheduler's request
    def on_acquire(self, msg):
        if self.held:
            return self.broker.fail(msg, errno.EBUSY, "the resources of this instance are acquired by its scheduler already")
        self.held, self._request, self.refused = Held(), msg, None
        self._first_until = time.monotonic() + 2
        return self.open()

    def on_acquire_cancel(self, msg):
        if self.held and lib.flux_cancel_match(msg.handle, self._request.handle):
            self.broker.fail(self._request, errno.ECANCELED)
            self._release()

    def on_acquire_mute(self, msg):
        self._muted = True
        self.broker.answer(msg)
        if self.held and not self.held.told:  # a scheduler that waits for its first response cannot be unloaded
            self.broker.fail(self._request, errno.ECANCELED, "the instance ends")
            self._release()

    def on_disconnect(self, msg):
        if self.held and lib.flux_disconnect_match(msg.handle, self._request.handle):
            self._release()

    def _release(self):
        self.wire.cancel(self._call, "resource.acquire-cancel")
        self.held = self._request = self._call = self.refused = None
        self.said.fresh = False
        self.fluxion.released()
        self.audit.released()
        self.settle()
        if self._telling:  # the rest of its first response must not reach the next scheduler
            self._telling = False
            self.broker.lane.lost("the scheduler left")

    def end(self):
        if self.held:
            self.broker.fail(self._request, errno.ECANCELED, "the resource module was unloaded")
        self.held = None

    # ---- the stream of Muster
    def start(self):
        """Takes the last known R for the time before the stream."""
        hosts = self.local.hosts
        self.said.first(hosts.nodes, set(), properties_of(hosts.R), hosts.R["execution"].get("expiration", 0.0), fresh=False)

    def open(self):
        if self.local.joined and self.held and not self._call:
            self._call = self.wire.call("resource.acquire", {"owner": self.owner, "grace": self.grace}, self._on_update, streaming=True)

    def lost(self):
        self._call, self.said.fresh = None, False

    def _abandon(self):
        """Cancels the stream. It is opened again after a second; its first response has the whole state."""
        self.wire.cancel(self._call)
        self.lost()
        self._retry = time.monotonic() + 1

    def reclaim(self):
        """Opens the stream again if it does not name hosts that are included again."""
        returned = self.held and self.held.returned(self.said, self.local.hosts.nodes, decode(self.local.status["exclude"]))
        if returned and returned != self._asked:
            self._abandon()
            self._asked = returned
            self.open()

    def tick(self, now):
        if now >= self._retry:
            self.open()
        if self.held and not self.held.told and not self.refused and now >= self._first_until + (30 if self._call else 0):
            self._first_without_muster()  # Muster is away or hangs

    def _on_update(self, errnum, body):
        if errnum:
            self._abandon()
            if errnum != errno.ECONNRESET:
                self.refused = body
                self.broker.once(f"resource.acquire: {body}; asking again every second")
            return None
        self.refused = None
        if b'"resources":' in body[:64]:
            return self._on_state(body)
        try:
            changed = self.said.update(json.loads(body), self.local.hosts.numbering.ids)
        except Exception:  # a rank that is down must not stay up; the first response of the next stream has the whole state
            self._abandon()
            raise
        self.local.blocked = self.local.blocked - self.said.up  # the last status is older
        return self.tell(changed)

    def _on_state(self, body):
        hosts, (o, scheduling) = self.local.hosts, cut(body, "up", self.wire.left_out)
        n, R = hosts.numbering, o["resources"]
        if any(r not in n.to or hosts.nodes[n.to[r]] != node for r, node in expand(R).items()):  # R is newer than that in force
            self._abandon()
            return self.ask_R()
        R = R if n.same else select(R, {r: n.to[r] for r in ranks_of(R)})
        self.said.first(expand(R), n.ids(o["up"]), properties_of(R), R["execution"].get("expiration", 0.0))
        self.settle()
        if not self.held.told:
            return self._first(R, scheduling if n.same else b"")
        # Hosts that are excluded are missing too, but R has them.
        changed = {r for r in self.held.strange(self.said) if hosts.nodes.get(r) != self.held.offered[r]}
        if changed:
            self.broker.once(f"R changed after the scheduler acquired it: {hosts.named(changed)} stay down until it is loaded again")
        return self.tell()

    # ---- the answers
    def _first_without_muster(self):
        hosts = self.local.hosts
        here = set(hosts.nodes) - decode(self.local.status["exclude"])
        self.said.nodes = {r: hosts.nodes[r] for r in here}
        if not self.said.up:  # the connection was lost before Muster sent the ranks that are up
            self.said.up = here - self.local.blocked
        self.broker.log.error("muster: Muster does not answer; the scheduler starts with the last known state")
        self._first(select(hosts.R, {r: r for r in here}), hosts.scheduling)

    def _first(self, R, scheduling):
        up = encode(self.held.first(self.said, self.local.up(self.said)))
        request, self._telling = self._request, True

        def told(errnum, _):
            if request is self._request:
                self._telling = False
                self.broker.fail(request, errnum) if errnum else self._told_first()

        self.broker.answer_R(request, b'{"resources":', R, scheduling, b',"up":"' + up.encode() + b'"}', told)

    def _told_first(self):
        self.broker.guard("marks", self.fluxion.acquired)
        self.audit.acquired()
        self.tell()

    def tell(self, among=None):
        if self.held and self.held.told and not self._muted and not self._telling:
            update = self.held.next(self.said, self.local.up(self.said, among), among)
            if update:
                self.broker.answer(self._request, update)


class Fluxion:
    """The marks of Muster in the scheduler of this instance, if it is Fluxion, whose requests name vertices of its graph. RFC 28 names
    whole ranks, so no other scheduler is sent marks. A Fluxion that is loaded has no marks. An object knows which marks the
    scheduler has, and sends the difference to those that Muster wants.

    Muster never names a node here: ranks are up and down by RFC 28, and a request about a node would start jobs on drained hosts."""

    def __init__(self, broker, wire, local):
        self.broker, self.wire, self.local = broker, wire, local
        self.changed = False  # whether Muster has sent other marks, which the KVS does not have
        self._asked = self._again = False  # whether resource.marks was sent, and has to be sent again after its answer
        self._ask_at, self._loads = math.inf, 0
        self._forget(False)

    def _forget(self, loaded):
        """Begins with a scheduler without marks, or with none. Answers of the one before do not count."""
        self._loads += 1
        self._loaded, self.takes = loaded, None  # takes: whether the scheduler has these requests; None until it has answered
        self._has, self._failed, self._waits = set(), {}, set()  # paths; path -> number of refusals; those not sent again yet
        self._news = []  # about refusals, for the log
        self._todo, self._open, self._since, self._retry = collections.deque(), 0, 0.0, math.inf
        self._time = 0.0  # of the answer of Muster whose marks the scheduler has or has refused

    # ---- the marks of Muster
    def ask(self):
        if self._asked or not self.local.joined:
            self._again = self._asked
            return
        self._asked, self._ask_at = True, math.inf
        self.wire.call("resource.marks", None, self._on_marks)

    def lost(self):
        self._asked = self._again = False
        self._ask_at = math.inf

    def _on_marks(self, errnum, body):
        self._asked = False
        if errnum:
            if errnum not in (errno.ECONNRESET, errno.ENOSYS):  # ENOSYS: an earlier Muster
                self._ask_at = time.monotonic() + 10
                if errnum != errno.EAGAIN:
                    self.broker.once(f"resource.marks: {body}; trying again every 10 s")
            return
        o = json.loads(body)
        marks = {"time": float(o["time"]), "down": {str(place): str(path) for place, path in o["down"].items()}}
        self.changed |= marks["down"] != self.local.marks["down"]
        self.local.marks = marks
        if self._again:
            self._again = False
            self.ask()
        self._send()

    # ---- the scheduler
    def acquired(self):
        """The scheduler has its first response. Requests that are sent now wait in its queue until its graph is made, before its jobs."""
        self._forget(True)
        self._request({}, self._on_probe)  # Fluxion refuses an empty request without a line in its log
        self._plan()
        self._send()

    def released(self):
        self._forget(False)

    def _request(self, payload, done):
        load, self._since = self._loads, time.monotonic()
        self._open += 1

        def answered(future):
            if load == self._loads:
                self._open, self._since = self._open - 1, time.monotonic()
                try:
                    future.get_str()
                    done(0, "")
                except OSError as e:
                    done(e.errno, e.strerror)
                except ValueError as e:
                    done(errno.EPROTO, str(e))

        future = self.broker.h.rpc("sched-fluxion-resource.set_status", payload, nodeid=0)
        future.then(lambda f: self.broker.guard("a mark", answered, f))

    def _on_probe(self, errnum, text):
        self.takes = errnum in (errno.EINVAL, errno.EPROTO)
        if not self.takes and errnum != errno.ENOSYS:
            self.broker.once(f"the scheduler is sent no marks, because it answers set_status with {text or 'success'}")
        self._send()

    def _send(self):
        """Sends what the scheduler has to be sent, and notes when it has everything."""
        if not self._loaded or self.takes is False:
            return
        if not self._todo and not self._open:
            self._plan()
        while self._todo and self._open < WINDOW:
            path, status = self._todo.popleft()
            self._request({"resource_path": path, "status": status}, functools.partial(self._on_answer, path, status))

    def _plan(self):
        wanted = {path for path in self.local.marks["down"].values() if path}
        self._failed = {path: n for path, n in self._failed.items() if path in wanted or path in self._has}
        self._waits &= self._failed.keys()
        for status, paths in (("down", wanted - self._has), ("up", self._has - wanted)):
            self._todo.extend((path, status) for path in sorted(paths - self._waits))
        if not self._todo:
            self._time = self.local.marks["time"]
        if self._news:
            more = f" and {len(self._news) - 3} more" if len(self._news) > 3 else ""
            self.broker.once(f"the scheduler refuses marks: {'; '.join(self._news[:3])}{more}")
            self._news = []

    def _on_answer(self, path, status, errnum, text):
        if errnum == errno.ENOSYS:  # the module is removed, or another version
            self.takes = False
            self._todo.clear()
        elif not errnum:
            self._failed.pop(path, None)
            self._has.add(path) if status == "down" else self._has.discard(path)
        else:
            # Fluxion answers EINVAL if it has no such vertex, which lasts until it is loaded again.
            tries = self._failed.get(path, 0) + 1 if errnum != errno.EINVAL else MOST_TRIES
            self._failed[path] = tries
            self._waits.add(path)
            self._news.append(f"{path} {status}: {text}")
            if tries < MOST_TRIES:
                self._retry = time.monotonic() + 10
        self._send()

    def tick(self, now):
        if now >= self._ask_at:
            self.ask()
        if now >= self._retry:
            self._retry = math.inf
            self._waits = {path for path in self._waits if self._failed.get(path, 0) >= MOST_TRIES}
            self._send()
        if self._open and now >= self._since + 600:
            self.broker.once("the scheduler has not answered a mark for 600 s; further marks wait for its answer")

    # ---- to Muster
    def report(self):
        """Returns which marks the scheduler has, for Muster; None if there is nothing to say."""
        down, failed = self.local.marks["down"], self._failed
        if not self._loaded or not (down or failed):
            return None
        refused = [place for place, path in sorted(down.items()) if not path or path in failed]
        return {"time": self._time, "takes": self.takes is not False, "refused": refused[:1000]}

    def state(self):
        return {"takes": self.takes, "has": len(self._has), "refused": len(self._failed), "time": self._time}


class Audit:
    """Questions of Muster about what the scheduler of this instance believes. Fluxion is asked by its own requests, another scheduler by
    sched.resource-status. Nothing is changed, whatever the answer is. The scheduler is sent no question before it has answered the last."""

    FIND, STATUS = "sched-fluxion-resource.find", "sched.resource-status"
    QUESTIONS = {  # the first one is refused at once and without a line in the log, so the others take the time between the answers
        "begin": (FIND, {}),
        "all": (FIND, {"criteria": "status=up or status=down", "format": "rv1_nosched"}),
        "down": (FIND, {"criteria": "status=down", "format": "rv1_nosched"}),
    }

    def __init__(self, broker, wire, local):
        self.broker, self.wire, self.local = broker, wire, local
        self._loaded = False  # whether a scheduler has its first response
        self._question = None  # the number of the question of Muster that has no answer
        self._asked = None  # what the scheduler was asked and has answered, until everything is there

    # ---- Muster
    def offer(self):
        """Tells Muster that this bridge answers questions. An earlier Muster does not know the topic."""
        self.wire.call("resource.audit-answer", {"question": 0}, lambda errnum, body: None)

    def on_question(self, number):
        self._question = number
        if not self._loaded:
            self._answer({"error": "no scheduler has acquired the resources"})
        elif self._asked is None:
            self._ask()

    def lost(self):
        self._question = None

    def _answer(self, result):
        number, self._question = self._question, None
        if number is not None:
            self.wire.call("resource.audit-answer", {"question": number, **result}, self._on_answered)

    def _on_answered(self, errnum, body):
        if errnum not in (0, errno.ECONNRESET, errno.ENOSYS):
            self.broker.once(f"resource.audit-answer: {body}")

    # ---- the scheduler
    def acquired(self):
        self._loaded, self._asked = True, None

    def released(self):
        self._loaded, self._asked = False, None
        self._answer({"error": "the scheduler ended before it answered"})

    def _ask(self, questions=QUESTIONS):
        asked = self._asked = {"": (self._question, time.monotonic(), questions)}

        def answered(name, future):
            if asked is self._asked:
                try:
                    asked[name] = time.monotonic(), 0, json.loads(future.get_str())
                except OSError as e:
                    asked[name] = time.monotonic(), e.errno, e.strerror
                except ValueError:
                    asked[name] = time.monotonic(), errno.EPROTO, "no JSON"
                if len(asked) == len(questions) + 1:
                    self._answered(asked)

        for name, (topic, payload) in questions.items():
            future = self.broker.h.rpc(topic, payload, nodeid=0)
            future.then(lambda f, name=name: self.broker.guard("an audit", answered, name, f))

    def _answered(self, asked):
        """Reads the answers of the scheduler. If Muster has asked again meanwhile, these are too old for its question."""
        self._asked = None
        number, since, questions = asked.pop("")
        if number != self._question:
            return None if self._question is None else self._ask()
        errors = [(errnum, text) for name, (_, errnum, text) in asked.items() if errnum and name != "begin"]
        if questions is self.QUESTIONS and errors and errors[0][0] == errno.ENOSYS:
            return self._ask({"status": (self.STATUS, None)})
        now = time.monotonic()
        result = {"seconds": now - since, "cost": now - asked.get("begin", (since,))[0]}
        if errors:
            nobody = "the scheduler cannot be asked"
            return self._answer({"error": nobody if errors[0][0] == errno.ENOSYS else f"the scheduler answers: {errors[0][1]}"})
        try:
            if "status" in asked:
                status = asked["status"][2]
                result["belief"] = self._belief(status["all"], status["down"], False)
            else:
                result["belief"] = self._belief(asked["all"][2]["R"], asked["down"][2]["R"], True)
        except (AttributeError, KeyError, TypeError, ValueError) as e:
            result = {"error": f"the scheduler answers nonsense: {type(e).__name__}: {e}"}
        return self._answer(result)

    def _belief(self, every, down, fluxion):
        """Returns the contents of two R, None for an R without ranks, with Muster's ranks. A host whose parts are all down is down."""
        every, down = ({"execution": {"R_lite": []}} if R is None else R for R in (every, down))
        whole, out, parts, text = {}, set(), {}, self.local.hosts.to_muster
        for entry in every["execution"]["R_lite"]:
            whole.update(dict.fromkeys(decode(str(entry["rank"])), dict(entry.get("children", {}))))
        for entry in down["execution"]["R_lite"]:
            ranks, children = decode(str(entry["rank"])), dict(entry.get("children", {}))
            all_down = {rank for rank in ranks if whole.get(rank) == children}
            out |= all_down
            if len(ranks) > len(all_down):
                for name in [f"{kind}{number}" for kind, ids in children.items() for number in decode(ids)]:
                    parts.setdefault(name, set()).update(ranks - all_down)
        belief = {"known": text(whole), "down": text(out)}
        if fluxion:
            belief["parts"] = {name: text(ranks) for name, ranks in sorted(parts.items())}
        belief["properties"] = {name.removesuffix("=1"): text(ranks) for name, ranks in properties_of(every).items()}
        return belief

    def tick(self, now):
        if self._asked is not None and now >= self._asked[""][1] + 600:
            self.broker.once("the scheduler has not answered a question of an audit for 600 s; it is asked nothing more until it answers")


class Journal:
    """The events of Muster, for those who follow resource.journal in this instance, and for the eventlog in the KVS."""

    def __init__(self, broker, wire, local, records, noticed):
        """noticed(R) is called when events of the present connection say that R or marks changed."""
        self.broker, self.wire, self.local, self.records, self._noticed = broker, wire, local, records, noticed
        self.following, self.count = False, 0  # count: of the events so far
        self._events, self._last, self._past = collections.deque(maxlen=MOST_EVENTS), None, []
        self._own = collections.deque(maxlen=MOST_PENDING)  # ids of drains that were published before Muster made them
        self._readers = broker.queue()

    # ---- from Muster
    def follow(self):
        self._past = []
        self.wire.call("resource.journal", None, self.on_event, streaming=True)

    def on_event(self, errnum, body):
        if errnum:
            self.following = False
            return None if errnum == errno.ECONNRESET else self.broker.once(f"resource.journal: {body}")
        end = body.find(b'],"R":')
        events, live = json.loads(body if end < 0 else body[:end] + b"]}")["events"], self.following
        R = any(event["name"] == "resource-define" for event in events)
        marks = any(event["name"] == "annotate" and "mark" in event.get("context", {}) for event in events)
        if live and (R or marks):
            self._noticed(R)
        for event in events if live else self._missed(events):
            self._take(event, live)
        return None

    def _missed(self, events):
        """Muster sends all past events, and then a batch without events. Returns those that came after the last connection."""
        self._past = (self._past + events)[-MOST_EVENTS:]
        if events:
            return []
        last, past, self._past, self.following = self._last, self._past, [], True
        if last in past:
            return past[len(past) - past[::-1].index(last) :]
        return [event for event in past if not last or event["timestamp"] > last["timestamp"]]

    def _take(self, event, live):
        self._last, self.local.outdated, context = event, True, event.get("context", {})
        self.count += 1
        context = {k: self.local.hosts.numbering.text(v) if k in ("idset", "ranks", "online") else v for k, v in context.items()}
        if event["name"] in ("drain", "exclude"):  # until the next status contains them
            self.local.blocked = self.local.blocked | decode(context.get("idset", ""))
        if "expiration" in context:  # flux-core writes a number with a point, and its tools compare it as one
            context["expiration"] = float(context["expiration"])
        if context.get("id") in self._own:
            return
        self.publish({**event, "context": context})
        if live and event["name"] in ("drain", "undrain") and context.get("holder", SHARED) in (SHARED, "*"):
            reason = " ".join(filter(None, (context.get("ticket"), context.get("reason"))))  # as in resource.status
            self.records.note(event["name"], decode(context["idset"]), reason, context.get("overwrite", 0))

    # ---- to the followers
    def publish(self, event):
        self._events.append((event["name"] == "resource-define", json.dumps(event)))
        for msg in self._readers:
            self._send(msg, [self._events[-1]])

    def publish_own(self, event):
        """Publishes a drain that Muster will make too."""
        self.publish(event)
        self._own.append(event["context"]["id"])

    def _send(self, msg, events):
        R = ',"R":' + json.dumps(self.local.hosts.R) if events and events[0][0] else ""
        self.broker.answer(msg, '{"events":[' + ",".join(text for _, text in events) + "]" + R + "}")

    def on_journal(self, msg):
        if not lib.flux_msg_is_streaming(msg.handle):
            return self.broker.fail(msg, errno.EPROTO, "journal requires streaming RPC flag")
        batch = []
        for event in [*self._events, None]:
            if batch and (event is None or len(batch) == 100 or event[0] or batch[0][0]):
                self._send(msg, batch)
                batch = []
            batch += [event] if event else []
        self._send(msg, [])
        return self._readers.append(msg)

    def on_journal_cancel(self, msg):
        for one in [m for m in self._readers if lib.flux_cancel_match(msg.handle, m.handle)]:
            self._readers.remove(one)
            self.broker.fail(one, errno.ENODATA)

    def end(self):
        for msg in self._readers:
            self.broker.fail(msg, errno.ECANCELED, "the resource module was unloaded")


class Changes:
    """The changes that users of this instance ask for. Drains that Muster has not made yet are kept here: they keep jobs away at once, and
    are sent until Muster has decided."""

    def __init__(self, broker, wire, local, records, acquisition, journal):
        self.broker, self.wire, self.local, self.records = broker, wire, local, records
        self.acquisition, self.journal = acquisition, journal
        self.speaks = False  # whether Muster accepts requests for other users
        self._arriving = {}  # id -> (msg, request, call) of drains that were sent to Muster and have no answer yet

    def connected(self):
        self.wire.call("resource.ping", {"seq": 0}, self._on_ping, cred=(ANOTHER, USER))

    def _on_ping(self, errnum, body):
        """Muster treats the request as one of the other user if it accepts requests for others, and refuses it if this user has no right.
        Otherwise, the request is one of the owner of this instance, who is never refused."""
        self.speaks = errnum == errno.EPERM or (not errnum and json.loads(body).get("userid") == ANOTHER)

    def lost(self):
        """Keeps the drains that Muster may not have made."""
        self.speaks = False
        for change in list(self._arriving):
            self._keep(change)

    def tick(self, now):
        self.send([d for d in self.local.pending.values() if d.get("retry", math.inf) <= now])
        for change in [change for change, (_, _, call) in self._arriving.items() if call.begun + 1.0 <= now]:
            self._keep(change)

    # ---- requests
    def on_change(self, msg):
        wanted, hosts = {"id": str(uuid.uuid4()), **json.loads(msg.payload_str or "{}")}, self.local.hosts
        if not msg.rolemask & OWNER and not self.speaks:
            raise OSError(errno.EPERM, "Request requires owner credentials")
        if msg.topic == "resource.drain" and msg.rolemask & OWNER and hosts.elsewhere(wanted.get("targets")):
            # The module of a host that R does not name drains the host when it starts, and a refusal would prevent its start.
            self.broker.log.warning(f"muster: no drain of rank {wanted['targets']}, because R does not name it: {wanted.get('reason')}")
            return self.broker.answer(msg)
        for key in {"targets", "ranks"} & set(wanted):
            wanted[key] = hosts.translate(wanted[key])
        if "properties" in wanted:
            wanted["properties"] = {name: hosts.translate(targets) for name, targets in wanted["properties"].items()}
        owner, change = msg.rolemask & OWNER, wanted["id"]
        keeps = msg.topic == "resource.drain" and owner and not wanted.get("holder") and not wanted.get("dry-run")
        if keeps and not (isinstance(wanted["targets"], str) and isinstance(wanted.get("reason") or "", str)):
            raise OSError(errno.EPROTO, "targets and reason of a drain are strings")
        if keeps and wanted.get("reason"):
            wanted["reason"] = clean(wanted["reason"])
        if keeps and not self.local.joined:
            return self._drain_here(msg, wanted)
        if msg.topic == "resource.undrain":
            self.send([d for d in self.local.pending.values() if "retry" in d])  # before the undrain, which must not overtake them
        if keeps:
            self._arriving[change] = msg, wanted, None
        # A user's request is not repeated: on the next connection, Muster may not accept requests for other users.
        options = {"cred": credentials(msg), "repeat": bool(owner), "wait": None if keeps else self.acquisition.grace}
        call = self.wire.call(msg.topic, wanted, functools.partial(self._answered, msg, wanted), **options)
        if change in self._arriving:  # otherwise, the wire has refused it
            self._arriving[change] = msg, wanted, call
        return None

    def _answered(self, msg, wanted, errnum, body):
        change, self.local.outdated = wanted["id"], True
        # flux-core accepts a drain with this mode although some of its hosts are excluded
        undecided = errnum and (errnum not in DECIDED or (errnum, wanted.get("mode")) == (errno.EINVAL, "update"))
        if undecided and change in self._arriving:
            self.broker.once(f"a drain of {wanted['targets']}: {body}; this instance keeps it until Muster takes it")
            return self._keep(change)
        self._arriving.pop(change, None)
        return self.records.after(lambda: self.broker.answer(msg, body, errnum))  # users may look for the change in the eventlog

    # ---- drains that Muster has not made
    def _keep(self, change):
        """Makes and answers a drain in this instance, after Muster was asked for the drain and has not made it."""
        msg, wanted, call = self._arriving.pop(change)
        try:
            self._drain_here(msg, wanted, call)
        except Exception as e:
            self.broker.fail(msg, getattr(e, "errno", None) or errno.EPROTO, sentence(e))
        if change not in self.local.pending:
            self.wire.cancel(call)

    def _drain_here(self, msg, wanted, call=None):
        """Makes a drain while Muster is away. The drain keeps jobs away at once, is written to the KVS, and is sent to Muster later.
        Drains of drained ranks are accepted too, because Muster may have ended the earlier drains just before the connection was
        lost. call: the request that Muster may still answer; it keeps its place before later requests."""
        ranks, mode, reason = self.local.hosts.ranks(wanted["targets"]), wanted.get("mode"), wanted.get("reason") or ""
        if mode not in (None, "update", "overwrite", "force-overwrite"):
            return self.broker.fail(msg, errno.EINVAL, f"invalid mode {mode!r}; a drain has update, overwrite or force-overwrite")
        if len(self.local.pending) >= MOST_PENDING:
            return self.broker.fail(msg, errno.EAGAIN, f"{MOST_PENDING} drains wait for Muster already; nothing was changed")
        drain = self.local.keep(wanted["id"], ranks, reason, mode, credentials(msg))
        self.acquisition.tell()
        level = {"overwrite": 1, "force-overwrite": 2}.get(mode, 0)
        line = self.records.record("drain", ranks, reason, level, id=wanted["id"])
        self.journal.publish_own(json.loads(line))
        self.broker.log.info(f"muster: {drain['nodelist']} drained while Muster is away")
        trouble = "the drain is in force until this instance ends, but the KVS did not take it"

        def written(ok):
            if ok:
                return self.broker.answer(msg)
            self.records.unsure(ranks)
            return self.broker.fail(msg, errno.EIO, trouble)

        self.records.remember(line, written)
        return self.send([drain], call)

    def send(self, drains, call=None):
        for drain in drains:
            drain.pop("retry", None)
            ranks, done = drain["ranks"] & self.local.hosts.nodes.keys(), functools.partial(self._decided, drain)
            if call and self.wire.awaits(call):
                call.done = done
            elif ranks:  # empty if R has none of these hosts
                o = {"id": drain["id"], "targets": self.local.hosts.translate(encode(ranks))}
                o.update({key: drain[key] for key in ("reason", "mode") if drain[key]})  # Muster would keep an empty reason as a reason
                self.wire.call("resource.drain", o, done, cred=tuple(drain["cred"]), repeat=True)

    def _decided(self, drain, errnum, body):
        if errnum in DECIDED and (drain["mode"] is None or len(drain["ranks"]) > 1):
            # Muster refuses a drain as a whole. The bridge drains each host separately, so that one host does not keep others up.
            del self.local.pending[drain["id"]]
            for rank in sorted(drain["ranks"]):
                one = ({rank}, drain["reason"], drain["mode"] or "update", drain["cred"])
                self.send([self.local.keep(str(uuid.uuid4()), *one)])
            return self.records.remember()
        if errnum and errnum not in DECIDED:
            self.broker.once(f"the drain of {drain['nodelist']} is not passed on: {body}; trying again every 10 s")
            drain["retry"] = time.monotonic() + 10
            return None
        if errnum and errnum != errno.EEXIST:
            self.broker.log.error(f"muster: Muster refused the drain of {drain['nodelist']}: {body}")
        drain["made"] = self.local.outdated = True
        return self.settle()

    def settle(self):
        """Drops drains that Muster has made, once the scheduler's view has them from Muster."""
        made = [change for change, drain in self.local.pending.items() if drain.get("made")]
        if made and (self.acquisition.said.fresh or not self.acquisition.held):
            for change in made:
                del self.local.pending[change]
            self.records.remember()
            self.acquisition.tell()


class Liveness:
    """Which brokers are online, and which hosts jobs use: for the requests of this instance, and as reports to Muster."""

    def __init__(self, broker, wire, local, owner, acquisition):
        self.broker, self.wire, self.local, self.owner, self._acquisition = broker, wire, local, owner, acquisition
        self.reports = False  # whether Muster has accepted the report of the present connection
        self._call = self._retry = None  # the report whose stream is open; when the next report is due after a refusal
        self._torpid = set()  # according to the last report
        self._next_usage, self._usage_asked = 0.0, False
        self._waitups, self._groups = broker.queue(), []

    # ---- the brokers
    def watch(self, online):
        """Follows the groups of brokers. online: the name of the group of brokers that are online."""
        self._groups = [self.broker.group(online, self._on_online), self.broker.group("broker.torpid", self._on_torpid)]

    def _on_online(self, ranks):
        lost, self.local.online = self.local.online - ranks, ranks
        if lost:
            self.broker.log.info(f"muster: brokers left: {self.local.hosts.named(lost)}")
        self._changed()

    def _on_torpid(self, ranks):
        self.local.torpid = ranks
        self._changed()

    def _changed(self):
        self._acquisition.tell()
        self.report()
        for msg in [m for m in self._waitups if m.payload["up"] == len(self.local.online)]:
            self._waitups.remove(msg)
            self.broker.answer(msg)

    def on_monitor_waitup(self, msg):
        up, size = msg.payload["up"], len(self.local.hosts.brokers)
        if not isinstance(up, int) or not 0 <= up <= size or len(self._waitups) >= MOST_WAITUPS:
            raise OSError(errno.EPROTO, f"up value is out of range: {up} of {size} brokers, {len(self._waitups)} wait")
        self._waitups.append(msg)
        self._changed()

    def on_monitor_force_down(self, msg):
        self._on_online(self.local.online - decode(msg.payload["ranks"]))
        self.broker.answer(msg)

    # ---- reports
    def lost(self):
        self._call = self._retry = None
        self.reports = False

    def renew(self):
        """Reports all brokers again, for a new R."""
        self.wire.cancel(self._call)
        self._call = self._retry = None
        self.report()

    def report(self):
        """Reports the liveness of brokers to Muster: that of all brokers on a new connection, and then the changes."""
        if not self.local.joined or self._retry is not None:
            return
        to_muster, nodes = self.local.hosts.to_muster, set(self.local.hosts.nodes)
        online, was_online, was_torpid = self.local.online & nodes, self.local.reported, self._torpid
        torpid = self.local.torpid & online
        self.local.reported, self._torpid = online, torpid
        if self._call is None:
            o = {"reporter": self.owner, "ranks": to_muster(nodes), "online": to_muster(online), "torpid": to_muster(torpid)}
            self._call = self.wire.call("resource.report", o, self.on_report, streaming=True)
            return
        for name, ranks, cause in (
            ("offline", was_online - online, "the broker left"),
            ("online", online - was_online, "the broker joined"),
            ("torpid", torpid - was_torpid, "the broker does not answer"),
            ("lively", (was_torpid - torpid) & online, "the broker answers"),
        ):
            if ranks:
                self.wire.change(f"resource.{name}", {"targets": to_muster(ranks), "cause": cause}, self._on_changed)

    def on_report(self, errnum, body):
        """Handles the response that begins a report, a question of Muster, or the end of a report."""
        self.reports = not errnum
        question = None if errnum else json.loads(body).get("audit")
        if question is not None:
            self._acquisition.audit.on_question(question)
        elif not errnum:
            self._acquisition.audit.offer()
        if errnum and errnum != errno.ECONNRESET:
            self.broker.once(f"resource.report: {body}; trying again")
            self._call, self._retry = None, time.monotonic() + (1 if errnum == errno.EAGAIN else 10)

    def _on_changed(self, errnum, body):
        if errnum and errnum != errno.ECONNRESET:
            self.wire.cancel(self._call)  # the next report has all ranks, and ends this stream
            self.on_report(errnum, body)

    def tick(self, now):
        if self._retry is not None and now >= self._retry:
            self._call = self._retry = None
            self.report()
        if now >= self._next_usage and self.local.joined and self.reports and not self._usage_asked:
            self._next_usage, self._usage_asked = now + 1, True
            future = self.broker.h.rpc("job-manager.resource-status", nodeid=0)
            future.then(lambda f: self.broker.guard("usage", self._on_allocation, f))

    def _on_allocation(self, future):
        self._usage_asked = False
        try:
            allocated = ranks_of(future.get()["allocated"])
        except OSError:  # the job manager is not loaded
            return
        if self.local.joined and self.reports:  # also if nothing changed: drain --wait=idle needs a report after the drain
            marks = self._acquisition.fluxion.report()
            usage = {"allocated": self.local.hosts.to_muster(allocated), **({"marks": marks} if marks else {})}
            self.wire.call("resource.usage", usage, self._on_usage)

    def _on_usage(self, errnum, body):
        if errnum not in (0, errno.ECONNRESET, errno.EAGAIN):
            self.broker.once(f"a report of usage: {body}")


class Queries:
    """The answers to questions about the state, which keep their parts until the state changes."""

    def __init__(self, broker, local, acquisition, ask_status):
        self.broker, self.local, self.acquisition, self.ask_status = broker, local, acquisition, ask_status
        self._made = {}  # parts of answers: name -> (key, value)
        self._waiters = broker.queue()  # requests for resource.sched-status

    def _mark(self, old):
        return {"muster": {"reachable": False, "as_of": round(self.local.status_time, 3)}} if old else {}

    def on_status(self, msg):
        self.ask_status(lambda errnum: self.broker.answer(msg, self._status(bool(errnum))), wait=2.0)

    def _status(self, old):
        online, every = self.local.online, self.local.hosts.everywhere  # these sets are replaced and never changed
        live = self._kept("live", (online, every), lambda: {"online": encode(online), "offline": encode(every - online)})
        live = {**live, "torpid": encode(self.local.torpid)}
        drain, exclude = self.local.drains(), self.local.status["exclude"]
        return {"R": self.local.hosts.R, "drain": drain, "exclude": exclude, **live, **self._mark(old)}

    def on_sched_status(self, msg):
        self._waiters.append(msg)
        if len(self._waiters) == 1:
            self.broker.h.rpc("job-manager.resource-status", nodeid=0).then(self._on_allocated)

    def _on_allocated(self, future):
        waiters = list(self._waiters)
        self._waiters.clear()
        try:
            answer, errnum = self._sched_status(future), 0
        except Exception as e:
            answer, errnum = sentence(e), getattr(e, "errno", None) or errno.EINVAL
        for msg in waiters:
            self.broker.guard("sched-status", self.broker.answer, msg, answer, errnum)

    def _sched_status(self, future):
        R, nodes = self.local.hosts.R, self.local.hosts.nodes
        try:
            allocated = future.get()["allocated"]
        except OSError as e:
            if e.errno != errno.ENOSYS:
                raise
            allocated = select(R, {}, nodes)
        held, here = self.acquisition.held, self.local
        held = held if held and held.told else None
        lost, exclude, offered = self.acquisition.said.lost, here.status["exclude"], held.offered if held else nodes
        key = (R, exclude, lost, len(lost), held, len(offered))
        ranks = self._kept("ranks", key, lambda: (nodes.keys() & offered.keys()) - decode(exclude) - lost)
        down = ranks - held.up if held else (ranks - here.online) | (ranks & (here.barred() | here.blocked))
        tags = {name: encode(having & ranks_of(allocated)) for name, having in properties_of(R).items()}
        tags = {name: text for name, text in tags.items() if text}
        execution = {**allocated["execution"], **({"properties": tags} if tags else {})}
        rest = json.dumps({"allocated": {**allocated, "execution": execution}, **self._mark(not here.joined)})
        every, down = (self._kept(name, (R, part), lambda: self._part(part)) for name, part in (("all", ranks), ("down", down)))
        return f'{{"all": {every}, "down": {down}, {rest[1:]}'

    def _part(self, ranks):
        return json.dumps(select(self.local.hosts.R, {r: r for r in ranks}, self.local.hosts.nodes))

    def _kept(self, name, key, make):
        """Returns the cached result of make() for the key, or calls make(). Identical objects in keys are not compared."""
        if name not in self._made or self._made[name][0] != key:
            self._made[name] = key, make()
        return self._made[name][1]

    def on_get(self, msg):
        hosts = self.local.hosts
        method = b',"method":' + json.dumps(hosts.method).encode() + b"}"
        self.broker.answer_R(
            msg, b'{"R":', hosts.R, hosts.scheduling, method, lambda errnum, _: errnum and self.broker.fail(msg, errnum)
        )


class Bridge:
    """The module: makes its parts, connects them with Muster, and distributes what both sides send."""

    CHANGES = (  # to the owner, and to users who may do this in Muster
        "drain undrain exclude include shrink expiration-update reload property-add property-remove annotate online offline torpid lively"
    ).split()
    OPEN = (*CHANGES, "disconnect", "status", "sched-status", "journal-cancel", "topo-get", "bridge")  # to all users of the instance

    def __init__(self, h, options, args):
        unknown, self._force_up = set(args) - OPTIONS, "monitor-force-up" in args  # for tests with hosts that do not exist
        if unknown:
            raise ValueError(f"unknown option: {min(unknown)}; the options are {', '.join(sorted(OPTIONS))}")
        self.broker, grace = Broker(h), float(options.get("grace", 60.0))
        self.local = Local(Hosts(hosts_of(h.attr_get("hostlist")), self._force_up))
        self.wire = Wire(h, options["socket"], self.broker.log, self._on_up, self._on_down)
        self.records = records = Records(self.broker, self.local)
        broker, wire, local = self.broker, self.wire, self.local
        self.acquisition = Acquisition(broker, wire, local, (records.owner, grace), self._ask_R, lambda: self.changes.settle())
        self.fluxion, self.audit = self.acquisition.fluxion, self.acquisition.audit
        self.journal = Journal(broker, wire, local, records, self._noticed)
        self.changes = Changes(broker, wire, local, records, self.acquisition, self.journal)
        self.liveness = Liveness(broker, wire, local, records.owner, self.acquisition)
        self.queries = Queries(broker, local, self.acquisition, self._ask_status)
        self._next_status, self._status_asked = 0.0, False
        self._start(math.inf if "notruncate" in args else parse_fsd(h.conf_get("resource.history", default="90d")))
        try:
            self._xml = local_xml(not h.conf_get("resource.norestrict", default=False))
        except (OSError, AttributeError) as e:
            self._xml = None
            self.broker.log.error(f"muster: the topology of this host cannot be read: {sentence(e)}")
        if not self._force_up:
            self.liveness.watch("sdmon.online" if h.conf_get("systemd.enable", default=False) else "broker.online")
        self._watchers = self._serve()
        self.changes.send(list(local.pending.values()))
        self._ticker = h.timer_watcher_create(0.25, lambda *_: self.broker.guard("the clock", self.tick), repeat=0.25)
        self._ticker.start()

    def _serve(self):
        """Serves each topic with the method on_TOPIC of a part, and changes with one method."""
        parts = {
            self.acquisition: ("acquire", "acquire-cancel", "acquire-mute"),
            self.journal: ("journal", "journal-cancel"),
            self.liveness: ("monitor-waitup", "monitor-force-down"),
            self.queries: ("status", "sched-status", "get"),
            self: ("disconnect", "topo-get", "topo-reduce", "config-reload", "bridge"),
        }
        handlers = {name: getattr(part, "on_" + name.replace("-", "_")) for part, names in parts.items() for name in names}
        handlers.update(dict.fromkeys(self.CHANGES, self.changes.on_change))
        return [self.broker.serve(name, on, USER | OWNER if name in self.OPEN else OWNER) for name, on in handlers.items()]

    # ---- the start and the end
    def _start(self, history):
        """Asks Muster for R before this module serves: the modules of other ranks ask for it while they are loaded."""
        hosts, path = self.local.hosts, self.wire.path
        R = None if self._force_up else self.records.last_R()
        if R:
            self._take_R(R)
        self.records.restore(history)
        try:
            status, got = ask(path, ["resource.status", "resource.get"], 5.0 if hosts.R is None else 0.0)
            o, scheduling = cut(got, "method")
            self.records.recognize(scheduling)
            hosts.method = o["method"]
            self._take_R(o["R"], scheduling)
            self._take_status(json.loads(status))
        except (OSError, ValueError, KeyError) as e:
            if hosts.R is None:
                raise ValueError(
                    f"the resource module cannot start: Muster at {path}: {sentence(e)}; and the KVS of this instance has no R from an"
                    " earlier start. Start Muster, or remove muster.socket from the configuration of the broker"
                ) from e
            self.broker.log.error(f"muster: {path}: {sentence(e)}; starting with R, exclusions and drains of the last start")
            self._take_R(hosts.raw, self.records.last_scheduling())
        self.acquisition.start()
        self.local.online = set(hosts.nodes) if self._force_up else set()
        self.records.append(self.records.event("resource-define", method=hosts.method))

    def stop(self):
        """Ends the streams, and writes Muster's drains and exclusions to the KVS, because flux-core's own module may read it next."""
        self.changes.lost()
        self.acquisition.end()
        self.journal.end()
        self.wire.close()
        self.broker.lane.close()
        try:
            self._take_status(json.loads(ask(self.wire.path, ["resource.status"], 0.0)[0]))
        except (OSError, ValueError):  # Muster is away: the KVS has the last known state
            pass
        self.records.checkpoint()

    # ---- the connection to Muster
    def _on_up(self):
        self.changes.connected()
        self._next_status = time.monotonic() + 5
        self.wire.call("resource.status", None, self._join)

    def _join(self, errnum, body):
        """Handles the first status on a connection. R is known then, and waiting drains were sent before. Sends the liveness, and
        then the acquisition."""
        if self.local.joined:
            return None
        if errnum:
            return self.broker.once(f"resource.status: {body}; asking again every second")
        self._take_status(json.loads(body))
        self.local.joined = True
        self.liveness.report()
        self.fluxion.ask()
        self.acquisition.open()
        self._ask_R()
        return self.journal.follow()

    def _on_down(self):
        self.local.joined = self.journal.following = self._status_asked = False
        for part in (self.acquisition, self.fluxion, self.audit, self.liveness, self.changes):
            part.lost()
        self.acquisition.tell()

    def _noticed(self, R):
        if R:
            self._ask_R()
        self.fluxion.ask()  # another R may have other paths

    def _ask_R(self):
        self.wire.call("resource.get", None, self.on_R)

    def on_R(self, errnum, body):
        if errnum:
            return self.broker.once(f"resource.get: {body}")
        o, scheduling = cut(body, "method", self.wire.left_out)
        self.local.hosts.method = o["method"]
        return self._take_R(o["R"], scheduling)

    def _take_R(self, raw, scheduling=None):
        """Puts an R with Muster's ranks in force, and scheduling if Muster sent it too."""
        known, nodes = self.wire.known if scheduling is None else scheduling, self.local.hosts.nodes
        trouble, self.wire.known = self.local.define(raw, known), known
        self.acquisition.tell()
        for text in trouble:
            self.broker.log.warning(f"muster: {text}")
        self.records.write_R()
        if self.local.joined and nodes.keys() != self.local.hosts.nodes.keys():
            self.liveness.renew()

    def _ask_status(self, done, **options):
        """Asks Muster for the status. done(errnum): an event may be older than the status, or newer than it."""
        count = self.journal.count

        def answered(errnum, body):
            if not errnum:
                self.broker.guard("resource.status", lambda: self._take_status(json.loads(body), count == self.journal.count))
            done(errnum)

        self.wire.call("resource.status", None, answered, **options)

    def _take_status(self, o, newest=True):
        if o["R"] != self.local.hosts.raw:
            self._take_R(o["R"])
        n, self.local.status_time = self.local.hosts.numbering, time.time()
        self.local.status = {"exclude": n.text(o["exclude"]), "drain": {n.text(ids): e for ids, e in o["drain"].items()}}
        if newest:
            self.records.mirror()
        if not self.acquisition.said.fresh:  # otherwise, the stream has the change earlier
            self.acquisition.tell()
        self.acquisition.reclaim()

    def tick(self):
        now, local = time.monotonic(), self.local
        if self.wire.up and not local.joined and now >= self._next_status:
            self._next_status = now + 1
            self.wire.call("resource.status", None, self._join)
        if (local.outdated or (not self.journal.following and now >= self._next_status)) and local.joined and not self._status_asked:
            self._next_status, self._status_asked, local.outdated = now + 5, True, False
            self._ask_status(lambda errnum: setattr(self, "_status_asked", False))
            if not self.journal.following:
                self.fluxion.ask()
        if self.fluxion.changed:
            self.fluxion.changed = False
            self.records.remember()
        for part in (self.liveness, self.acquisition, self.fluxion, self.audit, self.changes):
            part.tick(now)

    # ---- the other services of a resource module
    def on_disconnect(self, msg):
        self.acquisition.on_disconnect(msg)
        self.broker.disconnect(msg)

    def on_topo_get(self, msg):
        self.broker.answer(msg, self._xml) if self._xml else self.broker.fail(msg, errno.ENOSYS, "the topology of this host is not known")

    def on_topo_reduce(self, msg):
        """Other ranks send the contents of their hosts, which the bridge ignores, because R comes from Muster."""

    def on_config_reload(self, msg):
        parse_fsd(msg.payload.get("resource", {}).get("history", "0"))  # counts when this module is loaded again
        self.broker.answer(msg)

    def on_bridge(self, msg):
        """Returns the state of the bridge, for muster flux-check and for tests."""
        local, said, held = self.local, self.acquisition.said, self.acquisition.held
        told = {"up": encode(held.up), "ranks": encode(held.offered)} if held and held.told else None
        state = {"owner": self.records.owner, "joined": local.joined, "speaks": self.changes.speaks, "refused": self.acquisition.refused}
        state.update(trouble=local.hosts.trouble, following=self.journal.following, reported=self.liveness.reports)
        state.update(pending=len(local.pending), acquired=said.fresh, told=told, marks=self.fluxion.state())
        self.broker.answer(msg, {**state, **self.wire.counters})


def sentence(e):
    """Returns what an exception says, without the number that Python puts before the text of an OSError."""
    return getattr(e, "strerror", None) or str(e)


def clean(reason):
    """Returns a reason, which may be any text in Flux, as Muster accepts it: one line of at most 4,096 characters."""
    line = re.sub("[\0-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]", " ", reason)
    return line if len(line) <= 4096 else line[:4093] + "..."


def credentials(msg):
    return msg.userid, msg.rolemask & (OWNER | USER)


def by_reason(reasons):
    return [(why, {rank for rank, one in reasons.items() if one == why}) for why in sorted(set(reasons.values()))]


def ask(path, topics, patience):
    """Sends requests over a separate connection and returns the answers; for times when the reactor does not run.
    Waits up to `patience` seconds for Muster to accept the connection, and then 60 s for each answer, or 5 s without patience."""
    end = time.monotonic() + patience
    while True:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s:
            try:
                s.settimeout(60.0 if patience else 5.0)
                s.connect(path)
                welcome = s.recv(1)
                if welcome != b"\0":
                    raise OSError(welcome[0] if welcome else errno.ECONNRESET, "the connection was refused")
                return [exchange(s, topic) for topic in topics]
            except OSError:
                if time.monotonic() >= end:
                    raise
        time.sleep(0.1)


def exchange(s, topic):
    s.sendall(request(topic, None, 0, (ANY, 0), 1))
    data, size = bytearray(), 8
    while len(data) < size:
        more = s.recv(min(size - len(data), 1 << 20))
        data += more
        if len(data) == size == 8:
            size = 8 + struct.unpack_from(">I", data, 4)[0]
        if not more or data[:4] != MAGIC[: len(data)] or size > LARGEST_FRAME:
            raise OSError(errno.EPROTO, f"{topic} was not answered with a frame of Flux")
    _, errnum, _, part = unframe(data, 8, size)
    trim(data, *(part or (0, 0)))
    if errnum:
        raise OSError(errnum, f"{topic}: {data.decode() or os.strerror(errnum)}")
    return data


def local_xml(restrict=True):
    """Returns the hwloc topology of this host, in the form that the resource modules of other ranks use."""
    hwloc = ctypes.CDLL(ctypes.util.find_library("hwloc") or "libhwloc.so.15")
    topology, text, size = ctypes.c_void_p(), ctypes.c_char_p(), ctypes.c_int()
    hwloc.hwloc_topology_init(ctypes.byref(topology))
    hwloc.hwloc_topology_set_io_types_filter(topology, 3)  # HWLOC_TYPE_FILTER_KEEP_IMPORTANT
    hwloc.hwloc_topology_set_icache_types_filter(topology, 2)  # HWLOC_TYPE_FILTER_KEEP_STRUCTURE
    if hwloc.hwloc_topology_load(topology) < 0:
        raise OSError(errno.EIO, "hwloc_topology_load failed")
    if restrict:
        hwloc.hwloc_bitmap_alloc.restype = ctypes.c_void_p
        binding = ctypes.c_void_p(hwloc.hwloc_bitmap_alloc())
        hwloc.hwloc_get_cpubind(topology, binding, 1)
        hwloc.hwloc_topology_restrict(topology, binding, ctypes.c_ulong(0))
        hwloc.hwloc_bitmap_free(binding)
    if hwloc.hwloc_topology_export_xmlbuffer(topology, ctypes.byref(text), ctypes.byref(size), ctypes.c_ulong(0)) < 0:
        raise OSError(errno.EIO, "hwloc_topology_export_xmlbuffer failed")
    return text.value


def mod_main(h, *args):
    options = h.conf_get("muster", default=None) or {}
    if h.get_rank() or not options.get("socket"):
        raise ValueError("the bridge to Muster runs on rank 0 and needs muster.socket in the configuration of the broker")
    bridge = Bridge(h, options, args)
    try:
        if h.reactor_run() < 0:
            raise OSError(errno.EIO, "the reactor ended with an error")
    finally:
        bridge.stop()
