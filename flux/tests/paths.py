"""Makes the bridge and the stand-in for Flux importable. Each test module imports this first."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
for directory in (os.path.join(HERE, "broker"), os.path.dirname(HERE), HERE):
    if directory not in sys.path:
        sys.path.insert(0, directory)
