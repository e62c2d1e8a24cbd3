#!/usr/bin/env python3
"""Waits for the jobs whose ids are on standard input, and fails if one of them had one of these GPUs, or none. gpus.py HOST/gpuN..."""
import sys

import flux
import flux.job
from flux.resource import ResourceSet


def main():
    handle, used = flux.Flux(), {}
    for jobid in map(flux.job.JobID, sys.stdin.read().split()):
        flux.job.event_wait(handle, jobid, "clean")
        R = ResourceSet(flux.job.job_kvs_lookup(handle, jobid, keys=["R"])["R"])
        for rank in R.ranks:
            part = R.copy_ranks([rank]).to_dict()["execution"]
            gpus = part["R_lite"][0]["children"].get("gpu", "none")
            used.setdefault("%s/gpu%s" % (part["nodelist"][0], gpus), []).append(jobid.f58)
    print({gpu: len(jobs) for gpu, jobs in sorted(used.items())})
    return 0 if used and not any(gpu in sys.argv[1:] or gpu.endswith("none") for gpu in used) else 1


sys.exit(main())
