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

import collections
import ctypes
import ctypes.util
import errno
import functools
import json
import os
import socket
import struct
import syslog
import time
import uuid
import zlib

try:
    from _flux._core import ffi, lib
    from flux.brokermod import BrokerLogger
    from flux.constants import FLUX_KVS_APPEND, FLUX_MSGTYPE_REQUEST, FLUX_RPC_STREAMING
    from flux.future import Future
    from flux.hostlist import Hostlist
except ImportError:  # the wire and the held stream need no Flux
    pass

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


# --------------------------------------------------------------------------------------------------------- the held stream
LARGEST_RANK = 1 << 22


def decode(text):
    """Returns the set of integers of an idset in RFC 22 form. ValueError if it is none."""
    ids = set()
    body = text[1:-1] if text[:1] == "[" and text[-1:] == "]" else text
    for part in body.split(",") if body else ():
        first, dash, last = part.partition("-")
        last = last if dash else first
        if not (first.isascii() and first.isdigit() and last.isascii() and last.isdigit()) or int(last) < int(first):
            raise ValueError(f"{text[:80]!r} is not an idset")
        if int(last) > LARGEST_RANK:
            raise ValueError(f"rank {last[:20]} is larger than {LARGEST_RANK}")
        ids.update(range(int(first), int(last) + 1))
    return ids


def encode(ids):
    runs = []
    for i in sorted(ids):
        if runs and i == runs[-1][1] + 1:
            runs[-1][1] = i
        else:
            runs.append([i, i])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


class Said:
    """What Muster said on the stream of the acquisition, in the numbers of the brokers."""

    def __init__(self):
        self.nodes = {}  # rank -> what the rank is: its host and what the host has
        self.up, self.lost, self.properties, self.expiration = set(), set(), {}, 0.0
        self.fresh = False  # the stream is open, and its first response has come

    def first(self, nodes, up, properties, expiration):
        self.nodes, self.up, self.lost = nodes, up, set()
        self.properties, self.expiration, self.fresh = properties, expiration, True

    def update(self, change, ids):
        """Takes an update of the stream. ids: text of an idset -> set of broker ranks."""
        self.up = (self.up | ids(change.get("up", ""))) - ids(change.get("down", ""))
        self.lost |= ids(change.get("shrink", ""))
        for name, text in change.get("property-add", {}).items():
            self.properties[name] = self.properties.get(name, set()) | ids(text)
        for name, text in change.get("property-remove", {}).items():
            self.properties[name] = self.properties.get(name, set()) - ids(text)
        self.expiration = change.get("expiration", self.expiration)


class Local:
    """What this instance knows by itself, and what it remembers of Muster while Muster is away."""

    def __init__(self):
        self.online, self.torpid = set(), set()
        self.pending = {}  # id of a drain that Muster has not made yet -> ranks
        self.blocked = set()  # drained or excluded, as Muster said last
        self.reported = set()  # those that were reported as online to Muster last

    def up(self, said):
        """Returns the ranks that jobs may use. Muster decides while its stream is open. While it is not open, a rank may only
        come up that Muster had as down because it was reported so, and that is neither drained nor excluded."""
        ranks = said.up if said.fresh else (said.up | (set(said.nodes) - self.reported)) - self.blocked
        ranks = (ranks & self.online) - self.torpid
        for drained in self.pending.values():
            ranks -= drained
        return ranks


class Held:
    """What one scheduler was told. Its stream lives as long as the scheduler, whatever happens to Muster."""

    def __init__(self):
        self.told = False
        self.offered, self.up, self.properties, self.expiration = {}, set(), {}, 0.0

    def _up(self, said, up):
        return {r for r in up if r in self.offered and said.nodes.get(r) == self.offered[r]}

    def first(self, said, up):
        """Returns the ranks that are up for the first response."""
        self.told, self.offered, self.expiration = True, dict(said.nodes), said.expiration
        self.properties = {name: set(ranks) for name, ranks in said.properties.items()}
        self.up = self._up(said, up)
        return self.up

    def next(self, said, up):
        """Returns the update that makes the scheduler believe what is true now, or None. The scheduler never hears of a rank
        that its first response did not name, and one of its ranks always remains, because a scheduler without ranks hangs."""
        shrink = said.lost & set(self.offered)
        if shrink and len(shrink) == len(self.offered):
            shrink.remove(min(shrink))
        now = self._up(said, up) - said.lost
        update = {"up": now - self.up, "down": (self.up - now) | shrink, "shrink": shrink}
        update = {key: encode(ranks) for key, ranks in update.items() if ranks}
        for rank in shrink:
            del self.offered[rank]
        self.up = now
        tags = {name: ranks & set(self.offered) for name, ranks in said.properties.items()} if said.fresh else self.properties
        for key, more, less in (("property-add", tags, self.properties), ("property-remove", self.properties, tags)):
            changed = {name: (ranks - less.get(name, set())) & set(self.offered) for name, ranks in more.items()}
            if any(changed.values()):
                update[key] = {name: encode(ranks) for name, ranks in changed.items() if ranks}
        self.properties = {name: set(ranks) for name, ranks in tags.items()}
        if said.expiration != self.expiration:
            self.expiration = update["expiration"] = said.expiration
        return update or None

    def strange(self, said):
        """Returns the offered ranks that are now another host, have other contents, or are gone."""
        return {r for r in self.offered if said.nodes.get(r) != self.offered[r]} - said.lost


# ------------------------------------------------------------------------------------------------------------------ R
SCHEDULING = b',"scheduling":'


def cut(text, last):
    """Reads a response {"…": R, last: "…"} without its `scheduling`, which may have 100 MB: returns it as a dict, and the bytes
    from the comma before `scheduling` to the end of R, or b"". R with these bytes before its last brace is the R of Muster."""
    at = text.find(SCHEDULING)
    end = text.rfind(b'},"' + last.encode() + b'":')
    for _ in range(16):  # a property may have the same name; then what is before it cannot be read
        if at < 0 or end < at:
            return json.loads(text), b""
        try:
            return json.loads(text[:at] + text[end:]), text[at:end]
        except ValueError:
            at = text.find(SCHEDULING, at + 1)
    raise ValueError("Muster sent an R whose key scheduling was not found")


def splice(R, scheduling):
    return json.dumps(R).encode()[:-1] + scheduling + b"}"


def expand(R):
    """Returns rank -> (host, contents as text)."""
    hosts = [host for part in R["execution"].get("nodelist", []) for host in Hostlist(part)]
    contents = {}
    for entry in R["execution"]["R_lite"]:
        text = json.dumps(entry.get("children", {}), sort_keys=True)
        contents.update(dict.fromkeys(decode(str(entry["rank"])), text))
    if len(hosts) != len(contents):
        raise ValueError(f"R has {len(contents)} ranks and {len(hosts)} hosts")
    return {rank: (host, contents[rank]) for rank, host in zip(sorted(contents), hosts)}


def select(R, numbers):
    """Returns R with each rank r of `numbers` as numbers[r], and without the other ranks."""
    old, entries = expand(R), {}
    for rank in sorted(numbers, key=numbers.get):
        entries.setdefault(old[rank][1], []).append(numbers[rank])
    execution = {k: v for k, v in R["execution"].items() if k != "properties"}
    execution["R_lite"] = [{"rank": encode(ranks), "children": json.loads(text)} for text, ranks in entries.items()]
    names = [old[rank][0] for rank in sorted(numbers, key=numbers.get)]
    execution["nodelist"] = [Hostlist(names).encode()] if names else []
    tags = {k: {numbers[r] for r in decode(v) if r in numbers} for k, v in R["execution"].get("properties", {}).items()}
    if any(tags.values()):
        execution["properties"] = {k: encode(v) for k, v in tags.items() if v}
    return {**{k: v for k, v in R.items() if k != "scheduling"}, "execution": execution}


class Numbering:
    """Muster's ranks and the brokers' ranks. Hosts decide. Where several brokers run on one host, rank r is rank r if the host
    is the same. A host without a broker gets a rank after those of the brokers, and is never up."""

    def __init__(self, nodes, brokers, by_rank=False):
        names = [host for host, _ in nodes.values()]
        self.foreign, self.unknown = [], []
        if by_rank:
            self.to = {rank: rank for rank in nodes}
        else:
            unique = len(set(brokers)) == len(brokers) and len(set(names)) == len(names)
            place = {host: rank for rank, host in enumerate(brokers)}
            same = {r: r for r in nodes if r < len(brokers) and brokers[r] == nodes[r][0]}
            self.to = {r: place[host] for r, (host, _) in sorted(nodes.items()) if host in place} if unique else same
            if not self.to:
                raise ValueError(f"none of the {len(nodes)} hosts of Muster's R is one of the {len(brokers)} brokers' hosts")
            others = [r for r in sorted(nodes) if r not in self.to]
            self.foreign = [nodes[r][0] for r in others]
            self.unknown = [host for rank, host in enumerate(brokers) if rank not in set(self.to.values())]
            self.to.update({r: len(brokers) + i for i, r in enumerate(others)})
        self.back = {b: m for m, b in self.to.items()}
        self.same = all(a == b for a, b in self.to.items())

    def ids(self, text):
        ranks = decode(text)
        return ranks if self.same else {self.to[r] for r in ranks if r in self.to}

    def text(self, text):
        return text if self.same else encode(self.ids(text))

    def R(self, R):
        if self.same:
            return R
        return select(R, {r: self.to[r] for entry in R["execution"]["R_lite"] for r in decode(str(entry["rank"]))})


# ------------------------------------------------------------------------------------------------------------- the module
STATE, SCHEDULING_KEY, LOG = "resource.muster.state", "resource.muster.scheduling", "resource.eventlog"
OWNER, USER, NOBODY = 1, 2, 65534
CHUNK = 1 << 20
MOST_PENDING, MOST_EVENTS, MOST_WAITUPS = 10_000, 10_000, 1_000
DECIDED = (errno.EEXIST, errno.EINVAL, errno.EPROTO)  # with these, Muster has refused a drain for good


class Kvs:
    """The KVS of the instance. Writes are made in their order, one at a time, without blocking."""

    def __init__(self, h, log):
        self.h, self.log, self.queue, self.writing = h, log, [], None

    def read(self, key):
        future = lib.flux_kvs_lookup(self.h.handle, ffi.NULL, 0, key.encode())
        data, size = ffi.new("void *[1]"), ffi.new("size_t [1]")
        try:
            if lib.flux_kvs_lookup_get_raw(future, data, size) < 0:
                if ffi.errno == errno.ENOENT:
                    return None
                raise OSError(ffi.errno, f"{key}: {os.strerror(ffi.errno)}")
            return bytes(ffi.buffer(data[0], size[0])) if size[0] else b""
        finally:
            lib.flux_future_destroy(future)

    def write(self, entries, done=lambda ok: None):
        """entries: (key, bytes or a function that returns them, append)."""
        self.queue.append((entries, done))
        if self.writing is None:
            self._next()

    def _next(self):
        entries, self.after = self.queue.pop(0)
        txn = lib.flux_kvs_txn_create()
        for key, value, append in entries:
            data = value() if callable(value) else value
            lib.flux_kvs_txn_put_raw(txn, FLUX_KVS_APPEND if append else 0, key.encode(), ffi.from_buffer(data), len(data))
        self.writing = Future(lib.flux_kvs_commit(self.h.handle, ffi.NULL, 0, txn))
        lib.flux_kvs_txn_destroy(txn)
        self.writing.then(lambda future, after=self.after: self._written(future, after))

    def flush(self):
        """Writes what waits, and returns when all is written."""
        while self.writing is not None:
            self._written(self.writing, self.after)

    def _written(self, future, done):
        ok = lib.flux_future_get(future.handle, ffi.NULL) == 0
        try:
            if not ok:
                self.log.error(f"muster: a write to the KVS failed: {os.strerror(ffi.errno)}")
            done(ok)
        except Exception as e:
            self.log.error(f"muster: after a write to the KVS: {type(e).__name__}: {e}")
        self.writing = None
        if self.queue:
            self._next()


class Bridge:
    # topic -> whether users other than the owner of the instance may send it
    SERVED = {
        "acquire": False, "acquire-cancel": False, "acquire-mute": False, "disconnect": True, "status": True,
        "sched-status": True, "get": False, "journal": False, "journal-cancel": True, "topo-get": True, "topo-reduce": False,
        "monitor-waitup": False, "monitor-force-down": False, "config-reload": False, "bridge": True, "drain": True,
    }  # fmt: skip
    CHANGES = (
        "undrain exclude include shrink expiration-update reload property-add property-remove online offline torpid lively"
    ).split()

    def __init__(self, h, options, args):
        self.h, self.log = h, BrokerLogger(h)
        self.grace = float(options.get("grace", 60.0))
        self.force_up = "monitor-force-up" in args  # for tests with hosts that do not exist
        self.brokers = list(Hostlist(h.attr_get("hostlist")))
        self.places = {host: rank for rank, host in reversed(list(enumerate(self.brokers)))}
        self.kvs = Kvs(h, self.log)
        self.said, self.local = Said(), Local()
        self.R, self.raw_R, self.scheduling, self.method = None, None, b"", "configuration"
        self.written_R, self.written_scheduling, self.muster_scheduling, self.trouble = None, None, b"", []
        self.numbering, self.nodes = None, {}
        self.status = {"drain": {}, "exclude": "", "offline": "", "torpid": ""}  # Muster's last answer, in broker ranks
        self.status_time, self.status_asked, self.status_old = time.time(), False, False
        self.pending = {}  # id -> drain that Muster has not made yet
        self.arriving = {}  # id -> (msg, request, call) of drains that Muster is asked for now
        self.logged = {}  # broker rank -> reason of its drain in the KVS
        self.held = self.request = None  # the scheduler: what it was told, and its request
        self.acquiring = self.reporting = None  # Calls that stream
        self.reported_torpid, self.has_report, self.usage = set(), True, None
        self.refused = self.complaint = None
        self.next_status = self.next_usage = self.retry_report = self.retry_acquire = self.first_until = 0.0
        self.joined = self.muted = self.speaks = self.following = False
        self.events, self.last_event, self.batch, self.own_ids = collections.deque(maxlen=MOST_EVENTS), None, [], []
        self.journals, self.waitups, self.sched_waiters, self.watchers = [], [], [], []
        self.restore()
        self.learn(options["socket"])
        try:
            self.xml = local_xml(not h.conf_get("resource.norestrict", default=False))
        except (OSError, AttributeError) as e:
            self.xml = None
            self.log.error(f"muster: the topology of this host cannot be read: {e}")
        self.groups = [] if self.force_up else [
            self.group("sdmon.online" if h.conf_get("systemd.enable", default=False) else "broker.online", self.on_online),
            self.group("broker.torpid", self.on_torpid),
        ]  # fmt: skip
        for name, guests in {**self.SERVED, **dict.fromkeys(self.CHANGES, True)}.items():
            self.serve(name, getattr(self, "on_" + name.replace("-", "_"), self.on_change), guests)
        self.wire = Wire(h, options["socket"], self.log, self.on_up, self.on_down)
        for entry in self.pending.values():
            self.send_drain(entry)
        self.ticker = h.timer_watcher_create(0.25, lambda *_: self.guard("the clock", self.tick), repeat=0.25)
        self.ticker.start()

    # ---- plumbing
    def guard(self, what, function, *args):
        try:
            return function(*args)
        except Exception as e:  # an exception that escapes ends the instance
            self.log.error(f"muster: {what}: {type(e).__name__}: {e}")
            return None

    def once(self, text):
        if text != self.complaint:
            self.complaint = text
            self.log.error(f"muster: {text}")

    def serve(self, name, handler, guests):
        def callback(_h, _t, msg, _a):
            try:
                handler(msg)
            except Exception as e:
                known = isinstance(e, OSError) and e.errno
                bad = errno.EPROTO if isinstance(e, (KeyError, TypeError, AttributeError)) else errno.EINVAL
                self.guard(name, self.fail, msg, e.errno if known else bad, e.strerror if known else str(e))

        roles = OWNER | USER if guests else OWNER
        watcher = self.h.msg_watcher_create(callback, FLUX_MSGTYPE_REQUEST, "resource." + name, rolemask=roles)
        watcher.start()
        self.watchers.append(watcher)

    def group(self, name, changed):
        future = self.h.rpc("groups.get", {"name": name}, flags=FLUX_RPC_STREAMING)

        def callback(f):
            try:
                changed(decode(f.get()["members"]))
            except Exception as e:
                self.log.error(f"muster: {name}: {type(e).__name__}: {e}")
            f.reset()

        callback(future)
        future.then(callback)
        return future

    def answer(self, msg, text=None):
        if not lib.flux_msg_is_noresponse(msg.handle):
            data = json.dumps(text).encode() if isinstance(text, dict) else text
            if lib.flux_respond(self.h.handle, msg.handle, ffi.NULL if data is None else data) < 0:
                self.log.error(f"muster: answer to {msg.topic}: {os.strerror(ffi.errno)}")

    def fail(self, msg, errnum, text=None):
        if not lib.flux_msg_is_noresponse(msg.handle):
            data = ffi.NULL if text is None else text.encode()
            if lib.flux_respond_error(self.h.handle, msg.handle, errnum, data) < 0:
                self.log.error(f"muster: answer to {msg.topic}: {os.strerror(ffi.errno)}")

    # ---- what the KVS remembers
    def restore(self):
        """Takes what the last bridge of this instance wrote, and what flux-core's own module wrote to the eventlog."""
        text = self.kvs.read(STATE)
        self.state = json.loads(text) if text else {}
        self.owner = self.state.get("owner") or f"flux:{socket.gethostname()[:64]}:{uuid.uuid4()}"
        if self.state and not self.force_up:
            R = json.loads(self.kvs.read("resource.R"))
            size, crc = self.state["scheduling"]
            scheduling = (self.kvs.read(SCHEDULING_KEY) or b"") if size else b""
            R.pop("scheduling", None)
            self.method, self.written_R = self.state["method"], json.dumps(R).encode()
            self.written_scheduling = scheduling if zlib.crc32(scheduling) == crc else b""
            self.take_R(R, self.written_scheduling)
            self.status["exclude"] = encode(self.locate(self.state["exclude"]))
            for entry in self.state["pending"]:
                self.pending[entry["id"]] = entry
        drains = [(self.locate(entry), entry) for entry in self.state.get("drain", [])]
        self.status["drain"] = {encode(ranks): {"timestamp": e["timestamp"], "reason": e["reason"]} for ranks, e in drains if ranks}
        known = {rank for ranks, _ in drains for rank in ranks}.union(*(self.locate(e) for e in self.pending.values()))
        self.logged = self.replay()
        for reason in sorted({reason for rank, reason in self.logged.items() if rank not in known}):
            ranks = {rank for rank, why in self.logged.items() if why == reason and rank not in known}
            self.log.info(f"muster: {self.named(ranks)} drained before Muster served this instance; Muster will be told")
            self.keep_drain(str(uuid.uuid4()), ranks, reason, "update")
        self.state["owner"] = self.owner

    def replay(self):
        """Returns the drained ranks and their reasons according to resource.checkpoint and resource.eventlog."""
        drained = {}
        check = json.loads(self.kvs.read("resource.checkpoint") or b"{}")
        for idset, entry in check.get("drain_state", {}).items():
            drained.update(dict.fromkeys(self.locate({"idset": idset, **entry}), entry["reason"]))
        for line in (self.kvs.read(LOG) or b"").splitlines():
            event = self.guard(LOG, json.loads, line) or {}
            context = event.get("context", {})
            if event.get("name") not in ("drain", "undrain") or event["timestamp"] < check.get("timestamp", 0):
                continue
            for rank in self.locate(context):
                if event["name"] == "undrain":
                    drained.pop(rank, None)
                elif context.get("overwrite", 1) or not drained.get(rank):
                    drained[rank] = context.get("reason", "")
        return drained

    def locate(self, entry):
        """Returns the ranks that the hosts of an entry have today."""
        ranks = set()
        for rank, host in zip(sorted(decode(entry["idset"])), Hostlist(entry.get("nodelist") or "")):
            if self.host(rank) == host:
                ranks.add(rank)
            elif host in self.places:
                ranks.add(self.places[host])
        return ranks

    def host(self, rank):
        if rank in self.nodes:
            return self.nodes[rank][0]
        return self.brokers[rank] if rank < len(self.brokers) else None

    def named(self, ranks):
        return Hostlist([self.host(r) or f"rank{r}" for r in sorted(ranks)]).encode()

    def placed(self, ranks):
        return {"idset": encode(ranks), "nodelist": self.named(ranks)}

    def lines(self, name, ranks, context):
        now = max(time.time(), self.state.get("logged", 0))
        self.state["logged"] = now
        event = {"timestamp": now, "name": name, "context": {**self.placed(ranks), **context}}
        return json.dumps(event) + "\n"

    def remember(self, lines="", done=lambda ok: None):
        """Writes what the next bridge needs, and lines of the eventlog, in one transaction."""
        self.state.update(
            method=self.method, exclude=self.placed(decode(self.status["exclude"])),
            drain=[{**self.placed(decode(k)), **v} for k, v in self.status["drain"].items()],
            pending=[{k: v for k, v in e.items() if k != "made"} for e in self.pending.values() if not e.get("made")],
        )  # fmt: skip
        entries = [(LOG, lines.encode(), True)] if lines else []
        if "scheduling" in self.state:
            entries.append((STATE, json.dumps(self.state).encode(), False))
        self.kvs.write(entries, done) if entries else done(True)

    def mirror(self):
        """Makes the drains in the eventlog those of Muster, for readers in the instance and for flux-core's own module."""
        want = {rank: e["reason"] for ids, e in self.status["drain"].items() for rank in decode(ids)}
        for entry in self.pending.values():
            want.update({rank: entry["reason"] for rank in self.locate(entry) if rank not in want})
        lines = ""
        gone = set(self.logged) - set(want)
        if gone:
            lines += self.lines("undrain", gone, {"overwrite": 0})
        changed = {rank: reason for rank, reason in want.items() if self.logged.get(rank) != reason}
        for reason in sorted(set(changed.values())):
            ranks = {rank for rank, why in changed.items() if why == reason}
            lines += self.lines("drain", ranks, {**({"reason": reason} if reason else {}), "overwrite": 1})
        self.logged = want
        if lines or self.local.blocked != self.blocked():
            self.remember(lines)
        self.local.blocked = self.blocked()

    def blocked(self):
        return decode(self.status["exclude"]).union(*(decode(ids) for ids in self.status["drain"]))

    def write_R(self):
        text = json.dumps(self.R).encode()
        if text != self.written_R:
            self.written_R = text
            self.kvs.write([("resource.R", text, False)])
        if self.scheduling == self.written_scheduling:
            return
        data = self.written_scheduling = self.scheduling
        self.state["scheduling"] = [0, 0]  # until all of it is there
        crc = [0]

        def part(at):
            piece = data[at : at + CHUNK]
            crc[0] = zlib.crc32(piece, crc[0])
            return piece

        def finish(ok):
            if ok and data is self.scheduling:
                self.state["scheduling"] = [len(data), crc[0]]
                self.remember()

        for at in range(0, max(1, len(data)), CHUNK):
            last = finish if at + CHUNK >= len(data) else lambda ok: None
            self.kvs.write([(SCHEDULING_KEY, functools.partial(part, at), at > 0)], last)

    # ---- Muster comes and goes
    def learn(self, path):
        """Asks Muster for R before this module serves: the modules of other ranks ask for it while they are loaded."""
        try:
            status, got = ask(path, ["resource.status", "resource.get"])
            self.take_status(json.loads(status))
            o, scheduling = cut(got, "method")
            self.take_R(self.raw_R, scheduling)
            self.method = o["method"]
        except (OSError, ValueError, KeyError) as e:
            if self.R is None:
                raise ValueError(
                    f"the resource module cannot start: Muster at {path}: {e}; and the KVS of this instance has no R from an"
                    " earlier start. Start Muster, or remove muster.socket from the configuration of the broker"
                ) from e
            self.log.error(f"muster: {path}: {e}; starting with R, exclusions and drains of the last start")
            self.local.blocked = self.blocked()
        self.said.nodes, self.said.expiration = self.nodes, self.R["execution"].get("expiration", 0.0)
        self.said.properties = {k: decode(v) for k, v in self.R["execution"].get("properties", {}).items()}
        if self.force_up:
            self.local.online = set(self.nodes)

    def on_up(self):
        self.wire.call("resource.ping", {"seq": 0}, self.on_ping, cred=(NOBODY, USER))
        self.wire.call("resource.status", None, self.join)

    def on_ping(self, errnum, body):
        self.speaks = not errnum and json.loads(body).get("userid") == NOBODY

    def join(self, errnum, body):
        """R is known on this connection, and the drains that waited were sent before. Now liveness, then the acquisition."""
        if errnum:
            return self.once(f"resource.status: {body}")
        self.take_status(json.loads(body))
        self.joined = True
        self.report()
        self.acquire()
        self.wire.call("resource.get", None, self.on_R)
        self.batch = []
        self.wire.call("resource.journal", None, self.on_event, streaming=True)

    def on_down(self):
        self.joined = self.said.fresh = self.following = self.speaks = self.status_asked = False
        self.acquiring = self.reporting = self.usage = None
        for change, (msg, request, call) in list(self.arriving.items()):
            self.wire.cancel(call)
            self.guard("drain", self.drain_here, msg, request, change)
        self.tell()

    def on_R(self, errnum, body):
        if errnum:
            return self.once(f"resource.get: {body}")
        o, scheduling = cut(body, "method")
        self.method = o["method"]
        self.take_R(o["R"], scheduling)

    def take_R(self, raw, scheduling=None):
        """Takes R in Muster's numbers, and scheduling if Muster sent it too."""
        if scheduling is not None:
            self.muster_scheduling = scheduling
        nodes = expand(raw)
        if self.raw_R is None or expand(self.raw_R) != nodes:
            self.numbering = Numbering(nodes, self.brokers, self.force_up)
        self.raw_R, self.R = raw, self.numbering.R(raw)
        self.nodes = expand(self.R)
        self.places = {**{host: rank for rank, (host, _) in reversed(self.nodes.items())}, **self.places}
        self.scheduling = self.muster_scheduling if self.numbering.same else b""
        self.local.pending = {change: self.locate(entry) for change, entry in self.pending.items()}
        n = self.numbering
        trouble = [f"hosts of R without a broker, which stay down: {Hostlist(n.foreign).encode()}"] if n.foreign else []
        trouble += [f"brokers on hosts that are not in R: {Hostlist(n.unknown).encode()}"] if n.unknown else []
        if not n.same:
            trouble.append("the brokers have other ranks than Muster's R, so ranks are translated by host")
            if self.muster_scheduling:
                trouble.append("the key scheduling of R is left out, because it has Muster's ranks")
        for text in trouble:
            if text not in self.trouble:
                self.log.warning(f"muster: {text}")
        self.trouble = trouble
        self.write_R()

    def ask_status(self):
        if self.joined and not self.status_asked:
            self.status_asked, self.status_old = True, False
            self.wire.call("resource.status", None, self.on_status_answer)

    def on_status_answer(self, errnum, body):
        self.status_asked = False
        if not errnum:
            self.take_status(json.loads(body))

    def take_status(self, o):
        if o["R"] != self.raw_R:
            self.take_R(o["R"])
        n = self.numbering
        self.status = {key: n.text(o[key]) for key in ("exclude", "offline", "torpid")}
        self.status["drain"] = {n.text(ids): entry for ids, entry in o["drain"].items()}
        self.status_time = time.time()
        self.mirror()
        self.tell()

    # ---- liveness and usage
    def on_online(self, ranks):
        lost = self.local.online - ranks
        if lost:
            self.log.info(f"muster: brokers left: {self.named(lost)}")
        self.local.online = ranks
        self.live_changed()

    def on_torpid(self, ranks):
        self.local.torpid = ranks
        self.live_changed()

    def live_changed(self):
        self.tell()
        self.report()
        for msg, up in list(self.waitups):
            if len(self.local.online) == up:
                self.waitups.remove((msg, up))
                self.answer(msg)

    def to_muster(self, ranks):
        return encode({self.numbering.back[r] for r in ranks if r in self.numbering.back})

    def report(self):
        """Tells Muster which brokers are there: all on a new connection, then what changed."""
        if not self.joined:
            return
        online, torpid = self.local.online & set(self.nodes), self.local.torpid & self.local.online & set(self.nodes)
        was_online, was_torpid = self.local.reported, self.reported_torpid
        fresh, self.local.reported, self.reported_torpid = self.reporting is None, online, torpid
        if fresh and self.has_report:
            ranks = {"ranks": self.to_muster(self.nodes), "online": self.to_muster(online), "torpid": self.to_muster(torpid)}
            self.reporting = self.wire.call(
                "resource.report", {"reporter": self.owner, **ranks, "id": str(uuid.uuid4())}, self.on_report, streaming=True
            )
            return
        if fresh:  # a Muster without reporters is told everything as changes
            self.reporting, was_online, was_torpid = True, set(self.nodes) - online, set()
        for name, ranks, cause in (
            ("offline", was_online - online if not fresh else was_online, "the broker left"),
            ("online", online - was_online, "the broker joined"),
            ("torpid", torpid - was_torpid, "the broker does not answer"),
            ("lively", (was_torpid - torpid) & online, "the broker answers"),
        ):
            if ranks:
                self.wire.change(f"resource.{name}", {"targets": self.to_muster(ranks), "cause": cause}, self.on_reported)

    def on_report(self, errnum, body):
        if errnum == errno.ENOSYS:
            self.once("this Muster has no reporters (resource.report); it is told of online and offline only")
            self.has_report, self.reporting = False, None
            self.report()
        elif errnum and errnum != errno.ECONNRESET:
            self.once(f"resource.report: {body}")
            self.reporting, self.retry_report = False, time.monotonic() + 10

    def on_reported(self, errnum, body):
        if errnum and errnum != errno.ECONNRESET:
            self.once(f"a change of liveness: {body}")

    def report_usage(self):
        if self.joined and self.reporting and self.has_report and self.usage is not False:
            self.h.rpc("job-manager.resource-status", nodeid=0).then(lambda f: self.guard("usage", self.on_usage, f))

    def on_usage(self, future):
        try:
            allocated = ranks_of(future.get()["allocated"])
        except OSError:  # the job manager is not loaded
            return
        now = time.monotonic()
        if self.joined and (self.usage is None or self.usage[0] != allocated or now - self.usage[1] > 10):
            self.usage = (allocated, now)
            self.wire.call("resource.usage", {"allocated": self.to_muster(allocated)}, self.on_usage_told)

    def on_usage_told(self, errnum, body):
        if errnum == errno.ENOSYS:
            self.usage = False
        elif errnum and errnum != errno.ECONNRESET:
            self.usage = None
            self.once(f"resource.usage: {body}")

    def tick(self):
        now = time.monotonic()
        if self.status_old or (not self.following and now >= self.next_status):
            self.next_status = now + 5
            self.ask_status()
        if self.reporting is False and now >= self.retry_report:
            self.reporting = None
            self.report()
        if self.held and not self.acquiring and now >= self.retry_acquire:
            self.acquire()
        if self.held and not self.held.told and not self.refused and now >= self.first_until:
            self.first()  # Muster is away or hangs: what the last known state allows
        if now >= self.next_usage:
            self.next_usage = now + 1
            self.report_usage()
        for entry in self.pending.values():
            if entry.get("retry", now + 1) <= now:
                self.send_drain(entry)

    # ---- the scheduler
    def on_acquire(self, msg):
        if self.held:
            return self.fail(msg, errno.EBUSY, "the resources of this instance are acquired by its scheduler already")
        self.held, self.request, self.refused = Held(), msg, None
        self.first_until, self.retry_acquire = time.monotonic() + 2, 0
        self.acquire()

    def acquire(self):
        if self.joined and self.held and not self.acquiring:
            request = {"owner": self.owner, "grace": self.grace}
            self.acquiring = self.wire.call("resource.acquire", request, self.on_update, streaming=True)

    def on_update(self, errnum, body):
        if errnum:
            self.acquiring, self.said.fresh = None, False
            self.retry_acquire = time.monotonic() + 1
            if errnum != errno.ECONNRESET:
                if self.refused != body:
                    self.log.error(f"muster: resource.acquire: {body}; asking again every second")
                self.refused = body
            return
        self.refused = None
        n = self.numbering
        if b'"resources":' not in body[:64]:
            self.said.update(json.loads(body), n.ids)
            return self.tell()
        o, scheduling = cut(body, "up")
        R = n.R(o["resources"])
        tags = {k: decode(v) for k, v in R["execution"].get("properties", {}).items()}
        self.said.first(expand(R), n.ids(o["up"]), tags, R["execution"].get("expiration", 0.0))
        self.settle()
        if not self.held.told:
            return self.first(R, scheduling if n.same else b"")
        strange = self.held.strange(self.said)
        if strange:
            self.once(
                f"R is no longer what the scheduler acquired: {self.named(strange)} changed or left it, and stay down until"
                " the scheduler is loaded again"
            )
        self.tell()

    def first(self, R=None, scheduling=None):
        if R is None:
            exclude = decode(self.status["exclude"])
            self.said.nodes = {r: node for r, node in self.nodes.items() if r not in exclude}
            R, scheduling = select(self.R, {r: r for r in self.said.nodes}), self.scheduling
            self.log.error("muster: Muster does not answer; the scheduler starts with the last known state")
        up = self.held.first(self.said, self.local.up(self.said))
        self.answer(self.request, b'{"resources":' + splice(R, scheduling) + b',"up":"' + encode(up).encode() + b'"}')

    def tell(self):
        if self.held and self.held.told and not self.muted:
            update = self.held.next(self.said, self.local.up(self.said))
            if update:
                self.answer(self.request, update)

    def release(self):
        self.wire.cancel(self.acquiring, "resource.acquire-cancel")
        self.held = self.request = self.acquiring = self.refused = None
        self.said.fresh = False
        self.settle()

    def on_acquire_cancel(self, msg):
        if self.held and lib.flux_cancel_match(msg.handle, self.request.handle):
            self.fail(self.request, errno.ECANCELED)
            self.release()

    def on_acquire_mute(self, msg):
        self.muted = True
        self.answer(msg)
        if self.held and not self.held.told:  # a scheduler that waits for its first response cannot be unloaded
            self.fail(self.request, errno.ECANCELED, "the instance ends")
            self.release()

    def on_disconnect(self, msg):
        def left(request):
            return lib.flux_disconnect_match(msg.handle, request.handle)

        if self.held and left(self.request):
            self.release()
        self.journals = [m for m in self.journals if not left(m)]
        self.waitups = [w for w in self.waitups if not left(w[0])]
        self.sched_waiters = [m for m in self.sched_waiters if not left(m)]

    # ---- changes
    def translate(self, targets):
        """Returns the targets of a request for Muster: ranks become hosts, so that a new R cannot make them other hosts."""
        try:
            ranks = decode(targets)
        except ValueError:
            return targets
        unknown = [r for r in ranks if r not in self.nodes]
        if unknown or not ranks:
            raise OSError(errno.EINVAL, f"rank {min(unknown)} is not in R" if unknown else "idset is empty")
        return self.named(ranks) if len(self.places) >= len(self.nodes) else self.to_muster(ranks)

    def ranks(self, targets):
        """Returns the ranks that targets mean, while Muster cannot be asked."""
        try:
            ranks = decode(targets)
        except ValueError:
            hosts = list(Hostlist(targets))
            named = {host for host, _ in self.nodes.values()}
            unknown = [host for host in hosts if host not in named]
            if unknown:
                raise OSError(errno.EINVAL, f"invalid targets: {Hostlist(unknown[:10]).encode()} is not in R") from None
            wanted = set(hosts)
            ranks = {rank for rank, (host, _) in self.nodes.items() if host in wanted}
        self.translate(encode(ranks))
        return ranks

    def prepare(self, msg):
        """Returns the request for Muster: with an id, and with hosts for ranks."""
        request = json.loads(msg.payload_str or "{}")
        if not msg.rolemask & OWNER and not self.speaks:
            raise OSError(errno.EPERM, "Request requires owner credentials")
        request = {"id": str(uuid.uuid4()), **request}
        for key in {"targets", "ranks"} & set(request):
            request[key] = self.translate(request[key])
        if isinstance(request.get("properties"), dict):
            request["properties"] = {name: self.translate(t) for name, t in request["properties"].items()}
        return request

    def on_change(self, msg):
        request = self.prepare(msg)

        def done(errnum, body):
            self.status_old = True
            self.fail(msg, errnum, body) if errnum else self.answer(msg, body)

        owner = bool(msg.rolemask & OWNER)  # without a connection it is not known whether Muster would see another user
        cred = (msg.userid, msg.rolemask & (OWNER | USER))
        self.wire.call(msg.topic, request, done, cred=cred, repeat=owner, wait=self.grace)

    def on_drain(self, msg):
        request = self.prepare(msg)
        change = request["id"]
        if not isinstance(request["targets"], str) or not isinstance(request.get("reason") or "", str):
            raise OSError(errno.EPROTO, "targets and reason of a drain are strings")
        if not msg.rolemask & OWNER or request.get("holder"):
            return self.on_change(msg)
        if not self.joined:
            return self.drain_here(msg, request, change)

        def done(errnum, body):
            self.arriving.pop(change, None)
            self.status_old = True
            if errnum and errnum not in DECIDED:
                self.once(f"a drain of {request['targets']}: {body}; this instance keeps it until Muster takes it")
                return self.drain_here(msg, request, change)
            self.fail(msg, errnum, body) if errnum else self.answer(msg, body)

        cred = (msg.userid, msg.rolemask & (OWNER | USER))
        call = self.wire.call(msg.topic, request, done, cred=cred, repeat=True, wait=1.0)
        if call.tag is not None:
            self.arriving[change] = (msg, request, call)

    def drain_here(self, msg, request, change):
        """A drain while Muster is away: it keeps jobs away at once, is written to the KVS, and is passed on later."""
        self.arriving.pop(change, None)
        ranks, mode, reason = self.ranks(request["targets"]), request.get("mode"), request.get("reason") or ""
        if mode not in (None, "update", "overwrite", "force-overwrite"):
            raise OSError(errno.EINVAL, f"invalid drain mode {mode!r}; modes are update, overwrite, force-overwrite")
        drained = {rank for rank in ranks if self.logged.get(rank)}
        if mode is None and drained:
            raise OSError(errno.EEXIST, f"rank{'s' * (len(drained) > 1)} {encode(drained)} already drained")
        if len(self.pending) >= MOST_PENDING:
            raise OSError(errno.EAGAIN, f"{MOST_PENDING} drains wait for Muster already; nothing was changed")
        entry = self.keep_drain(change, ranks, reason, mode)
        entry["cred"] = [msg.userid, msg.rolemask & (OWNER | USER)]
        self.tell()
        logged = {r: reason for r in ranks if mode in ("overwrite", "force-overwrite") or not self.logged.get(r)}
        self.logged.update(logged)
        level = {"overwrite": 1, "force-overwrite": 2}.get(mode, 0)
        line = self.lines("drain", ranks, {**({"reason": reason} if reason else {}), "overwrite": level, "id": change})
        self.own_ids.append(change)
        self.publish(json.loads(line))
        self.log.info(f"muster: drain of {self.named(ranks)} while Muster is away: {reason}")

        def written(ok):
            sentence = "the drain is in force until this instance ends, but the KVS did not take it"
            self.answer(msg) if ok else self.fail(msg, errno.EIO, sentence)

        self.remember(line, written)
        self.send_drain(entry)

    def keep_drain(self, change, ranks, reason, mode):
        entry = {"id": change, **self.placed(ranks), "reason": reason, "mode": mode, "cred": None}
        self.pending[change], self.local.pending[change] = entry, set(ranks)
        return entry

    def send_drain(self, entry):
        ranks = self.local.pending[entry["id"]] & set(self.nodes)
        entry.pop("retry", None)
        if not ranks:
            return  # R does not name these hosts today

        def done(errnum, body):
            if errnum and errnum not in DECIDED:
                self.once(f"the drain of {entry['nodelist']} is not passed on: {body}; trying again every 10 s")
                entry["retry"] = time.monotonic() + 10
                return
            if errnum and errnum != errno.EEXIST:
                self.log.error(f"muster: Muster refused the drain of {entry['nodelist']}: {body}")
            entry["made"], self.status_old = True, True
            self.settle()

        request = {"id": entry["id"], "targets": self.translate(encode(ranks)), "reason": entry["reason"]}
        request = {**request, **({"mode": entry["mode"]} if entry["mode"] else {})}
        cred = tuple(entry["cred"] or (os.getuid(), OWNER))
        self.wire.call("resource.drain", request, done, cred=cred, repeat=True)

    def settle(self):
        """Forgets drains that Muster has made, once the scheduler's view has them from Muster."""
        if self.said.fresh or not self.held:
            made = [change for change, entry in self.pending.items() if entry.get("made")]
            for change in made:
                del self.pending[change], self.local.pending[change]
            if made:
                self.remember()

    # ---- what is read
    def mark(self):
        return {} if self.joined else {"muster": {"reachable": False, "as_of": round(self.status_time, 3)}}

    def on_status(self, msg):
        def done(errnum, body):
            if not errnum:
                self.take_status(json.loads(body))
            self.answer(msg, self.status_now(marked=bool(errnum)))

        if not self.joined:
            return self.answer(msg, self.status_now(marked=True))
        self.wire.call("resource.status", None, done, wait=2.0)

    def status_now(self, marked):
        drain = {ids: dict(entry) for ids, entry in self.status["drain"].items()}
        drained = set().union(*(decode(ids) for ids in drain))
        for entry in self.pending.values():
            ranks = self.local.pending[entry["id"]] - drained
            if ranks:
                drain[encode(ranks)] = {"timestamp": round(self.status_time), "reason": entry["reason"]}
                drained |= ranks
        everyone = set(self.nodes) | set(range(len(self.brokers)))
        now = {
            "R": self.R, "drain": drain, "online": encode(self.local.online),
            "offline": encode(everyone - self.local.online), "exclude": self.status["exclude"],
            "torpid": encode(self.local.torpid),
        }  # fmt: skip
        if marked:
            now["muster"] = {"reachable": False, "as_of": round(self.status_time, 3)}
        return now

    def on_sched_status(self, msg):
        self.sched_waiters.append(msg)
        if len(self.sched_waiters) == 1:
            self.h.rpc("job-manager.resource-status", nodeid=0).then(self.on_allocated)

    def on_allocated(self, future):
        waiters, self.sched_waiters = self.sched_waiters, []
        try:
            try:
                allocated = future.get()["allocated"]
            except OSError as e:
                if e.errno != errno.ENOSYS:
                    raise
                allocated = None
            exclude = decode(self.status["exclude"]) | self.said.lost
            ranks = {r for r in self.nodes if r not in exclude}
            if self.held and self.held.told:
                ranks &= set(self.held.offered)
                up = self.held.up
            else:
                up = self.local.up(self.said)
            tags = {name: decode(v) for name, v in self.R["execution"].get("properties", {}).items()}
            answer = {
                "all": select(self.R, {r: r for r in ranks}),
                "down": select(self.R, {r: r for r in ranks - up}),
                "allocated": tagged(allocated or select(self.R, {}), tags),
                **self.mark(),
            }
            for msg in waiters:
                self.answer(msg, answer)
        except Exception as e:
            for msg in waiters:
                self.guard("sched-status", self.fail, msg, getattr(e, "errno", None) or errno.EINVAL, str(e))

    def on_get(self, msg):
        method = json.dumps(self.method).encode()
        self.answer(msg, b'{"R":' + splice(self.R, self.scheduling) + b',"method":' + method + b"}")

    def on_event(self, errnum, body):
        if errnum:
            self.following = False
            return None if errnum == errno.ECONNRESET else self.once(f"resource.journal: {body}")
        at = body.find(b'],"R":')
        events = json.loads(body if at < 0 else body[:at] + b"]}")["events"]
        if not self.following:
            self.batch = (self.batch + events)[-MOST_EVENTS:]
            if events:
                return None
            self.following, events, self.batch = True, self.batch, []
            last = self.last_event
            if last in events:
                events = events[len(events) - events[::-1].index(last) :]
            elif last:
                events = [e for e in events if e["timestamp"] > last["timestamp"]]
        elif any(e["name"] == "resource-define" for e in events):
            self.wire.call("resource.get", None, self.on_R)
        for event in events:
            self.last_event, self.status_old = event, True
            if event.get("context", {}).get("id") not in self.own_ids:
                self.publish(event)
        return None

    def publish(self, event):
        context = event.get("context", {})
        if not self.numbering.same and "id" not in self.own_ids:
            context = {k: self.numbering.text(v) if k in ("idset", "ranks", "online") else v for k, v in context.items()}
        self.events.append((event["name"], json.dumps({**event, "context": context})))
        for msg in self.journals:
            self.send_events(msg, [self.events[-1]])

    def send_events(self, msg, events):
        texts = ",".join(text for _, text in events)
        R = ',"R":' + json.dumps(self.R) if any(name == "resource-define" for name, _ in events) else ""
        self.answer(msg, ('{"events":[' + texts + "]" + R + "}").encode())

    def on_journal(self, msg):
        if not lib.flux_msg_is_streaming(msg.handle):
            return self.fail(msg, errno.EPROTO, "journal requires streaming RPC flag")
        batch = []
        for event in self.events:
            if batch and (len(batch) == 100 or event[0] == "resource-define" or batch[-1][0] == "resource-define"):
                self.send_events(msg, batch)
                batch = []
            batch.append(event)
        if batch:
            self.send_events(msg, batch)
        self.send_events(msg, [])
        self.journals.append(msg)

    def on_journal_cancel(self, msg):
        for request in [m for m in self.journals if lib.flux_cancel_match(msg.handle, m.handle)]:
            self.journals.remove(request)
            self.fail(request, errno.ENODATA)

    # ---- the rest of what a resource module does
    def on_topo_get(self, msg):
        self.answer(msg, self.xml) if self.xml else self.fail(msg, errno.ENOSYS, "the topology of this host is not known")

    def on_topo_reduce(self, msg):
        """Other ranks send what their hosts have. R comes from Muster, so this is not needed."""

    def on_monitor_waitup(self, msg):
        up = msg.payload["up"]
        if not isinstance(up, int) or not 0 <= up <= len(self.brokers):
            raise OSError(errno.EPROTO, f"up value is out of range: {up} of {len(self.brokers)} brokers")
        if len(self.waitups) >= MOST_WAITUPS:
            raise OSError(errno.EAGAIN, f"{MOST_WAITUPS} requests wait already")
        self.waitups.append((msg, up))
        self.live_changed()

    def on_monitor_force_down(self, msg):
        self.on_online(self.local.online - decode(msg.payload["ranks"]))
        self.answer(msg)

    def on_config_reload(self, msg):
        self.answer(msg)

    def on_bridge(self, msg):
        """What the bridge knows about itself, for muster flux-check and for tests."""
        held = self.held
        self.answer(
            msg,
            {
                "connected": self.wire.up, "served": self.joined, "owner": self.owner, "speaks": self.speaks,
                "acquired": self.said.fresh, "refused": self.refused, "trouble": self.trouble, "pending": len(self.pending),
                "told": {"up": encode(held.up), "ranks": encode(held.offered)} if held and held.told else None,
                **self.wire.counters,
            },
        )  # fmt: skip

    def stop(self):
        """Ends the streams, and leaves the KVS as Muster is, because flux-core's own module may read it next."""
        if self.held:
            self.fail(self.request, errno.ECANCELED, "the resource module was unloaded")
        for msg in self.journals:
            self.fail(msg, errno.ENODATA)
        self.wire.close()
        try:
            self.take_status(json.loads(ask(self.wire.path, ["resource.status"], 0.0)[0]))
        except (OSError, ValueError):  # Muster is away: the KVS has what is known
            pass
        self.kvs.flush()


def ranks_of(R):
    return {rank for entry in R["execution"]["R_lite"] for rank in decode(str(entry["rank"]))}


def tagged(R, tags):
    """Returns R with the properties of its ranks."""
    ranks = ranks_of(R)
    mine = {name: encode(having & ranks) for name, having in tags.items() if having & ranks}
    return {**R, "execution": {**R["execution"], **({"properties": mine} if mine else {})}}


def ask(path, topics, patience=5.0):
    """Sends requests over a connection of its own and returns the answers; used before the reactor runs."""
    end = time.monotonic() + patience
    while True:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s:
            try:
                s.settimeout(max(0.1, end - time.monotonic()))
                s.connect(path)
                welcome = s.recv(1)
                if welcome != b"\0":
                    raise OSError(welcome[0] if welcome else errno.ECONNRESET, "the connection was refused")
                return [_exchange(s, topic) for topic in topics]
            except OSError:
                if time.monotonic() >= end:
                    raise
        time.sleep(0.1)


def _exchange(s, topic):
    s.sendall(frame([b"", topic.encode() + b"\0", header(REQUEST, HAS_ROUTE | HAS_TOPIC, ANY, 0, ANY, 1)]))
    data, size = bytearray(), 8
    while len(data) < size:
        more = s.recv(min(size - len(data), 1 << 20))
        if not more:
            raise OSError(errno.ECONNRESET, "the connection was lost")
        data += more
        if size == 8 and len(data) == 8:
            size = 8 + struct.unpack_from(">I", data, 4)[0]
            if data[:4] != MAGIC or size > LARGEST_FRAME:
                raise OSError(errno.EPROTO, "the answer is not a frame of Flux")
    _, errnum, _, body = unframe(memoryview(data)[8:])
    if errnum:
        raise OSError(errnum, f"{topic}: {body.decode() if body else os.strerror(errnum)}")
    return body


def local_xml(restrict=True):
    """Returns the hwloc topology of this host, as the resource modules of other ranks have it of theirs."""
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
    xml = text.value
    hwloc.hwloc_free_xmlbuffer(topology, text)
    hwloc.hwloc_topology_destroy(topology)
    return xml


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
