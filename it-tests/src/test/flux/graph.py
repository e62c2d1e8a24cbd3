#!/usr/bin/env python3
"""Prints an R of so many nodes of 96 cores, node0 first, with the graph for Fluxion. graph.py NODES"""
import json
import sys

NODES, CORES = int(sys.argv[1]), 96


def vertex(number, kind, index, rank, path):
    return {"id": str(number), "metadata": {"type": kind, "basename": kind, "name": kind + str(index), "id": index,
            "uniq_id": number, "rank": rank, "exclusive": False, "unit": "", "size": 1, "paths": {"containment": path}}}


def main():
    nodes, edges = [vertex(0, "cluster", 0, -1, "/cluster0")], []

    def add(parent, kind, index, rank, path):
        nodes.append(vertex(len(nodes), kind, index, rank, path))
        edges.append({"source": str(parent), "target": str(len(nodes) - 1), "metadata": {"name": {"containment": "contains"}}})
        return len(nodes) - 1

    for rank in range(NODES):
        path = "/cluster0/node%d" % rank
        node = add(0, "node", rank, rank, path)
        for core in range(CORES):
            add(node, "core", core, rank, "%s/core%d" % (path, core))
    ranks = "0-%d" % (NODES - 1)
    execution = {"R_lite": [{"rank": ranks, "children": {"core": "0-%d" % (CORES - 1)}}], "starttime": 0, "expiration": 0,
                 "nodelist": ["node[%s]" % ranks]}
    print(json.dumps({"version": 1, "execution": execution, "scheduling": {"graph": {"nodes": nodes, "edges": edges}}}))


main()
