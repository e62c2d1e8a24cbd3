"""The measurements of peer.py, through libflux, of a daemon that speaks Flux's protocol.

The measuring functions take say(), which they call with their progress, and the URI of the daemon.
"""

import json
import math
import os
import time
import traceback

from flux.constants import FLUX_NODEID_ANY, FLUX_RPC_STREAMING
from flux.core.inner import ffi, lib

DRAINED, REASONS = 3000, 300
KEPT = []  # callbacks that C calls must not be garbage-collected before the last call


class Client:
    """A connection. Clients that share a reactor are served together."""

    def __init__(self, uri, reactor=None):
        self.handle = lib.flux_open(uri.encode(), 0)
        assert self.handle != ffi.NULL, "cannot connect to %s: %s" % (uri, os.strerror(ffi.errno))
        self.reactor = reactor or lib.flux_reactor_create(0)
        lib.flux_set_reactor(self.handle, self.reactor)

    def ask(self, topic, payload, callback, flags=0):
        """Sends a request. The callback is a result of on_answer()."""
        text = ffi.NULL if payload is None else json.dumps(payload).encode()
        future = lib.flux_rpc(self.handle, topic.encode(), text, FLUX_NODEID_ANY, flags)
        sent = future != ffi.NULL and lib.flux_future_then(future, -1.0, callback, ffi.NULL) == 0
        assert sent, "cannot send %s: %s" % (topic, os.strerror(ffi.errno))

    def run(self):
        """Reads answers, and lets timers expire, until stop()."""
        assert lib.flux_reactor_run(self.reactor, 0) >= 0, "the connection failed"

    def stop(self):
        lib.flux_reactor_stop(self.reactor)

    def every(self, seconds, function):
        """Calls a function at that interval."""
        KEPT.append(ffi.callback("flux_watcher_f", lambda *_: function(), onerror=give_up))
        lib.flux_watcher_start(lib.flux_timer_watcher_create(self.reactor, seconds, seconds, KEPT[-1], ffi.NULL))


def give_up(*exception):
    traceback.print_exception(*exception)
    os._exit(1)


def on_answer(function, stream=False):
    """Makes a callback that calls function(errno), and function(errno, text) for the answers of a stream."""
    slot = ffi.new("char *[1]")

    def call(future, _):
        errno = 0 if lib.flux_rpc_get(future, slot) == 0 else ffi.errno
        if stream:
            text = ffi.string(slot[0])
            lib.flux_future_reset(future)
            function(errno, text)
        else:
            lib.flux_future_destroy(future)
            function(errno)

    KEPT.append(ffi.callback("flux_continuation_f", call, onerror=give_up))
    return KEPT[-1]


def require(errno):
    assert errno == 0, "a request was refused: " + os.strerror(errno)


def drains(say, uri, ranks, count, warm):
    """Returns the seconds until each drain was answered, and the seconds until the scheduler received its update."""
    admin = Client(uri)
    scheduler = Client(uri, admin.reactor)
    seen = {}

    def saw(what, errno):
        require(errno)
        seen[what] = time.perf_counter()
        if len(seen) == 2:
            admin.stop()

    def exchange(verb, targets, reason):
        seen.clear()
        began = time.perf_counter()
        admin.ask("resource." + verb, {"targets": targets, "reason": reason}, answered)
        admin.run()
        return seen["answered"] - began, seen["told"] - began

    answered = on_answer(lambda errno: saw("answered", errno))
    seen["answered"] = 0
    scheduler.ask("resource.acquire", None, on_answer(lambda errno, _: saw("told", errno), True), FLUX_RPC_STREAMING)
    admin.run()
    times = []
    for number in range(warm + count):
        times.append(exchange("drain", str(number % ranks), "reason %d" % (number % 10)))
        if number % ranks == ranks - 1 or number == warm + count - 1:
            exchange("undrain", "0-%d" % (number % ranks), "replaced")
        say("%d drains" % number)
    return [list(column) for column in zip(*times[warm:])]


def asking(say, uri, topics, count):
    """Sends all requests together, `count` times, and returns the seconds until all were answered, for each time."""
    client, left, times = Client(uri), [], []

    def answered(errno):
        require(errno)
        left.pop()
        if not left:
            client.stop()

    callback = on_answer(answered)
    for _ in range(count):
        left += topics
        began = time.perf_counter()
        for topic in topics:
            client.ask(topic, None, callback)
        client.run()
        times.append(time.perf_counter() - began)
    return times


def flight(say, uri, ranks, count, topics):
    """Returns how many answers had each errno, and the seconds until the last of them."""
    client = Client(uri)
    errnos = []

    def answered(errno):
        errnos.append(errno)
        say("%d sent, %d answered" % (count, len(errnos)))
        if len(errnos) == count:
            client.stop()

    callback = on_answer(answered)
    began = time.monotonic()
    for number in range(count):
        targets = {"targets": str(number // len(topics) % ranks)}
        client.ask(topics[number % len(topics)], targets if len(topics) > 1 else None, callback)
        say("%d sent, none answered" % number)
    client.run()
    return {errno: errnos.count(errno) for errno in set(errnos)}, time.monotonic() - began


def change(say, uri, requests, seconds=math.inf, pace=math.inf):
    """Sends changes, 16 ahead of the answers and no more than that many a second; returns how many there were a second."""
    client = Client(uri)
    requests = iter(requests)
    began = time.monotonic()
    count = {"sent": 0, "answered": 0, "all": math.inf}

    def send():
        passed = time.monotonic() - began
        while count["all"] == math.inf and count["sent"] < min(passed * pace, count["answered"] + 16):
            verb, rank, reason = next(requests, (None, 0, 0)) if passed < seconds else (None, 0, 0)
            if verb is None:
                count["all"] = count["sent"]
            else:
                client.ask("resource." + verb, {"targets": str(rank), "reason": "reason %d" % reason}, callback)
                count["sent"] += 1
        if count["answered"] == count["all"]:
            client.stop()

    def answered(errno):
        require(errno)
        count["answered"] += 1
        say("%d changes" % count["answered"])
        send()

    callback = on_answer(answered)
    client.every(0.001, send)
    client.run()
    return count["answered"] / (time.monotonic() - began)


def drained_ranks():
    """Every fifth rank, one by one."""
    return (("drain", 5 * i, i % REASONS) for i in range(DRAINED))


def other_ranks(beside):
    """Yields drains and undrains without end, of the ranks that are `beside` above those of drained_ranks()."""
    number = 0
    while True:
        yield "drain", 5 * (number % 1000) + beside, number % REASONS
        yield "undrain", 5 * (number % 1000) + beside, 0
        number += 1


def status(say, uri, clients, rate, seconds):
    """Returns the seconds until each question was answered. A rate of 0 means that each client asks again at once."""
    first = Client(uri)
    times, idle, asked = [], [], []
    began = time.monotonic()

    class Asker:
        def __init__(self, client):
            self.client = client
            self.callback = on_answer(self.answered)
            idle.append(self)

        def ask(self):
            asked.append(self)
            self.at = time.perf_counter()
            self.client.ask("resource.status", None, self.callback)

        def answered(self, errno):
            times.append(time.perf_counter() - self.at)
            require(errno)
            say("%d answers" % len(times))
            idle.append(self)
            if rate == 0:
                due()

    def due():
        passed = time.monotonic() - began
        while passed < seconds and idle and (rate == 0 or len(asked) < passed * rate * clients):
            idle.pop(0).ask()
        if passed >= seconds and len(idle) == clients:
            first.stop()

    for number in range(clients):
        Asker(Client(uri, first.reactor) if number else first)
    first.every(0.002, due)
    first.run()
    return times
