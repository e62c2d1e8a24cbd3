"""A Muster for tests, in a thread: answers the requests of the bridge, with the inventory in a few sets. Tests stop and start it."""

import errno
import json
import os
import socket
import struct
import threading

import muster_bridge as bridge
import reactor


def response(topic, tag, body=None, errnum=0, streaming=False):
    parts = [b"", topic.encode() + b"\0"]
    flags = bridge.HAS_ROUTE | bridge.HAS_TOPIC | (bridge.STREAMING if streaming else 0)
    if body is not None:
        flags |= bridge.HAS_PAYLOAD
        parts.append((body if isinstance(body, bytes) else body.encode()) + b"\0")
    parts.append(struct.pack(">BBBBIIII", 0x8E, 1, bridge.RESPONSE, flags, 0, 5, errnum, tag))
    return bridge.frame(parts)


def parts_of(frame):
    """Returns the parts of a frame, without its beginning."""
    parts, at = [], 8
    while at < len(frame):
        size, at = frame[at], at + 1
        if size == 255:
            size, at = struct.unpack_from(">I", frame, at)[0], at + 4
        parts.append(frame[at : at + size])
        at += size
    return parts


class Peer:
    def __init__(self, server, connection):
        self.server, self.socket, self.input, self.streams = server, connection, bytearray(), {}
        self.watcher = server.reactor.fd_watcher_create(connection.fileno(), self.readable, 1)
        self.watcher.start()

    def readable(self, *_):
        try:
            data = self.socket.recv(1 << 16)
        except OSError:
            data = b""
        if not data:
            return self.close()
        self.input += data
        while len(self.input) >= 8 and len(self.input) >= 8 + struct.unpack_from(">I", self.input, 4)[0]:
            size = struct.unpack_from(">I", self.input, 4)[0]
            parts = parts_of(bytes(self.input[: 8 + size]))
            del self.input[: 8 + size]
            self.request(parts)

    def request(self, parts):
        _, _, _, flags, userid, rolemask, _, tag = struct.unpack(">BBBBIIII", parts[-1])
        payload = json.loads(parts[2][:-1]) if flags & bridge.HAS_PAYLOAD else None
        topic = parts[1][:-1].decode()
        self.server.requests.append((topic, payload, userid, rolemask))
        try:
            answer = self.server.serve(self, topic, payload, userid, tag)
        except OSError as e:
            return self.send(response(topic, tag, e.strerror, e.errno))
        if not flags & bridge.NO_RESPONSE and answer is not None:
            self.send(response(topic, tag, answer or None, 0, bool(flags & bridge.STREAMING)))

    def send(self, data):
        try:
            self.socket.setblocking(True)
            self.socket.sendall(data)
        except OSError:
            self.close()

    def close(self):
        self.watcher.stop()
        self.socket.close()
        self.server.left(self)


class Muster:
    """The server. Topics in `missing` get ENOSYS; `refuse` maps a topic to (errnum, sentence)."""

    def __init__(self, path, hosts):
        self.path, self.hosts, self.lock = path, list(hosts), threading.RLock()
        self.excluded, self.drained, self.online, self.ids = set(), {}, set(), {}  # by host
        self.owner, self.scheduling, self.refuse, self.requests, self.events = None, "", {}, [], []
        self.missing, self.peers, self.thread, self.clock, self.usage = set(), [], None, 1000.0, None
        self.sees_users, self.marks, self.question = True, {}, 0
        self.properties, self.live = {}, False  # name -> hosts; whether [flux] properties is "live"

    # ---- running
    def start(self):
        self.reactor, self.running = reactor.Reactor(), True
        self.listener = socket.socket(socket.AF_UNIX)
        if os.path.exists(self.path):
            os.unlink(self.path)
        self.listener.bind(self.path)
        self.listener.listen()
        self.reactor.fd_watcher_create(self.listener.fileno(), self.accept, 1).start()
        self.thread = threading.Thread(target=self.loop, daemon=True)
        self.thread.start()
        return self

    def loop(self):
        while self.running:
            with self.lock:
                self.reactor.turn(0.002)

    def stop(self):
        """Ends at once, as with kill -9."""
        self.running = False
        self.thread.join()
        self.listener.close()
        for peer in list(self.peers):
            peer.close()

    def accept(self, *_):
        connection, _ = self.listener.accept()
        try:
            connection.send(b"\0")
        except OSError:  # the bridge has ended meanwhile
            return connection.close()
        self.peers.append(Peer(self, connection))

    def left(self, peer):
        if peer in self.peers:
            self.peers.remove(peer)

    # ---- the inventory
    def R(self):
        n = len(self.hosts)
        R = f'{{"version":1,"execution":{{"R_lite":[{{"rank":"0-{n - 1}","children":{{"core":"0-1"}}}}],"nodelist":'
        tags = {name: self.ranks(hosts) for name, hosts in self.properties.items() if hosts}
        tags = ',"properties":' + json.dumps(tags) if tags else ""
        return R + json.dumps([",".join(self.hosts)]) + tags + "}" + (',"scheduling":' + self.scheduling if self.scheduling else "") + "}"

    def ranks(self, hosts):
        return bridge.encode(i for i, h in enumerate(self.hosts) if h in hosts)

    def up(self):
        return [h for h in self.hosts if h in self.online and h not in self.excluded and h not in self.drained]

    def targets(self, text):
        if text[:1].isdigit():
            hosts = {self.hosts[r] for r in bridge.decode(text) if r < len(self.hosts)}
        else:
            hosts = set(text.split(","))
        if not hosts <= set(self.hosts):
            raise OSError(errno.EINVAL, f"{text} is not in the resource set")
        return hosts

    def change(self, name, hosts, **context):
        """Makes a change and sends it on all streams."""
        with self.lock:
            before = set(self.up())
            if name == "drain":
                self.drained.update({h: context.get("reason", "") for h in hosts})
            elif name == "undrain":
                for h in hosts:
                    self.drained.pop(h, None)
            elif name in ("exclude", "include"):
                self.excluded = self.excluded | hosts if name == "exclude" else self.excluded - hosts
            elif name in ("online", "offline"):
                self.online = self.online | hosts if name == "online" else self.online - hosts
            update, tags = {}, context.get("properties", {})
            for tag in tags:
                had = self.properties.get(tag, set())
                self.properties[tag] = had | hosts if name == "property-add" else had - hosts
                update[name] = {tag: self.ranks(hosts)}
            after, self.clock = set(self.up()), self.clock + 1
            where = {} if tags else {"idset": self.ranks(hosts)}
            event = {"timestamp": self.clock, "name": name, "context": {**where, **context}}
            self.events.append(event)
            update.update({"up": self.ranks(after - before), "down": self.ranks(before - after)})
            update = {k: v for k, v in update.items() if v}
            for peer in list(self.peers):
                for tag, topic in list(peer.streams.items()):
                    if topic == "resource.acquire" and update:
                        peer.send(response(topic, tag, json.dumps(update), 0, True))
                    elif topic == "resource.journal":
                        peer.send(response(topic, tag, json.dumps({"events": [event]}), 0, True))

    def serve(self, peer, topic, o, userid, tag):
        """Returns the answer as text, "" for one without payload, or None for no answer."""
        name = topic.split(".")[1]
        if name in self.missing:
            raise OSError(errno.ENOSYS, f"Unknown service method '{topic}'")
        if name in self.refuse:
            raise OSError(*self.refuse[name])
        if name in ("acquire", "journal", "report"):
            peer.streams[tag] = topic
        return getattr(self, "serve_" + name.replace("-", "_"))(peer, o, userid)

    def serve_ping(self, peer, o, userid):
        return json.dumps({"userid": userid if self.sees_users else 1})

    def serve_status(self, peer, o, userid):
        R = json.loads(self.R())
        R.pop("scheduling", None)
        drain = {}
        for h, reason in self.drained.items():
            if h in self.hosts and h not in self.excluded:
                drain[self.ranks({h})] = {"timestamp": 7.0, "reason": reason}
        return json.dumps({"R": R, "drain": drain, "exclude": self.ranks(self.excluded), "offline": "", "torpid": ""})

    def serve_get(self, peer, o, userid):
        return f'{{"R":{self.R()},"method":"configuration"}}'

    def mark(self, host, part, state="down"):
        """Marks a part of a host, or removes its mark, and sends the event."""
        with self.lock:
            place = f"{host}/{part}"
            self.marks.pop(place, None) if state is None else self.marks.update({place: f"/cluster0/{place}"})
            self.change("annotate", {host}, mark={"state": state})

    def serve_marks(self, peer, o, userid):
        return json.dumps({"time": self.clock, "down": self.marks})

    def serve_acquire(self, peer, o, userid):
        if self.owner not in (None, o["owner"]):
            raise OSError(errno.EBUSY, f"the resources are held for {self.owner}")
        self.owner = o["owner"]
        offered = [h for h in self.hosts if h not in self.excluded]
        R, place = json.loads(self.R()), {h: i for i, h in enumerate(self.hosts)}
        R["execution"]["R_lite"][0]["rank"] = bridge.encode(place[h] for h in offered)
        R["execution"]["nodelist"] = [",".join(offered)]
        R.pop("scheduling", None)
        text = json.dumps(R)[:-1] + (',"scheduling":' + self.scheduling if self.scheduling else "") + "}"
        return f'{{"resources":{text},"up":"{self.ranks(self.up())}"}}'

    def serve_acquire_cancel(self, peer, o, userid):
        peer.streams.pop(o["matchtag"])
        self.owner = None

    def serve_journal(self, peer, o, userid):
        tag = max(peer.streams)
        peer.send(response("resource.journal", tag, json.dumps({"events": self.events}), 0, True))
        return '{"events":[]}'

    def serve_report(self, peer, o, userid):
        online = {self.hosts[r] for r in bridge.decode(o["online"])}
        self.change("online", online)
        self.change("offline", set(self.hosts) - online)
        return json.dumps({"ranks": o["ranks"], **({"properties": "live"} if self.live else {})})

    def tell(self, message):
        """Sends a message to each reporter."""
        with self.lock:
            for peer in self.peers:
                for tag in [tag for tag, topic in peer.streams.items() if topic == "resource.report"]:
                    peer.send(response("resource.report", tag, json.dumps(message), 0, True))

    def ask_belief(self):
        """Sends a question of an audit to each reporter."""
        self.question += 1
        self.tell({"audit": self.question})

    def tag(self, name, *hosts, add=True):
        """Gives hosts a property, or takes it from them."""
        self.change("property-add" if add else "property-remove", set(hosts), properties={name: self.ranks(set(hosts))})

    def serve_audit_answer(self, peer, o, userid):
        return ""

    def serve_usage(self, peer, o, userid):
        self.usage = o["allocated"]
        return ""

    def serve_drain(self, peer, o, userid):
        if o["id"] in self.ids:
            return ""
        hosts = self.targets(o["targets"])
        if not o.get("mode") and hosts & set(self.drained):
            raise OSError(errno.EEXIST, f"{','.join(sorted(hosts))} already drained")
        self.ids[o["id"]] = o
        self.change("drain", hosts, reason=o.get("reason") or "", id=o["id"])
        return ""

    def serve_undrain(self, peer, o, userid):
        hosts = self.targets(o["targets"])
        if not hosts <= set(self.drained) and not o.get("mode"):
            raise OSError(errno.EEXIST, f"{o['targets']} not drained")
        if hosts & set(self.drained):
            more = {"reason": o["reason"]} if o.get("reason") else {}
            level = {"overwrite": 1, "force-overwrite": 2}.get(o.get("mode"), 0)
            self.change("undrain", hosts & set(self.drained), overwrite=level, **more)
        return ""

    def serve_online(self, peer, o, userid):
        self.change("online", self.targets(o["targets"]))
        return ""

    def serve_offline(self, peer, o, userid):
        self.change("offline", self.targets(o["targets"]))
        return ""

    def serve_torpid(self, peer, o, userid):
        return ""

    serve_lively = serve_torpid
