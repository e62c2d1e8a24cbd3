"""A stand-in for the Flux bindings: one broker in one process, with the parts that the bridge uses."""
