#!/usr/bin/env python3
"""Asks Fluxion about properties.

properties.py wait BEGIN NAME HOST yes|no ...
    waits until each host has the property, or does not have it, and prints the seconds since BEGIN, a time in seconds
properties.py measure HOSTS               sets a property on hosts node0 to node(HOSTS-1), removes it, and prints the seconds of both
"""
import sys
import time

import flux

handle = flux.Flux()


def ask(topic, payload):
    return handle.rpc("sched-fluxion-resource." + topic, payload, nodeid=0).get()


def has(name, host):
    try:
        return bool(ask("get_property", {"gp_resource_path": "/cluster0/" + host, "gp_key": name})["values"])
    except OSError:
        return False


def wait(begin, *words):
    wanted = list(zip(words[::3], words[1::3], words[2::3]))
    while any(has(name, host) != (state == "yes") for name, host, state in wanted):
        if time.time() > float(begin) + 120:
            sys.exit("not within 120 s: %s" % wanted)
        time.sleep(0.01)
    print("%.2f" % (time.time() - float(begin)))


def measure(number):
    paths = ["/cluster0/node%d" % n for n in range(int(number))]
    times = [time.monotonic()]
    ask("set_property", {"sp_resource_path": paths, "sp_keyval": "measured=1"})
    times.append(time.monotonic())
    ask("remove_property", {"resource_path": paths, "key": "measured"})
    times.append(time.monotonic())
    print("%.3f s and %.3f s" % (times[1] - times[0], times[2] - times[1]))


{"wait": wait, "measure": measure}[sys.argv[1]](*sys.argv[2:])
