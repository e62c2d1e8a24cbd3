"""A stand-in for the Flux bindings: one broker in one process, with what the bridge needs of it."""
