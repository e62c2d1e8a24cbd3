#!/usr/bin/env python3
"""Plants 100 differences in Fluxion behind Muster's back, on hosts of the step audit, or checks that an audit has found just these."""

import json
import sys

PLANTED = {
    ("down", ""): [f"node{n}" for n in range(2, 22)],
    ("up", ""): ["node40"],
    ("marked", "gpu0"): [f"node{n}" for n in range(22, 40)] + [f"node{n}" for n in range(41, 43)],
    ("marked", "core3"): [f"node{n}" for n in range(43, 62)],
    ("lacks-property", "blue"): [f"node{n}" for n in range(22, 42) if n != 40] + ["node63"],
    ("has-property", "red"): [f"node{n}" for n in range(44, 64)],
}


def plant():
    import flux

    h = flux.Flux()

    def ask(topic, payload):
        h.rpc("sched-fluxion-resource." + topic, payload, nodeid=0).get()

    for (kind, what), hosts in PLANTED.items():
        paths = [f"/cluster0/{host}" for host in hosts]
        if kind == "lacks-property":
            ask("remove_property", {"resource_path": paths, "key": what})
        elif kind == "has-property":
            ask("set_property", {"sp_resource_path": paths, "sp_keyval": what + "=1"})
        else:
            for path in paths:
                part = path + ("/" + what if what else "")
                ask("set_status", {"resource_path": part, "status": "up" if kind == "up" else "down"})


def check():
    from flux.hostlist import Hostlist

    found = set()
    for scheduler in json.load(sys.stdin)["schedulers"]:
        for one in scheduler["differences"]:
            found |= {(one["difference"], one["what"], host) for host in Hostlist(one["hosts"])}
    wanted = {(*key, host) for key, hosts in PLANTED.items() for host in hosts}
    print(f"{len(wanted)} planted, {len(found)} found", *sorted(wanted ^ found))
    sys.exit(wanted != found or len(wanted) != 100)


{"plant": plant, "check": check}[sys.argv[1]]()
