class Future:
    """Wraps what flux_kvs_commit returned."""

    def __init__(self, handle):
        self.handle = handle

    def then(self, callback):
        self.handle.broker.later(lambda: callback(self))
