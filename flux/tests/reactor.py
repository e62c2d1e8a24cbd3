"""A reactor for tests, with the two methods of flux.Flux that the wire uses."""

import selectors
import time


class _Watcher:
    def __init__(self, reactor, callback):
        self.reactor, self.callback, self.running = reactor, callback, False

    def destroy(self):
        self.stop()


class _Fd(_Watcher):
    def __init__(self, reactor, fd, callback, events):
        super().__init__(reactor, callback)
        self.fd, self.events = fd, events

    def start(self):
        self.running = True
        self.reactor.fds.add(self)

    def stop(self):
        self.running = False
        self.reactor.fds.discard(self)


class _Timer(_Watcher):
    def __init__(self, reactor, after, callback, repeat):
        super().__init__(reactor, callback)
        self.after, self.repeat = after, repeat

    def start(self):
        self.at, self.running = time.monotonic() + self.after, True
        self.reactor.timers.add(self)

    def reset(self, after=None, repeat=None):
        self.after, self.repeat = after, repeat
        self.start()

    def stop(self):
        self.running = False
        self.reactor.timers.discard(self)


class Reactor:
    def __init__(self):
        self.fds, self.timers = set(), set()

    def fd_watcher_create(self, fd, callback, events, args=None):
        return _Fd(self, fd, callback, events)

    def timer_watcher_create(self, after, callback, repeat=0.0, args=None):
        return _Timer(self, after, callback, repeat)

    def turn(self, longest=0.05):
        """Calls the callbacks that are due, each at most once."""
        now = time.monotonic()
        wait = min([longest] + [max(0.0, t.at - now) for t in self.timers])
        with selectors.DefaultSelector() as selector:
            want = {}
            for f in self.fds:
                want.setdefault(f.fd, []).append(f)
            for fd, watchers in want.items():
                mask = (selectors.EVENT_READ if any(w.events & 1 for w in watchers) else 0) | (
                    selectors.EVENT_WRITE if any(w.events & 2 for w in watchers) else 0
                )
                selector.register(fd, mask, watchers)
            ready = selector.select(wait)
        for key, mask in ready:
            for watcher in key.data:
                bit = selectors.EVENT_READ if watcher.events & 1 else selectors.EVENT_WRITE
                if watcher.running and mask & bit:
                    watcher.callback(self, watcher, watcher.fd, mask, None)
        now = time.monotonic()
        for timer in sorted(self.timers, key=lambda t: t.at):
            if timer.running and timer.at <= now:
                if timer.repeat:
                    timer.at = now + timer.repeat
                else:
                    timer.stop()
                timer.callback(self, timer, 0, None)

    def until(self, condition, seconds=20.0):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise AssertionError(f"not within {seconds} s")
            self.turn()
