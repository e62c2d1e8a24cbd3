"""The bridge: a broker module that serves the topics of flux-core's `resource` module from a Muster daemon.

rc1.d/muster.py loads it on rank 0 under the name `resource`, when the configuration of the broker has a key muster.socket:

    [muster]
    socket = "/run/muster/muster.sock"
    grace = 60.0        # seconds that the acquisition waits for the bridge, and changes wait for Muster

The file has three sections, because the loader of the broker imports one file: the wire (a connection to Muster that is opened
again whenever it is lost), the held stream (the knowledge of the scheduler, and the updates for it), and the module. The first
two need no Flux: the wire uses a reactor with the methods fd_watcher_create and timer_watcher_create, as flux.Flux has them.

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
            later, self.waiting, self.waiting_bytes = self.waiting, [], 0
            self._guarded(self.on_up)()
            self._send_again(later)
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

    def _send_again(self, calls):
        for call in calls:
            self._send(call) if self.up else self._wait(call)

    def _expire(self):
        now = self.clock()
        if self.up and now >= self.again_at and self.waiting:
            later, self.waiting, self.waiting_bytes = self.waiting, [], 0
            self._send_again(later)
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
    """The state of this instance's brokers, and the last known state of Muster, for the time without a connection."""

    def __init__(self):
        self.online, self.torpid = set(), set()
        self.pending = {}  # id -> drain that Muster has not made yet, with its "ranks"
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


# ------------------------------------------------------------------------------------------------------------- the module
STATE, SCHEDULING_KEY, LOG = "resource.muster.state", "resource.muster.scheduling", "resource.eventlog"
OWN_R, NEXT_R, CHECKPOINT = "resource.muster.R", "resource.muster.next", "checkpoint.resource"
OPTIONS = {"noverify", "notruncate", "monitor-force-up"}  # of flux-core's own module
OWNER, USER = 1, 2
ANOTHER = 65534 if os.getuid() == 0 else 0  # a user who does not own the instance; Muster refuses no ping for root, and logs refusals
PIECE = 1 << 19
SHARED = "admin"  # the holder of drains that flux-core knows
MOST_PENDING, MOST_EVENTS, MOST_WAITUPS = 10_000, 10_000, 1_000
DECIDED = (errno.EEXIST, errno.EINVAL, errno.EPROTO)  # with these, Muster has refused a drain permanently


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


class Bridge:
    OPEN = ("disconnect", "status", "sched-status", "journal-cancel", "topo-get", "bridge")  # to all users of the instance
    OWNERS = (
        "acquire acquire-cancel acquire-mute get journal topo-reduce monitor-waitup monitor-force-down config-reload"
    ).split()
    CHANGES = (  # to the owner, and to users who may do this in Muster
        "drain undrain exclude include shrink expiration-update reload property-add property-remove annotate online offline torpid lively"
    ).split()

    def __init__(self, h, options, args):
        self.h, self.log, self.grace = h, BrokerLogger(h), float(options.get("grace", 60.0))
        unknown = set(args) - OPTIONS
        if unknown:
            raise ValueError(f"unknown option: {min(unknown)}; the options are {', '.join(sorted(OPTIONS))}")
        self.force_up = "monitor-force-up" in args  # for tests with hosts that do not exist
        self.brokers = hosts_of(h.attr_get("hostlist"))
        self.kvs, self.said, self.local = Kvs(h, self.log), Said(), Local()
        self.R = self.raw_R = self.numbering = self.written_R = self.written_scheduling = None
        self.scheduling, self.method, self.nodes, self.telling = b"", "configuration", {}, False
        self.wire = Wire(h, options["socket"], self.log, self.on_up, self.on_down)
        self.lane = Wire(h, h.attr_get("local-uri").removeprefix("local://"), lambda *_: None)  # to this broker
        self.lane.most = float("inf")
        self.status = {"drain": {}, "exclude": ""}  # Muster's last answer, in broker ranks
        self.status_time, self.status_asked, self.status_old = time.time(), False, False
        self.changes, self.remembered = 0, None  # events so far; the status that the KVS has
        self.arriving = {}  # id -> (msg, request, call) of drains that were sent to Muster and have no answer yet
        self.logged = {}  # broker rank -> reason of its drain in the eventlog
        self.by_host, self.everywhere = {}, set()  # host -> its ranks; the ranks of R and of brokers
        self.held = self.scheduler = None  # the knowledge of the scheduler, and its request
        self.made = {}  # parts of answers: name -> (key, value)
        self.acquiring = self.reporting = None  # Calls whose streams are open
        self.reported_torpid = set()
        self.asked = set()  # ranks for which the acquisition was opened again
        self.refused, self.complaints, self.trouble = None, collections.deque(maxlen=20), []
        self.joined = self.muted = self.speaks = self.following = self.reporter = self.usage_asked = False
        self.next_status = self.next_usage = self.retry_report = self.retry_acquire = self.first_until = 0.0
        self.events, self.last_event, self.batch = collections.deque(maxlen=MOST_EVENTS), None, []
        self.journals, self.waitups, self.sched_waiters, self.own = [], [], [], collections.deque(maxlen=MOST_PENDING)
        self.places = {host: rank for rank, host in reversed(list(enumerate(self.brokers)))}
        self.restore(math.inf if "notruncate" in args else parse_fsd(h.conf_get("resource.history", default="90d")))
        self.learn(options["socket"])
        self.kvs.write([(LOG, self.event("resource-define", method=self.method).encode(), True)])
        try:
            self.xml = local_xml(not h.conf_get("resource.norestrict", default=False))
        except (OSError, AttributeError) as e:
            self.xml = None
            self.log.error(f"muster: the topology of this host cannot be read: {sentence(e)}")
        online = "sdmon.online" if h.conf_get("systemd.enable", default=False) else "broker.online"
        if not self.force_up:
            self.groups = [self.group(online, self.on_online), self.group("broker.torpid", self.on_torpid)]
        self.watchers = [self.serve(n, USER | OWNER if n not in self.OWNERS else OWNER) for n in (*self.OPEN, *self.OWNERS, *self.CHANGES)]
        for drain in self.local.pending.values():
            self.send_drain(drain)
        self.ticker = h.timer_watcher_create(0.25, lambda *_: self.guard("the clock", self.tick), repeat=0.25)
        self.ticker.start()

    # ---- plumbing
    def guard(self, what, function, *args):
        try:
            return function(*args)
        except Exception as e:  # an exception that escapes ends the instance
            return self.log.error(f"muster: {what}: {type(e).__name__}: {e}")

    def once(self, text):
        if text not in self.complaints:
            self.complaints.append(text)
            self.log.error(f"muster: {text}")

    def serve(self, name, roles):
        handler = getattr(self, "on_" + name.replace("-", "_"), self.on_change)

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

    def fail(self, msg, errnum, text=None):
        self.answer(msg, text, errnum)

    # ---- the state in the KVS
    def restore(self, history):
        """Reads the state that the last bridge of this instance wrote, and the eventlog that flux-core's own module wrote. history:
        the number of seconds for which entries stay in the eventlog after a checkpoint has the drains."""
        self.state = json.loads(self.kvs.read(STATE) or b"{}")
        self.owner = self.state.setdefault("owner", f"flux:{socket.gethostname()[:64]}:{uuid.uuid4()}")
        self.written_R = None if self.force_up else self.kvs.read(OWN_R)
        if "method" in self.state and self.written_R:
            self.method, self.written_scheduling = self.state["method"], b""
            self.take_R(json.loads(self.written_R))
        known = set()
        for drain in self.state.get("pending", []):
            self.local.pending[drain["id"]] = {**drain, "ranks": self.locate(drain)}
            known |= self.locate(drain)
        for drain in self.state.get("drain", []):
            ranks = self.locate(drain)
            known |= ranks
            if ranks:
                self.status["drain"][encode(ranks)] = {"timestamp": drain["timestamp"], "reason": drain["reason"]}
        self.status["exclude"] = encode(self.locate(self.state.get("exclude", {"idset": ""})))
        self.local.blocked, self.logged = self.blocked(), self.replay(history)
        for reason, ranks in by_reason({r: why for r, why in self.logged.items() if r not in known}):
            self.log.info(f"muster: {self.named(ranks)} drained before Muster served this instance; Muster will be told")
            self.keep_drain(str(uuid.uuid4()), ranks, reason, "update", (os.getuid(), OWNER))

    def replay(self, history):
        """Returns the drained ranks and their reasons according to checkpoint.resource and resource.eventlog. Removes old entries
        from the eventlog, and, if flux-core 0.61 or older wrote it, all entries except drains, undrains and definitions."""
        check, drained, lines = json.loads(self.kvs.read(CHECKPOINT) or b"{}"), {}, (self.kvs.read(LOG) or b"").splitlines()
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
                context.setdefault("nodelist", self.named(decode(context["idset"])))
                for rank in self.locate(context):
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
            self.kvs.write([(LOG, "".join(left).encode(), False)])
        return drained

    def locate(self, entry):
        """Returns the present ranks of the hosts of an entry."""
        pairs = zip(sorted(decode(entry["idset"])), hosts_of(entry.get("nodelist") or ""))
        ranks = {rank if self.host(rank) == host else self.places.get(host) for rank, host in pairs}
        return ranks - {None}

    def host(self, rank):
        return self.nodes[rank][0] if rank in self.nodes else self.brokers[rank] if rank < len(self.brokers) else None

    def named(self, ranks):
        return hostlist(self.host(r) or f"rank{r}" for r in sorted(ranks))

    def placed(self, ranks):
        return {"idset": encode(ranks), "nodelist": self.named(ranks)}

    def line(self, name, ranks, reason="", overwrite=0, **context):
        where, why = self.placed(ranks), {"reason": reason} if reason else {}
        self.log.info(f"{name} idset={where['idset']} nodelist={where['nodelist']} overwrite={overwrite} reason={reason}")
        return self.event(name, **where, **why, overwrite=overwrite, **context)

    def event(self, name, **context):
        """Returns a line of the eventlog. Times go up, because readers skip what is older than their checkpoint."""
        self.state["logged"] = max(time.time(), self.state.get("logged", 0))
        return json.dumps({"timestamp": self.state["logged"], "name": name, "context": context}) + "\n"

    def remember(self, lines="", done=lambda ok: None):
        """Writes the state for the next bridge, and lines of the eventlog, in one transaction."""
        pending = [{k: v for k, v in d.items() if k in SAVED} for d in self.local.pending.values() if not d.get("made")]
        drain = [{**self.placed(decode(ids)), **entry} for ids, entry in self.status["drain"].items()]
        exclude = self.placed(decode(self.status["exclude"]))
        self.remembered = self.status
        self.state.update(method=self.method, exclude=exclude, drain=drain, pending=pending)
        self.kvs.write([(LOG, lines.encode(), True), (STATE, json.dumps(self.state).encode(), False)][not lines :], done)

    def mirror(self):
        """Makes the drains in the eventlog those of Muster, for readers in the instance and for flux-core's own module."""
        want = {rank: d["reason"] for d in self.local.pending.values() for rank in d["ranks"]}
        want.update({rank: entry["reason"] for ids, entry in self.status["drain"].items() for rank in decode(ids)})
        gone, self.logged, logged = set(self.logged) - set(want), want, self.logged
        lines = self.line("undrain", gone) if gone else ""
        for reason, ranks in by_reason({rank: why for rank, why in want.items() if logged.get(rank) != why}):
            lines += self.line("drain", ranks, reason, 1)
        self.local.blocked = self.blocked()
        if lines or self.status != self.remembered:
            self.remember(lines, lambda ok: ok or vars(self).update(logged=logged, remembered=None))

    def record(self, name, ranks, reason, overwrite, **context):
        """Returns the line of the eventlog for a drain or undrain, which counts as written."""
        if name == "undrain":
            self.logged = {rank: why for rank, why in self.logged.items() if rank not in ranks}
        else:
            self.logged.update({rank: reason for rank in ranks if overwrite or not self.logged.get(rank)})
        return self.line(name, ranks, reason, overwrite, **context)

    def unsure(self, ranks):
        """The KVS may not have a line about these ranks. The next comparison with Muster writes it again."""
        self.logged.update(dict.fromkeys(ranks))

    def blocked(self):
        return decode(self.status["exclude"]).union(*(decode(ids) for ids in self.status["drain"]))

    def write_R(self):
        """Writes R and, in pieces, its scheduling for the next bridge, and both as a whole to resource.R for all others."""
        text, data, crc = json.dumps(self.R).encode(), self.scheduling, [0]
        if text == self.written_R and (data is self.written_scheduling or data == self.written_scheduling):
            return
        self.written_R, self.written_scheduling, self.state["scheduling"] = text, data, [0, 0]  # until all pieces are written
        self.remember()
        self.kvs.write([(OWN_R, text, False), (NEXT_R, text[:-1], False) if data else ("resource.R", text, False)])

        def piece(at):
            crc[0] = zlib.crc32(data[at : at + PIECE], crc[0])
            return data[at : at + PIECE]

        def finish(ok):
            if ok and self.written_R is text and self.written_scheduling is data:
                self.state["scheduling"] = [len(data), crc[0]]
                self.kvs.copy(NEXT_R, "resource.R", lambda: self.written_R is text)
            self.remember()

        for at in range(0, len(data), PIECE):
            self.kvs.write([(f"{SCHEDULING_KEY}.{at // PIECE}", functools.partial(piece, at), False)])
            self.kvs.write([(NEXT_R, lambda at=at: data[at : at + PIECE], True)])
        if data:
            self.kvs.write([(NEXT_R, b"}", True)], finish)

    def read_scheduling(self):
        """Returns scheduling from the KVS, or b"" if it is incomplete."""
        known, data = self.state.get("scheduling", [0, 0]), bytearray()
        for number in range(-(-known[0] // PIECE)):
            data += self.kvs.read(f"{SCHEDULING_KEY}.{number}") or b""
        self.written_scheduling = data if [len(data), zlib.crc32(data)] == known else b""
        return self.written_scheduling

    # ---- connections to Muster
    def learn(self, path):
        """Asks Muster for R before this module serves: the modules of other ranks ask for it while they are loaded."""
        try:
            status, got = ask(path, ["resource.status", "resource.get"], 5.0 if self.R is None else 0.0)
            o, scheduling = cut(got, "method")
            if [len(scheduling), zlib.crc32(scheduling)] == self.state.get("scheduling"):
                self.written_scheduling = scheduling
            self.method = o["method"]
            self.take_R(o["R"], scheduling)
            self.take_status(json.loads(status))
        except (OSError, ValueError, KeyError) as e:
            if self.R is None:
                raise ValueError(
                    f"the resource module cannot start: Muster at {path}: {sentence(e)}; and the KVS of this instance has no R from an"
                    " earlier start. Start Muster, or remove muster.socket from the configuration of the broker"
                ) from e
            self.log.error(f"muster: {path}: {sentence(e)}; starting with R, exclusions and drains of the last start")
            self.take_R(self.raw_R, self.read_scheduling())
        self.said.first(self.nodes, set(), properties_of(self.R), self.R["execution"].get("expiration", 0.0), fresh=False)
        self.local.online = set(self.nodes) if self.force_up else set()

    def on_up(self):
        self.wire.call("resource.ping", {"seq": 0}, self.on_ping, cred=(ANOTHER, USER))
        self.next_status = time.monotonic() + 5
        self.wire.call("resource.status", None, self.join)

    def on_ping(self, errnum, body):
        """Muster treats the request as one of the other user if it accepts requests for others, and refuses it if this user has no right.
        Otherwise, the request is one of the owner of this instance, who is never refused."""
        self.speaks = errnum == errno.EPERM or (not errnum and json.loads(body).get("userid") == ANOTHER)

    def join(self, errnum, body):
        """Handles the first status on a connection. R is known then, and waiting drains were sent before. Sends the liveness, and
        then the acquisition."""
        if self.joined:
            return None
        if errnum:
            return self.once(f"resource.status: {body}; asking again every second")
        self.take_status(json.loads(body))
        self.joined, self.batch = True, []
        self.report()
        self.acquire()
        self.wire.call("resource.get", None, self.on_R)
        return self.wire.call("resource.journal", None, self.on_event, streaming=True)

    def on_down(self):
        self.joined = self.said.fresh = self.following = self.speaks = self.status_asked = self.reporter = False
        self.acquiring = self.reporting = None
        for change in list(self.arriving):
            self.keep_here(change)
        self.tell()

    def on_R(self, errnum, body):
        if errnum:
            return self.once(f"resource.get: {body}")
        o, scheduling = cut(body, "method", self.wire.left_out)
        self.method = o["method"]
        return self.take_R(o["R"], scheduling)

    def take_R(self, raw, scheduling=None):
        """Puts an R with Muster's ranks in force, and scheduling if Muster sent it too."""
        nodes = expand(raw)
        n = Numbering(nodes, self.brokers, self.force_up)
        self.numbering, self.raw_R, self.R = n, raw, raw if n.same else select(raw, n.to)
        known, self.nodes = self.nodes.keys(), {n.to[rank]: node for rank, node in nodes.items()}
        self.by_host, self.everywhere = {}, {*self.nodes, *range(len(self.brokers))}
        for rank, (host, _) in self.nodes.items():
            self.by_host.setdefault(host, set()).add(rank)
        self.places = {**{host: rank for rank, (host, _) in reversed(self.nodes.items())}, **self.places}
        self.wire.known = self.wire.known if scheduling is None else scheduling
        self.scheduling = self.wire.known if n.same else b""
        for drain in self.local.pending.values():
            drain["ranks"] = self.locate(drain)
        self.tell()
        trouble = {
            f"hosts of R without a broker, which stay down: {hostlist(n.foreign)}": n.foreign,
            f"brokers on hosts that are not in R: {hostlist(n.unknown)}": n.unknown,
            "the brokers have other ranks than Muster's R, so ranks are translated by host": not n.same,
            "the key scheduling of R is left out, because it has Muster's ranks": self.wire.known and not n.same,
        }
        was, self.trouble = self.trouble, [text for text, true in trouble.items() if true]
        for text in set(self.trouble) - set(was):
            self.log.warning(f"muster: {text}")
        self.write_R()
        if self.joined and known != self.nodes.keys():
            self.wire.cancel(self.reporting)
            self.reporting = None
            self.report()

    def ask_status(self, done, **options):
        """Asks Muster for the status. done(errnum): an event may be older than the status, or newer than it."""
        changes = self.changes

        def answered(errnum, body):
            if not errnum:
                self.guard("resource.status", lambda: self.take_status(json.loads(body), changes == self.changes))
            done(errnum)

        self.wire.call("resource.status", None, answered, **options)

    def take_status(self, o, newest=True):
        if o["R"] != self.raw_R:
            self.take_R(o["R"])
        n, self.status_time = self.numbering, time.time()
        self.status = {"exclude": n.text(o["exclude"]), "drain": {n.text(ids): e for ids, e in o["drain"].items()}}
        if newest:
            self.mirror()
        if not self.said.fresh:  # otherwise, the stream has the change earlier
            self.tell()
        returned = self.held and self.held.returned(self.said, self.nodes, decode(self.status["exclude"]))
        if returned and returned != self.asked:
            self.abandon()
            self.asked = returned
            self.acquire()

    # ---- liveness and usage
    def on_online(self, ranks):
        lost, self.local.online = self.local.online - ranks, ranks
        if lost:
            self.log.info(f"muster: brokers left: {self.named(lost)}")
        self.live_changed()

    def on_torpid(self, ranks):
        self.local.torpid = ranks
        self.live_changed()

    def live_changed(self):
        self.tell()
        self.report()
        for waitup in [w for w in self.waitups if w[1] == len(self.local.online)]:
            self.waitups.remove(waitup)
            self.answer(waitup[0])

    def to_muster(self, ranks):
        return encode(self.numbering.back[r] for r in ranks if r in self.numbering.back)

    def report(self):
        """Reports the liveness of brokers to Muster: that of all brokers on a new connection, and then the changes."""
        if not self.joined or self.reporting is False:
            return
        online = self.local.online & set(self.nodes)
        torpid, was_online, was_torpid = self.local.torpid & online, self.local.reported, self.reported_torpid
        self.local.reported, self.reported_torpid = online, torpid
        if self.reporting is None:
            sets = {"ranks": set(self.nodes), "online": online, "torpid": torpid}
            o = {"reporter": self.owner, **{key: self.to_muster(ranks) for key, ranks in sets.items()}}
            self.reporting = self.wire.change("resource.report", o, self.on_report, streaming=True)
            return
        for name, ranks, cause in (
            ("offline", was_online - online, "the broker left"),
            ("online", online - was_online, "the broker joined"),
            ("torpid", torpid - was_torpid, "the broker does not answer"),
            ("lively", (was_torpid - torpid) & online, "the broker answers"),
        ):
            if ranks:
                self.wire.change(f"resource.{name}", {"targets": self.to_muster(ranks), "cause": cause}, self.on_changed)

    def on_report(self, errnum, body):
        self.reporter = not errnum
        if errnum and errnum != errno.ECONNRESET:
            self.once(f"resource.report: {body}; trying again")
            self.reporting, self.retry_report = False, time.monotonic() + (1 if errnum == errno.EAGAIN else 10)

    def on_changed(self, errnum, body):
        if errnum and errnum != errno.ECONNRESET:
            self.wire.cancel(self.reporting)  # the next report has all ranks, and ends this stream
            self.on_report(errnum, body)

    def on_reported(self, errnum, body):
        if errnum not in (0, errno.ECONNRESET, errno.EAGAIN):
            self.once(f"a report of usage: {body}")

    def on_allocation(self, future):
        self.usage_asked = False
        try:
            allocated = ranks_of(future.get()["allocated"])
        except OSError:  # the job manager is not loaded
            return
        if self.joined and self.reporter:  # also if nothing changed: drain --wait=idle needs a report after the drain
            self.wire.call("resource.usage", {"allocated": self.to_muster(allocated)}, self.on_reported)

    def tick(self):
        now = time.monotonic()
        if self.wire.up and not self.joined and now >= self.next_status:
            self.next_status = now + 1
            self.wire.call("resource.status", None, self.join)
        if (self.status_old or (not self.following and now >= self.next_status)) and self.joined and not self.status_asked:
            self.next_status, self.status_asked, self.status_old = now + 5, True, False
            self.ask_status(lambda errnum: setattr(self, "status_asked", False))
        if self.reporting is False and now >= self.retry_report:
            self.reporting = None
            self.report()
        if now >= self.retry_acquire:
            self.acquire()
        if self.held and not self.held.told and not self.refused and now >= self.first_until + (30 if self.acquiring else 0):
            self.first()  # Muster is away or hangs: the scheduler gets the last known state
        if now >= self.next_usage and self.joined and self.reporter and not self.usage_asked:
            self.next_usage, self.usage_asked = now + 1, True
            self.h.rpc("job-manager.resource-status", nodeid=0).then(lambda f: self.guard("usage", self.on_allocation, f))
        for drain in [d for d in self.local.pending.values() if d.get("retry", now + 1) <= now]:
            self.send_drain(drain)
        for change in [change for change, (_, _, call) in self.arriving.items() if call.begun + 1.0 <= now]:
            self.keep_here(change)

    # ---- the scheduler
    def on_acquire(self, msg):
        if self.held:
            return self.fail(msg, errno.EBUSY, "the resources of this instance are acquired by its scheduler already")
        self.held, self.scheduler, self.refused = Held(), msg, None
        self.first_until = time.monotonic() + 2
        return self.acquire()

    def acquire(self):
        if self.joined and self.held and not self.acquiring:
            o = {"owner": self.owner, "grace": self.grace}
            self.acquiring = self.wire.call("resource.acquire", o, self.on_update, streaming=True)

    def abandon(self):
        """Cancels the stream of the acquisition. It is opened again after a second; its first response has the whole state."""
        self.wire.cancel(self.acquiring)
        self.acquiring, self.said.fresh, self.retry_acquire = None, False, time.monotonic() + 1

    def on_update(self, errnum, body):
        if errnum:
            self.abandon()
            if errnum != errno.ECONNRESET:
                self.refused = body
                self.once(f"resource.acquire: {body}; asking again every second")
            return None
        n, self.refused = self.numbering, None
        if b'"resources":' not in body[:64]:
            try:
                changed = self.said.update(json.loads(body), n.ids)
            except Exception:  # a rank that is down must not stay up; the first response of the next stream has the whole state
                self.abandon()
                raise
            self.local.blocked = self.local.blocked - self.said.up  # the last status is older
            return self.tell(changed)
        o, scheduling = cut(body, "up", self.wire.left_out)
        offered = expand(o["resources"])
        if any(r not in n.to or self.nodes[n.to[r]] != node for r, node in offered.items()):  # R is newer than self.R
            self.abandon()
            self.wire.call("resource.get", None, self.on_R)
            return None
        R = o["resources"] if n.same else select(o["resources"], {r: n.to[r] for r in ranks_of(o["resources"])})
        self.said.first(expand(R), n.ids(o["up"]), properties_of(R), R["execution"].get("expiration", 0.0))
        self.settle()
        if not self.held.told:
            return self.first(R, scheduling if n.same else b"")
        # Hosts that are excluded are missing too, but R has them.
        changed = {r for r in self.held.strange(self.said) if self.nodes.get(r) != self.held.offered[r]}
        if changed:
            self.once(f"R changed after the scheduler acquired it: {self.named(changed)} stay down until it is loaded again")
        return self.tell()

    def first(self, R=None, scheduling=None):
        if R is None:
            here = set(self.nodes) - decode(self.status["exclude"])
            self.said.nodes, scheduling = {r: self.nodes[r] for r in here}, self.scheduling
            R = select(self.R, {r: r for r in here})
            if not self.said.up:  # the connection was lost before Muster sent the ranks that are up
                self.said.up = here - self.local.blocked
            self.log.error("muster: Muster does not answer; the scheduler starts with the last known state")
        up = encode(self.held.first(self.said, self.local.up(self.said)))
        scheduler, self.telling = self.scheduler, True

        def told(errnum, _):
            if scheduler is self.scheduler:
                self.telling = False
                self.fail(scheduler, errnum) if errnum else self.tell()

        self.answer_R(scheduler, b'{"resources":', R, scheduling, b',"up":"' + up.encode() + b'"}', told)

    def tell(self, among=None):
        if self.held and self.held.told and not self.muted and not self.telling:
            update = self.held.next(self.said, self.local.up(self.said, among), among)
            if update:
                self.answer(self.scheduler, update)

    def release(self):
        self.wire.cancel(self.acquiring, "resource.acquire-cancel")
        self.held = self.scheduler = self.acquiring = self.refused = None
        self.said.fresh = False
        self.settle()
        if self.telling:  # the rest of its first response must not reach the next scheduler
            self.telling = False
            self.lane.lost("the scheduler left")

    def on_acquire_cancel(self, msg):
        if self.held and lib.flux_cancel_match(msg.handle, self.scheduler.handle):
            self.fail(self.scheduler, errno.ECANCELED)
            self.release()

    def on_acquire_mute(self, msg):
        self.muted = True
        self.answer(msg)
        if self.held and not self.held.told:  # a scheduler that waits for its first response cannot be unloaded
            self.fail(self.scheduler, errno.ECANCELED, "the instance ends")
            self.release()

    def on_disconnect(self, msg):
        def stays(one):
            return not lib.flux_disconnect_match(msg.handle, one.handle)

        if self.held and not stays(self.scheduler):
            self.release()
        self.journals, self.sched_waiters = list(filter(stays, self.journals)), list(filter(stays, self.sched_waiters))
        self.waitups = [w for w in self.waitups if stays(w[0])]

    # ---- changes
    def ranks(self, targets):
        """Returns the ranks of targets, which are an idset or a hostlist."""
        try:
            ranks = decode(targets, 1 << 17)
        except ValueError:
            hosts = set(hosts_of(targets, 1 << 17))
            unknown = hosts - self.by_host.keys()
            if unknown:
                raise OSError(errno.EINVAL, f"invalid targets: {hostlist(sorted(unknown)[:10])} not in R") from None
            return set().union(*(self.by_host[host] for host in hosts))
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

    def translate(self, targets):
        """Returns targets for Muster. Ranks are replaced by hosts, because a rank may be another host in a new R."""
        if not targets or targets[0] not in "[0123456789":
            return targets
        ranks = self.ranks(targets)
        return self.named(ranks) if len(self.by_host) == len(self.nodes) else self.to_muster(ranks)

    def on_change(self, msg):
        wanted = {"id": str(uuid.uuid4()), **json.loads(msg.payload_str or "{}")}
        if not msg.rolemask & OWNER and not self.speaks:
            raise OSError(errno.EPERM, "Request requires owner credentials")
        if msg.topic == "resource.drain" and msg.rolemask & OWNER and self.elsewhere(wanted.get("targets")):
            # The module of a host that R does not name drains the host when it starts, and a refusal would prevent its start.
            self.log.warning(f"muster: no drain of rank {wanted['targets']}, because R does not name it: {wanted.get('reason')}")
            return self.answer(msg)
        for key in {"targets", "ranks"} & set(wanted):
            wanted[key] = self.translate(wanted[key])
        if "properties" in wanted:
            wanted["properties"] = {name: self.translate(targets) for name, targets in wanted["properties"].items()}
        owner, cred, change = msg.rolemask & OWNER, (msg.userid, msg.rolemask & (OWNER | USER)), wanted["id"]
        keeps = msg.topic == "resource.drain" and owner and not wanted.get("holder") and not wanted.get("dry-run")
        if keeps and not (isinstance(wanted["targets"], str) and isinstance(wanted.get("reason") or "", str)):
            raise OSError(errno.EPROTO, "targets and reason of a drain are strings")
        if keeps and wanted.get("reason"):
            wanted["reason"] = clean(wanted["reason"])
        if keeps and not self.joined:
            return self.drain_here(msg, wanted, change)

        def done(errnum, body):
            self.status_old = True
            # flux-core accepts a drain with this mode although some of its hosts are excluded
            if keeps and errnum and (errnum not in DECIDED or (errnum, wanted.get("mode")) == (errno.EINVAL, "update")):
                self.once(f"a drain of {wanted['targets']}: {body}; this instance keeps it until Muster takes it")
                return self.keep_here(change)
            self.arriving.pop(change, None)
            return self.kvs.after(lambda: self.answer(msg, body, errnum))  # users may look for the change in the eventlog

        for drain in [d for d in self.local.pending.values() if "retry" in d] if msg.topic == "resource.undrain" else ():
            self.send_drain(drain)  # before the undrain, which must not overtake it

        # A user's request is not repeated: on the next connection, Muster may not accept requests for other users.
        wait = None if keeps else self.grace
        if keeps:
            self.arriving[change] = msg, wanted, None
        call = self.wire.call(msg.topic, wanted, done, cred=cred, repeat=bool(owner), wait=wait)
        if change in self.arriving:  # otherwise, the wire has refused it
            self.arriving[change] = msg, wanted, call
        return None

    def keep_here(self, change):
        """Makes and answers a drain in this instance, after Muster was asked for the drain and has not made it."""
        msg, wanted, call = self.arriving.pop(change)
        try:
            self.drain_here(msg, wanted, change, call)
        except Exception as e:
            self.fail(msg, getattr(e, "errno", None) or errno.EPROTO, sentence(e))
        if change not in self.local.pending:
            self.wire.cancel(call)

    def drain_here(self, msg, wanted, change, call=None):
        """Makes a drain while Muster is away. The drain keeps jobs away at once, is written to the KVS, and is sent to Muster later.
        Drains of drained ranks are accepted too, because Muster may have ended the earlier drains just before the connection was
        lost. call: the request that Muster may still answer; it keeps its place before later requests."""
        ranks, mode, reason = self.ranks(wanted["targets"]), wanted.get("mode"), wanted.get("reason") or ""
        if mode not in (None, "update", "overwrite", "force-overwrite"):
            return self.fail(msg, errno.EINVAL, f"invalid mode {mode!r}; a drain has update, overwrite or force-overwrite")
        if len(self.local.pending) >= MOST_PENDING:
            return self.fail(msg, errno.EAGAIN, f"{MOST_PENDING} drains wait for Muster already; nothing was changed")
        drain = self.keep_drain(change, ranks, reason, mode, (msg.userid, msg.rolemask & (OWNER | USER)))
        self.tell()
        level = {"overwrite": 1, "force-overwrite": 2}.get(mode, 0)
        line = self.record("drain", ranks, reason, level, id=change)
        self.publish(json.loads(line))
        self.own.append(change)
        self.log.info(f"muster: {self.named(ranks)} drained while Muster is away")
        trouble = "the drain is in force until this instance ends, but the KVS did not take it"

        def written(ok):
            if ok:
                return self.answer(msg)
            self.unsure(ranks)
            return self.fail(msg, errno.EIO, trouble)

        self.remember(line, written)
        return self.send_drain(drain, call)

    def keep_drain(self, change, ranks, reason, mode, cred):
        drain = {"id": change, **self.placed(ranks), "reason": clean(reason), "mode": mode, "cred": list(cred), "ranks": ranks}
        self.local.pending[change] = drain
        return drain

    def send_drain(self, drain, call=None):
        drain.pop("retry", None)

        def done(errnum, body):
            if errnum in DECIDED and (drain["mode"] is None or len(drain["ranks"]) > 1):
                # Muster refuses a drain as a whole. The bridge drains each host separately, so that one host does not keep others up.
                del self.local.pending[drain["id"]]
                for rank in sorted(drain["ranks"]):
                    one = ({rank}, drain["reason"], drain["mode"] or "update", drain["cred"])
                    self.send_drain(self.keep_drain(str(uuid.uuid4()), *one))
                return self.remember()
            if errnum and errnum not in DECIDED:
                self.once(f"the drain of {drain['nodelist']} is not passed on: {body}; trying again every 10 s")
                drain["retry"] = time.monotonic() + 10
                return
            if errnum and errnum != errno.EEXIST:
                self.log.error(f"muster: Muster refused the drain of {drain['nodelist']}: {body}")
            drain["made"] = self.status_old = True
            self.settle()

        ranks = drain["ranks"] & self.nodes.keys()
        if call and self.wire.awaits(call):
            call.done = done
        elif ranks:  # empty if R has none of these hosts
            o = {"id": drain["id"], "targets": self.translate(encode(ranks)), "reason": drain["reason"], "mode": drain["mode"]}
            o = {k: v for k, v in o.items() if v}  # Muster would keep an empty reason as a reason
            self.wire.call("resource.drain", o, done, cred=tuple(drain["cred"]), repeat=True)

    def settle(self):
        """Drops drains that Muster has made, once the scheduler's view has them from Muster."""
        made = [change for change, drain in self.local.pending.items() if drain.get("made")]
        if made and (self.said.fresh or not self.held):
            for change in made:
                del self.local.pending[change]
            self.remember()
            self.tell()

    # ---- queries
    def mark(self):
        return {} if self.joined else {"muster": {"reachable": False, "as_of": round(self.status_time, 3)}}

    def on_status(self, msg):
        self.ask_status(lambda errnum: self.answer(msg, self.status_now(bool(errnum))), wait=2.0)

    def status_now(self, old):
        drain = dict(self.status["drain"])
        drained = set().union(*map(decode, drain))
        for entry in self.local.pending.values():
            if entry["ranks"] - drained:
                drain[encode(entry["ranks"] - drained)] = {"timestamp": round(self.status_time), "reason": entry["reason"]}
                drained |= entry["ranks"]
        online, every = self.local.online, self.everywhere  # these sets are replaced and never changed
        live = self.kept("live", (online, every), lambda: {"online": encode(online), "offline": encode(every - online)})
        live = {**live, "torpid": encode(self.local.torpid)}
        mark = {"muster": {"reachable": False, "as_of": round(self.status_time, 3)}} if old else {}
        return {"R": self.R, "drain": drain, "exclude": self.status["exclude"], **live, **mark}

    def on_sched_status(self, msg):
        self.sched_waiters.append(msg)
        if len(self.sched_waiters) == 1:
            self.h.rpc("job-manager.resource-status", nodeid=0).then(self.on_allocated)

    def on_allocated(self, future):
        waiters, self.sched_waiters = self.sched_waiters, []
        try:
            answer, errnum = self.sched_status(future), 0
        except Exception as e:
            answer, errnum = sentence(e), getattr(e, "errno", None) or errno.EINVAL
        for msg in waiters:
            self.guard("sched-status", self.answer, msg, answer, errnum)

    def sched_status(self, future):
        try:
            allocated = future.get()["allocated"]
        except OSError as e:
            if e.errno != errno.ENOSYS:
                raise
            allocated = select(self.R, {}, self.nodes)
        held, here = self.held if self.held and self.held.told else None, self.local
        lost, exclude, offered = self.said.lost, self.status["exclude"], held.offered if held else self.nodes
        key = (self.R, exclude, lost, len(lost), held, len(offered))
        ranks = self.kept("ranks", key, lambda: (self.nodes.keys() & offered.keys()) - decode(exclude) - lost)
        down = ranks - held.up if held else (ranks - here.online) | (ranks & (here.barred() | here.blocked))
        tags = {name: encode(having & ranks_of(allocated)) for name, having in properties_of(self.R).items()}
        tags = {name: text for name, text in tags.items() if text}
        execution = {**allocated["execution"], **({"properties": tags} if tags else {})}
        rest = json.dumps({"allocated": {**allocated, "execution": execution}, **self.mark()})
        every, down = (self.kept(name, (self.R, part), lambda: self.part(part)) for name, part in (("all", ranks), ("down", down)))
        return f'{{"all": {every}, "down": {down}, {rest[1:]}'

    def part(self, ranks):
        return json.dumps(select(self.R, {r: r for r in ranks}, self.nodes))

    def kept(self, name, key, make):
        """Returns the cached result of make() for the key, or calls make(). Identical objects in keys are not compared."""
        if name not in self.made or self.made[name][0] != key:
            self.made[name] = key, make()
        return self.made[name][1]

    def on_get(self, msg):
        method = b',"method":' + json.dumps(self.method).encode() + b"}"
        self.answer_R(msg, b'{"R":', self.R, self.scheduling, method, lambda errnum, _: errnum and self.fail(msg, errnum))

    def on_event(self, errnum, body):
        if errnum:
            self.following = False
            return None if errnum == errno.ECONNRESET else self.once(f"resource.journal: {body}")
        end = body.find(b'],"R":')
        events = json.loads(body if end < 0 else body[:end] + b"]}")["events"]
        if self.following and any(event["name"] == "resource-define" for event in events):
            self.wire.call("resource.get", None, self.on_R)
        live = self.following
        if not live:  # Muster sends all past events, and then a batch without events
            self.batch = (self.batch + events)[-MOST_EVENTS:]
            if events:
                return None
            last, events, self.batch, self.following = self.last_event, self.batch, [], True
            if last in events:
                events = events[len(events) - events[::-1].index(last) :]
            elif last:
                events = [event for event in events if event["timestamp"] > last["timestamp"]]
        for event in events:
            self.last_event, self.status_old, context = event, True, event.get("context", {})
            self.changes += 1
            context = {k: self.numbering.text(v) if k in ("idset", "ranks", "online") else v for k, v in context.items()}
            if event["name"] in ("drain", "exclude"):  # until the next status contains them
                self.local.blocked = self.local.blocked | decode(context.get("idset", ""))
            if "expiration" in context:  # flux-core writes a number with a point, and its tools compare it as one
                context["expiration"] = float(context["expiration"])
            if context.get("id") not in self.own:
                self.publish({**event, "context": context})
                if live and event["name"] in ("drain", "undrain") and context.get("holder", SHARED) in (SHARED, "*"):
                    ranks, level, reason = decode(context["idset"]), context.get("overwrite", 0), context.get("reason") or ""
                    unknown = {r for r in ranks if not self.logged.get(r) and (reason or self.logged.get(r) is None)}
                    if event["name"] == "undrain" or level or unknown:  # otherwise, the log has the event
                        line = self.record(event["name"], ranks, reason, level)
                        self.kvs.write([(LOG, line.encode(), True)], lambda ok, ranks=ranks: ok or self.unsure(ranks))
        return None

    def publish(self, event):
        self.events.append((event["name"] == "resource-define", json.dumps(event)))
        for msg in self.journals:
            self.send_events(msg, [self.events[-1]])

    def send_events(self, msg, events):
        R = ',"R":' + json.dumps(self.R) if events and events[0][0] else ""
        self.answer(msg, '{"events":[' + ",".join(text for _, text in events) + "]" + R + "}")

    def on_journal(self, msg):
        if not lib.flux_msg_is_streaming(msg.handle):
            return self.fail(msg, errno.EPROTO, "journal requires streaming RPC flag")
        batch = []
        for event in [*self.events, None]:
            if batch and (event is None or len(batch) == 100 or event[0] or batch[0][0]):
                self.send_events(msg, batch)
                batch = []
            batch += [event] if event else []
        self.send_events(msg, [])
        return self.journals.append(msg)

    def on_journal_cancel(self, msg):
        for one in [m for m in self.journals if lib.flux_cancel_match(msg.handle, m.handle)]:
            self.journals.remove(one)
            self.fail(one, errno.ENODATA)

    # ---- the other services of a resource module
    def on_topo_get(self, msg):
        self.answer(msg, self.xml) if self.xml else self.fail(msg, errno.ENOSYS, "the topology of this host is not known")

    def on_topo_reduce(self, msg):
        """Other ranks send the contents of their hosts, which the bridge ignores, because R comes from Muster."""

    def on_monitor_waitup(self, msg):
        up = msg.payload["up"]
        if not isinstance(up, int) or not 0 <= up <= len(self.brokers) or len(self.waitups) >= MOST_WAITUPS:
            raise OSError(errno.EPROTO, f"up value is out of range: {up} of {len(self.brokers)} brokers, {len(self.waitups)} wait")
        self.waitups.append((msg, up))
        self.live_changed()

    def on_monitor_force_down(self, msg):
        self.on_online(self.local.online - decode(msg.payload["ranks"]))
        self.answer(msg)

    def on_config_reload(self, msg):
        parse_fsd(msg.payload.get("resource", {}).get("history", "0"))  # counts when this module is loaded again
        self.answer(msg)

    def on_bridge(self, msg):
        """Returns the state of the bridge, for muster flux-check and for tests."""
        told = {"up": encode(self.held.up), "ranks": encode(self.held.offered)} if self.held and self.held.told else None
        keys = "owner joined speaks refused trouble following".split()
        own = {"pending": len(self.local.pending), "acquired": self.said.fresh, "reported": self.reporter, "told": told}
        self.answer(msg, {**{key: getattr(self, key) for key in keys}, **own, **self.wire.counters})

    def stop(self):
        """Ends the streams, and writes Muster's drains and exclusions to the KVS, because flux-core's own module may read it next."""
        for change in list(self.arriving):  # Muster may not have made these drains
            self.keep_here(change)
        for msg in ([self.scheduler] if self.held else []) + self.journals:
            self.fail(msg, errno.ECANCELED, "the resource module was unloaded")
        self.wire.close()
        self.lane.close()
        self.held = None
        try:
            self.take_status(json.loads(ask(self.wire.path, ["resource.status"], 0.0)[0]))
        except (OSError, ValueError):  # Muster is away: the KVS has the last known state
            pass
        drains = self.status_now(False)["drain"].items()
        drains = {ids: {**o, "timestamp": float(o["timestamp"]), "nodelist": self.named(decode(ids))} for ids, o in drains}
        check = {"timestamp": max(time.time(), self.state.get("logged", 0)), "drain_state": drains}
        self.kvs.write([(CHECKPOINT, json.dumps(check).encode(), False)])
        self.kvs.flush()


def sentence(e):
    """Returns what an exception says, without the number that Python puts before the text of an OSError."""
    return getattr(e, "strerror", None) or str(e)


def clean(reason):
    """Returns a reason, which may be any text in Flux, as Muster accepts it: one line of at most 4,096 characters."""
    line = re.sub("[\0-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]", " ", reason)
    return line if len(line) <= 4096 else line[:4093] + "..."


SAVED = ("id", "idset", "nodelist", "reason", "mode", "cred")


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
