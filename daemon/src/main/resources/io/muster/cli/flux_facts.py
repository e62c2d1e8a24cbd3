"""Prints, as one JSON document, what `muster flux-check` has to know about Flux. Changes nothing.

`flux python - CONFIG` reads this file from standard input. CONFIG names the broker's configuration as `flux config get` does.
A fact that cannot be found is null, and "errors" has the reason under the same name.
"""
import glob
import json
import os
import subprocess
import sys
import threading

SECONDS = 10  # for each fact: the instance or `flux config` may hang
facts = {"errors": {}}


def find(name, function):
    """Stores what the function returns, or the reason why it returns nothing."""

    def run():
        try:
            found, reason = function(), None
        except Exception as error:
            found, reason = None, sentence(error)
        result.append((found, reason))

    result = []
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(SECONDS + 1)
    facts[name], reason = result[0] if result else (None, "no answer within %d seconds" % (SECONDS + 1))
    if reason:
        facts["errors"][name] = reason


def sentence(error):
    """Returns what an exception says, without the words that only a programmer of Python understands."""
    if isinstance(error, OSError) and error.strerror:
        return ": ".join(filter(None, (error.filename, error.strerror)))
    if isinstance(error, subprocess.TimeoutExpired):
        return "`%s` did not end within %d seconds" % (" ".join(error.cmd[:3]), SECONDS)
    text = " ".join(str(error).split())
    return text if isinstance(error, (ImportError, SyntaxError, ValueError)) else "it cannot be read: " + text


def bindings():
    """The interpreter, if it can import what the bridge and muster-flux need."""
    import flux.hostlist, flux.kvs, flux.message, flux.resource  # noqa: E401,F401

    return "%s, Python %s" % (sys.executable, sys.version.split()[0])


def modules():
    import flux.brokermod  # noqa: F401

    return True


def configuration():
    command = ["flux", "config", "get", "--config-path=" + sys.argv[1]]
    run = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    if run.returncode:
        raise ValueError(run.stderr.strip() or "`flux config get` ended with status %d" % run.returncode)
    return json.loads(run.stdout or "{}")


def instance():
    """The owner and the hosts of the instance that FLUX_URI names, else of the system's instance."""
    import flux

    handle = flux.Flux()
    return {"uri": os.environ.get("FLUX_URI") or "the system instance", "owner": int(handle.attr_get("security.owner")),
            "hosts": handle.attr_get("hostlist")}


def knows(request):
    """Returns a function that asks whether the scheduler knows a request of Fluxion: without a payload, it is refused and changes nothing."""
    import errno

    def ask():
        import flux

        if facts["instance"] is None:
            raise ValueError("no instance answers")
        try:
            flux.Flux().rpc("sched-fluxion-resource." + request, {}).get_str()
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.EPROTO, errno.ENOSYS):
                raise
            return "no" if error.errno == errno.ENOSYS else "yes"
        return "no"

    return ask


def configured_hosts():
    from flux.hostlist import Hostlist

    hosts = Hostlist()
    for entry in (facts["configuration"] or {}).get("bootstrap", {}).get("hosts", []):
        hosts.append(entry["host"])
    return hosts.encode()


def start_file():
    """The file that Flux's modprobe finds and runs when a broker starts."""
    from flux.modprobe import ConfigLoader

    path = ConfigLoader.build_searchpath(builtindir="libexecdir")
    found = [file for directory in path for file in glob.glob(directory + "/rc1.d/muster.py")]
    if not found:
        raise ValueError("there is no rc1.d/muster.py in " + ", ".join(path))
    return found[-1]


class Context:
    """What flux gives to setup(), as far as rc1.d/muster.py uses it, on a leader whose configuration has [muster] socket."""

    rank = 0

    def __init__(self):
        self.modprobe = self
        self.updated = {}

    def update_module(self, name, entry):
        self.updated[name] = entry

    def conf_get(self, key, default=None):
        return "/run/muster/muster.sock" if key == "muster.socket" else default


def bridge():
    """The file that a leader would load in place of Flux's module `resource`."""
    import runpy

    if facts["start_file"] is None:
        raise ValueError("no rc1.d/muster.py names it")
    context = Context()
    runpy.run_path(facts["start_file"])["setup"](context)
    file = context.updated.get("resource", {}).get("module")
    if not file:
        raise ValueError(facts["start_file"] + " names no bridge")
    with open(file, "rb") as source:
        compile(source.read(), file, "exec")
    return file


find("bindings", bindings)
find("modules", modules)
find("configuration", configuration)
find("instance", instance)
find("marks", knows("set_status"))
find("live", knows("set_property"))
find("audit", knows("find"))
find("configured_hosts", configured_hosts)
find("start_file", start_file)
find("bridge", bridge)
print(json.dumps(facts), flush=True)
os._exit(0)  # a thread that hangs must not delay the end
