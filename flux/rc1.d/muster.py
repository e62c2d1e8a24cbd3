"""Loads the bridge to Muster as the module `resource` on rank 0 of an instance whose configuration has muster.socket.

Other ranks and instances without this key keep flux-core's own module.
"""

import os


def setup(context):
    if context.rank == 0 and context.conf_get("muster.socket"):
        beside = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "muster_bridge.py")
        installed = beside if os.path.exists(beside) else "/usr/lib/muster/flux/muster_bridge.py"
        context.modprobe.update_module("resource", {"module": os.environ.get("MUSTER_BRIDGE", installed)})
