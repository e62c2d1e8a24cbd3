"""One broker of rank 0 with a KVS, groups and a job manager, on the reactor of the tests."""

import errno
import json
import socket
import struct
import types

import muster_bridge as bridge
import reactor
from muster import response


class _Commit:
    def __init__(self, broker, result):
        self.broker, self.result = broker, result


class _Rpc:
    """A future with one answer, or the successive answers about a group of brokers."""

    def __init__(self, broker, payload):
        self.broker, self.payload, self.callback = broker, payload, None

    def get(self):
        if self.payload is None:
            raise OSError(errno.ENOSYS, "no such service")
        if isinstance(self.payload, Exception):
            raise self.payload
        return self.payload

    get_str = get

    def reset(self):
        pass

    def then(self, callback):
        self.callback = callback
        if not isinstance(self.payload, dict) or "members" not in self.payload:
            self.broker.later(lambda: callback(self))


class Watcher:
    def __init__(self, broker, callback, topic, roles):
        self.callback, self.roles = callback, roles
        broker.services[topic] = self

    def start(self):
        return self


class Instance(reactor.Reactor):
    def __init__(self, hosts, config, kvs=None):
        super().__init__()
        self.hosts, self.config, self.kvs, self.handle = hosts, config, {} if kvs is None else kvs, self
        self.logged, self.services, self.groups, self.soon, self.tags = [], {}, {}, [], 0
        self.allocated, self.kvs_fails = "", False
        self.sent, self.path = {}, "/nonexistent"
        self.beliefs = lambda topic, payload: OSError(errno.ENOSYS, "no such service")  # the same, to find; None: no answer
        self.changes = lambda name, payload: None  # the same, to set_property and remove_property; None: no such service
        self.jobs = None  # jobspecs of waiting jobs; None: no job-list
        self.delayed = None  # a list for questions about beliefs whose answers the test passes on
        self.scheduler = lambda payload: OSError(errno.ENOSYS, "no such service")  # returns an answer to set_status, or an error

    # ---- methods of flux.Flux
    def attr_get(self, name):
        return {"hostlist": self.hosts, "local-uri": "local://" + self.path}[name]

    def conf_get(self, key, default=None):
        return self.config.get(key, default)

    def get_rank(self):
        return 0

    def flux_kvs_lookup(self, _namespace, flags, key):
        return _Rpc(self, key.encode()) if flags else self.kvs.get(key)

    def msg_watcher_create(self, callback, _type, topic, rolemask):
        return Watcher(self, callback, topic, rolemask)

    def rpc(self, topic, payload=None, nodeid=None, flags=0):
        if topic == "groups.get":
            return self.groups.setdefault(payload["name"], _Rpc(self, {"members": ""}))
        if topic == "sched-fluxion-resource.find" or topic.startswith("sched."):
            answer = self.beliefs(topic, payload)
            return self.asked(_Rpc(self, json.dumps(answer) if isinstance(answer, dict) else answer))
        if topic == "sched-fluxion-resource.set_status":
            return _Rpc(self, self.scheduler(payload))
        if topic in ("sched-fluxion-resource.set_property", "sched-fluxion-resource.remove_property"):
            answer = self.changes(topic.split(".")[1], payload)
            return self.asked(_Rpc(self, OSError(errno.ENOSYS, "no such service") if answer is None else answer))
        if topic == "job-list.list" and self.jobs is not None:
            return _Rpc(self, json.dumps({"jobs": [{"id": n} for n in range(len(self.jobs))]}))
        if topic == "job-info.lookup":
            job = self.jobs[payload["id"]]
            return _Rpc(self, job if isinstance(job, Exception) else json.dumps({"id": payload["id"], "jobspec": json.dumps(job)}))
        if topic.startswith("job-list."):
            return _Rpc(self, OSError(errno.ENOSYS, "no such service"))
        R_lite = [{"rank": self.allocated, "children": {"core": "0-1"}}] if self.allocated else []
        return _Rpc(self, {"allocated": {"version": 1, "execution": {"R_lite": R_lite, "nodelist": []}}})

    def asked(self, future):
        then = future.then
        if self.delayed is not None:
            future.then = lambda callback: setattr(future, "callback", lambda _: callback(future)) or self.delayed.append(future)
        elif future.payload is None:
            future.then = lambda callback: None
        else:
            future.then = then
        return future

    def commit(self, txn):
        for flags, key, data in [] if self.kvs_fails else txn:
            self.kvs[key] = self.kvs[data] if flags is None else (self.kvs.get(key, b"") if flags else b"") + data
        return _Commit(self, -1 if self.kvs_fails else 0)

    # ---- methods for tests
    def later(self, function):
        self.soon.append(function)

    def turn(self, longest=0.02):
        soon, self.soon = self.soon, []
        for function in soon:
            function()
        super().turn(0 if self.soon or soon else longest)

    def group(self, name, members):
        """Changes the members of a group of brokers."""
        future = self.groups[name]
        future.payload = {"members": members}
        future.callback(future)

    def listen(self, path):
        """Opens the socket of this broker at a path."""
        self.path, self.listener, self.locals = path, socket.socket(socket.AF_UNIX), []
        self.listener.bind(path)
        self.listener.listen()
        self.fd_watcher_create(self.listener.fileno(), self.accept, 1).start()

    def accept(self, *_):
        local, data = self.listener.accept()[0], bytearray()
        local.sendall(b"\0")
        self.locals.append(local)
        reader = self.fd_watcher_create(local.fileno(), lambda *_: self.readable(local, data) or reader.stop(), 1)
        reader.start()

    def readable(self, local, data):
        """Reads responses to requests of send(), and answers requests. Returns whether more bytes may follow."""
        more = local.recv(1 << 20)
        data += more
        while len(data) >= 8 and len(data) >= (end := 8 + struct.unpack_from(">I", data, 4)[0]):
            kind, errnum, tag, part = bridge.unframe(data, 8, end)
            if kind == bridge.RESPONSE:
                self.sent[tag].responses.append((errnum, json.loads(data[part[0] : part[1]])))
            else:
                local.sendall(response("broker.ping", tag, "{}"))
            del data[:end]
        return more

    def close(self):
        for one in (self.listener, *self.locals):
            one.close()

    def send(self, topic, payload=None, **options):
        """Sends a request to the module and returns it; the responses are appended to its list."""
        self.tags += 1
        msg = types.SimpleNamespace(topic=topic, payload=payload, tag=self.tags, responses=[], streaming=False, noresponse=False)
        vars(msg).update(sender="client", userid=100, rolemask=1, handle=msg, payload_str=payload and json.dumps(payload))
        vars(msg).update(options)
        service, self.sent[self.tags] = self.services[topic], msg
        if msg.rolemask & service.roles:
            service.callback(self, service, msg, None)
        else:
            msg.responses.append((errno.EPERM, "Request requires owner credentials"))
        return msg

    def ask(self, topic, payload=None, **options):
        msg = self.send(topic, payload, **options)
        self.until(lambda: msg.responses)
        return msg.responses[0]
