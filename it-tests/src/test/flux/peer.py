#!/usr/bin/env python3
"""Measures Muster beside flux-core, with the same code, through libflux.

    FLUX=/usr/bin/flux it-tests/src/test/flux/peer.py
    FLUX=/usr/bin/flux it-tests/src/test/flux/peer.py --only status --ranks 16384

FLUX names the flux command of an installed flux-core, 0.88 or newer. The script starts a flux-core broker and a Muster daemon
with the same hosts, none of which exist, and prints a table of what both took. `--peers flux-core,bridge` compares the broker
with a broker on whose leader the bridge serves a Muster daemon. The broker is a whole instance without a
scheduler, so that the script can acquire the resources. Both keep their state in a temporary directory; the broker does not
wait until a change is on disk, and Muster does.

    first    Drains of a fresh peer, one after the other, while a scheduler holds resource.acquire. One row is the time until
             the drain was answered, the other the time until the scheduler was told that the rank is down. The drains begin
             --wait seconds after the peer has said that it is ready.
    steady   The same after 500 drains that do not count. A drain by flux-core takes the longer, the more there have been.
    flight   A client sends all of its requests before it reads the first answer. flux-core is silent for a minute or more
             while it works off 20,000 changes; what is silent for longer than --stall has hung.
    command  The command `flux resource status`, run by turns for each peer, and the requests that the command sends. Most of
             the command's time is its own: it expands R several times.
    status   Clients ask for resource.status, each on a connection of its own, while an admin changes ranks. The admin has at
             most 16 changes without an answer. "asking 10/s" means that a client asks ten times a second, or as often as it
             is answered; "asking at once" means that it asks again when it has the answer.
"""

import argparse
import contextlib
import math
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FLUX = shutil.which(os.environ.get("FLUX", ""))
if FLUX is None:
    sys.exit("peer.py: set FLUX to the flux command of flux-core, as in FLUX=/usr/bin/flux " + sys.argv[0])
if os.environ.get("MUSTER_PEER") != "inside":  # `flux python` knows where the binding is
    os.execve(FLUX, [FLUX, "python", *sys.argv], {**os.environ, "MUSTER_PEER": "inside"})

from measures import DRAINED, asking, change, drained_ranks, drains, flight, other_ranks, status  # noqa: E402

ROOT = Path(__file__).resolve().parents[4]
BRIDGE = os.environ.get("BRIDGE") or str(ROOT / "flux/muster_bridge.py")
CORES = 4


def start(function, *args):
    """Runs a measurement in a process of its own."""
    ours, theirs = multiprocessing.Pipe(duplex=False)
    progress = multiprocessing.RawArray("c", b"nothing was done".ljust(100))

    def say(text):
        progress.value = text.encode()

    process = multiprocessing.Process(target=lambda: theirs.send(function(say, *args)), daemon=True)
    process.start()
    theirs.close()
    return process, ours, progress


def finish(measurement, stall, cell):
    """Returns cell(result); or the last progress if the measurement failed, or made no progress for `stall` seconds."""
    process, pipe, progress = measurement
    last, since = progress.value, time.monotonic()
    try:
        while not pipe.poll(0.5):
            if progress.value != last:
                last, since = progress.value, time.monotonic()
            elif time.monotonic() > since + stall:
                return "hung: " + last.decode()
        return cell(pipe.recv())
    except EOFError:
        return "failed: " + progress.value.decode()
    finally:
        process.kill()
        process.join()


# ---- the peers


class Peer:
    """A daemon in a directory of its own, until the end of a with statement."""

    environment = {"FLUX_SCHED_MODULE": "none"}

    def __init__(self, ranks):
        self.ranks = ranks
        self.directory = Path(tempfile.mkdtemp(prefix="peer-"))

    def __enter__(self):
        log = self.directory / "log"
        with open(log, "wb") as output:
            self.process = subprocess.Popen(self.command(), stdin=subprocess.PIPE, stdout=output, stderr=output,
                                            env={**os.environ, **self.environment})
        while " ready socket=" not in log.read_text(errors="replace"):
            if self.process.poll() is not None:
                sys.exit("peer.py: %s does not start:\n%s" % (self.name, log.read_text(errors="replace")))
            time.sleep(0.05)
        return self

    def __exit__(self, *_):
        self.end()
        self.process.wait()
        shutil.rmtree(self.directory)


class Broker(Peer):
    name = "flux-core"

    def command(self):
        os.mkfifo(self.directory / "end")
        self.uri = "local://%s/local-0" % self.directory
        return [FLUX, "start", "-s1", "--test-rundir=%s" % self.directory, "-Shostlist=node[0-%d]" % (self.ranks - 1),
                "--conf=fake-resources.nnodes=%d" % self.ranks, "--conf=fake-resources.host-prefix=node",
                "--conf=fake-resources.cores-per-node=%d" % CORES,
                "sh", "-c", "echo ' ready socket='; read _ <%s/end" % self.directory]

    def end(self):
        (self.directory / "end").write_text("\n")


class Muster(Peer):
    name = "Muster"

    def command(self):
        self.uri = "local://%s/sock" % self.directory
        config = self.directory / "muster.toml"
        config.write_text('[muster]\nsocket = "%s/sock"\nstate-dir = "%s/state"\nmetrics = "off"\n'
                          '[[resource.config]]\nhosts = "node[0-%d]"\ncores = "0-%d"\n'
                          % (self.directory, self.directory, self.ranks - 1, CORES - 1))
        return [ROOT / "muster", "serve", "-c", config]

    def end(self):
        self.process.terminate()


class Bridge(Broker):
    name = "bridge"
    environment = {**Broker.environment, "MUSTER_BRIDGE": BRIDGE, "FLUX_MODPROBE_PATH_APPEND": os.path.dirname(BRIDGE)}

    def __init__(self, ranks):
        super().__init__(ranks)
        self.muster = Muster(ranks)

    def __enter__(self):
        self.muster.__enter__()
        return super().__enter__()

    def __exit__(self, *exception):
        super().__exit__(*exception)
        self.muster.__exit__(*exception)

    def command(self):
        start, *rest = super().command()
        return [start, rest[0], "--conf=muster.socket=%s/sock" % self.muster.directory, *rest[1:]]


# ---- the table


def ms(times):
    """Median and 99th percentile."""
    times = sorted(times)
    return "%.2f, %.2f ms" % tuple(times[math.ceil(share * len(times)) - 1] * 1000 for share in (0.5, 0.99))


def measured(peer, options):
    """Yields rows and their cells for one peer."""
    for what, count, warm in (("first", 100, 0), ("steady", 500, options.warm)):
        if what in options.only:
            time.sleep(options.wait if what == "first" else 0)
            row = "%s %d drains, %d ranks: " % (what, count, peer.ranks)
            both = finish(start(drains, peer.uri, peer.ranks, count, warm), options.stall, lambda both: [ms(x) for x in both])
            answered, told = (both, both) if isinstance(both, str) else both
            yield row + "answered", answered
            yield row + "scheduler told", told
    if "flight" in options.only and peer.ranks == min(options.ranks):
        for what, topics in (("changes", ["resource.drain", "resource.undrain"]), ("status", ["resource.status"])):
            yield "%d in flight, %d ranks: %s" % (options.flight, peer.ranks, what), finish(
                start(flight, peer.uri, peer.ranks, options.flight, topics), options.stall, lambda end: "%.1f s, %s" % (
                    end[1], ", ".join("%d %s" % (n, os.strerror(e) if e else "done") for e, n in sorted(end[0].items()))))
    if "status" in options.only and peer.ranks == max(options.ranks):
        assert peer.ranks >= 5 * DRAINED, "status needs %d ranks" % (5 * DRAINED)
        yield "drains of %d ranks, 16 in flight" % DRAINED, finish(
            start(change, peer.uri, drained_ranks()), options.stall, lambda pace: "%d/s" % pace)
        for number, (clients, rate, pace) in enumerate(((100, 10, 500), (100, 0, 500), (200, 10, 1000), (200, 0, 1000))):
            changer = start(change, peer.uri, other_ranks(number + 1), options.seconds, pace)
            asker = start(status, peer.uri, clients, rate, options.seconds)
            times = finish(asker, options.stall, lambda times: "%s at %d/s" % (ms(times), len(times) / options.seconds))
            changes = finish(changer, options.stall, lambda pace: "%d/s" % pace)
            asking = "asking %d/s" % rate if rate else "asking at once"
            yield "status, %d clients %s, %d changes/s" % (clients, asking, pace), "%s, changes %s" % (times, changes)


def command(peers):
    """Yields rows, the peer, and its cell of the row."""
    times, requests = ({peer: [] for peer in peers} for _ in range(2))
    for _ in range(20):
        for peer in peers:
            began = time.perf_counter()
            subprocess.run([FLUX, "resource", "status"], env={**os.environ, "FLUX_URI": peer.uri}, check=True, capture_output=True)
            times[peer].append(time.perf_counter() - began)
            process, pipe, _ = start(asking, peer.uri, ["resource.status", "resource.sched-status"], 10)
            requests[peer] += pipe.recv()
            process.join()
    for what, measured in (("flux resource status", times), ("the requests of flux resource status", requests)):
        for peer in peers:
            yield "%s, %d ranks" % (what, peer.ranks), peer, ms(measured[peer])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="first,steady,command,flight,status", help="which of these to measure (default: all)")
    parser.add_argument("--ranks", default="64,1024,16384", help="sizes; flight takes the smallest, status the largest")
    parser.add_argument("--flight", type=int, default=20000, help="requests in flight")
    parser.add_argument("--seconds", type=float, default=10, help="how long each row of status takes")
    parser.add_argument("--warm", type=int, default=500, help="drains before steady")
    parser.add_argument("--wait", type=float, default=2, help="seconds between the start of a peer and its first drain")
    parser.add_argument("--stall", type=float, default=300, help="seconds without progress that are a hang")
    parser.add_argument("--peers", default="flux-core,Muster", help="which of them to start")
    options = parser.parse_args()
    options.ranks = [int(ranks) for ranks in options.ranks.split(",")]
    kinds = [kind for kind in (Broker, Bridge, Muster) if kind.name in options.peers.split(",")]
    before, table = os.getloadavg()[0], {}
    for ranks in options.ranks:
        for kind in kinds:
            with kind(ranks) as peer:
                for row, cell in measured(peer, options):
                    table.setdefault(row, {})[kind.name] = cell
                    print("%s: %s: %s" % (kind.name, row, cell), file=sys.stderr)
        if "command" in options.only:
            with contextlib.ExitStack() as stack:
                for row, peer, cell in command([stack.enter_context(kind(ranks)) for kind in kinds]):
                    table.setdefault(row, {})[peer.name] = cell
    print("Median and 99th percentile; load average %.1f before, %.1f after\n" % (before, os.getloadavg()[0]))
    print("| | %s |\n|---|%s" % (" | ".join(kind.name for kind in kinds), "---|" * len(kinds)))
    for row, cells in table.items():
        print("| %s | %s |" % (row, " | ".join(cells.get(kind.name, "") for kind in kinds)))


if __name__ == "__main__":
    main()
