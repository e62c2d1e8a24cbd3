"""A module `resource` for flux-core's own tests: on rank 0 the bridge, with a Muster that it starts for the instance, else flux's module.

The step sharness puts this file into the directory in which the tests' brokers look for modules. Muster gets the R that flux's own module
would have: that of the configuration, else that of the KVS, else one with the contents of this host for each broker. Each load of the
module gets a Muster without drains, and a bridge that has not served the instance before. Drains then come from the keys in which flux's
own module keeps them, which some tests edit. BRIDGE and MUSTER name files. SHARNESS_DIRECTORY has flux's module native.so and the files of
each Muster.
"""
import ctypes
import errno
import json
import os
import subprocess
import sys
import tempfile
import time

import flux.kvs
from _flux._core import ffi
from flux.hostlist import Hostlist
from flux.idset import IDset

sys.path.insert(0, os.path.dirname(os.environ["BRIDGE"]))
import muster_bridge  # noqa: E402

KEYS = ("path", "config", "scheduling", "exclude", "journal-max", "noverify", "norestrict", "rediscover", "verify")


def toml(value):
    if isinstance(value, dict):
        return "{%s}" % ", ".join("%s = %s" % (json.dumps(k), toml(v)) for k, v in value.items())
    return "[%s]" % ", ".join(map(toml, value)) if isinstance(value, list) else json.dumps(value)


def discovered(h):
    try:
        R = flux.kvs.get(h, "resource.R")
        return R if isinstance(R, dict) else json.loads(R)
    except OSError:
        pass
    local = subprocess.run(["flux", "R", "encode", "--local"], capture_output=True, check=True).stdout
    children = json.loads(local)["execution"]["R_lite"][0]["children"]
    size = int(h.attr_get("size"))
    ranks = "0-%d" % (size - 1) if size > 1 else "0"
    return {"version": 1, "execution": {"R_lite": [{"rank": ranks, "children": children}], "starttime": 0, "expiration": 0,
                                        "nodelist": list(Hostlist(h.attr_get("hostlist")))[:size]}}


def start(h):
    """Starts a Muster, and returns its socket and its process."""
    directory = tempfile.mkdtemp(prefix="m", dir=os.environ["SHARNESS_DIRECTORY"])
    flux.kvs.put_unlink(h, muster_bridge.STATE)
    flux.kvs.commit(h)
    table = {k: v for k, v in (h.conf_get("resource", default=None) or {}).items() if k in KEYS}
    if not table.get("path") and not table.get("config"):
        R = discovered(h)
        if "nodelist" not in R["execution"]:
            count = sum(len(IDset(entry["rank"])) for entry in R["execution"]["R_lite"])
            R["execution"]["nodelist"] = list(Hostlist(h.attr_get("hostlist")))[:count]
        R["execution"].setdefault("starttime", 0)
        R["execution"].setdefault("expiration", 0)
        table["path"] = directory + "/R.json"
        with open(table["path"], "w") as file:
            json.dump(R, file)
    with open(directory + "/muster.toml", "w") as file:
        file.write('[muster]\nsocket = "%s/s"\nstate-dir = "%s/state"\nmetrics = "off"\ninitial = "offline"\n[resource]\n' % (directory, directory))
        file.writelines("%s = %s\n" % (key, toml(value)) for key, value in table.items())
    with open(directory + "/log", "w") as log:
        daemon = subprocess.Popen([os.environ["MUSTER"], "serve", "-c", directory + "/muster.toml"], stdin=subprocess.DEVNULL,
                                  stdout=log, stderr=log, start_new_session=True)
    while " ready socket=" not in open(directory + "/log").read():
        if daemon.poll() is not None:
            raise ValueError(open(directory + "/log").read().strip().split("\n")[-1])
        time.sleep(0.05)
    return directory + "/s", daemon


def native(h, args):
    """Runs flux-core's own module in this process."""
    module = ctypes.CDLL(os.environ["SHARNESS_DIRECTORY"] + "/native.so", mode=ctypes.RTLD_GLOBAL)
    argv = (ctypes.c_char_p * (len(args) + 1))(*[arg.encode() for arg in args], None)
    module.mod_main.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p]
    if module.mod_main(int(ffi.cast("uintptr_t", h.handle)), len(args), ctypes.cast(argv, ctypes.c_void_p)) < 0:
        raise OSError(errno.EIO, "flux's module failed")


def nested(h):
    """Whether the instance is a job of another one. Such instances keep flux's own module."""
    try:
        return bool(h.attr_get("jobid"))
    except OSError:
        return False


def mod_main(h, *args):
    if nested(h):
        return native(h, args)
    if h.get_rank():
        table = h.conf_get("resource", default=None) or {}
        configured = table.get("path") or table.get("config")
        return native(h, args if configured else ["noverify", *args])  # flux's own module does not verify what it has discovered itself
    socket, daemon = start(h)
    try:
        bridge = muster_bridge.Bridge(h, {"socket": socket, "grace": 60.0}, args)
        try:
            h.reactor_run()
        finally:
            bridge.stop()
    finally:
        daemon.terminate()
        daemon.wait()
