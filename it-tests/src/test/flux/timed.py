"""The bridge that BRIDGE names, with a file $TURNS that gets the longest turn of its reactor in ms, and the callbacks in it.

A turn is the work between two waits of the reactor: one callback or several. The time in which the module waits for a
processor does not count, so that other programs have little influence.
"""

import importlib.util
import os
import time

from _flux._core import ffi, lib

spec = importlib.util.spec_from_file_location("muster_bridge", os.environ["BRIDGE"])
bridge = importlib.util.module_from_spec(spec)
spec.loader.exec_module(bridge)
longest = 0.0


def clock():
    with open("/proc/self/schedstat", encoding="ascii") as f:
        return time.monotonic() - int(f.read().split()[1]) / 1e9


def mod_main(h, *args):
    began = None

    def begin(*_):
        nonlocal began
        began = clock()

    def end(*_):
        global longest
        if began is not None and clock() - began > longest:
            longest = clock() - began
            with open(os.environ["TURNS"], "a", encoding="ascii") as f:
                f.write("%.1f\n" % (longest * 1000))

    kept = [ffi.callback("flux_watcher_f", function) for function in (begin, end)]
    reactor = lib.flux_get_reactor(h.handle)
    for create, callback in zip((lib.flux_check_watcher_create, lib.flux_prepare_watcher_create), kept):
        lib.flux_watcher_start(create(reactor, callback, ffi.NULL))
    bridge.mod_main(h, *args)
