"""The part of Flux's C bindings that the bridge uses, for a broker that is one Python process."""

import errno as _errno
import json
import struct


class _Ffi:
    NULL = None
    errno = 0

    @staticmethod
    def new(_):
        return [None]

    @staticmethod
    def buffer(data, size):
        return data[:size]

    @staticmethod
    def from_buffer(data):
        return data

    string = from_buffer


ffi = _Ffi()


class lib:
    @staticmethod
    def flux_respond(_h, msg, data):
        msg.responses.append((0, json.loads(data) if data and data[:1] == b"{" else data))
        return 0

    @staticmethod
    def flux_respond_error(_h, msg, errnum, data):
        msg.responses.append((errnum, data and data.decode()))
        return 0

    @staticmethod
    def flux_response_derive(msg, _errnum):
        header = struct.pack(">BBBBIIII", 0x8E, 1, 2, 1 | 8 | (0x40 if msg.streaming else 0), 0, 0, 0, msg.tag)
        return b"".join(bytes([len(part)]) + part for part in (msg.sender.encode(), b"", msg.topic.encode() + b"\0", header))

    flux_msg_encode_size = len

    @staticmethod
    def flux_msg_encode(message, buffer, size):
        buffer[:size] = message

    @staticmethod
    def flux_msg_destroy(_message):
        pass

    @staticmethod
    def flux_msg_is_noresponse(msg):
        return msg.noresponse

    @staticmethod
    def flux_msg_is_streaming(msg):
        return msg.streaming

    @staticmethod
    def flux_cancel_match(cancel, msg):
        return cancel.sender == msg.sender and cancel.payload["matchtag"] == msg.tag

    @staticmethod
    def flux_disconnect_match(disconnect, msg):
        return disconnect.sender == msg.sender

    @staticmethod
    def flux_kvs_lookup_get_raw(future, data, size):
        if future is None:
            ffi.errno = _errno.ENOENT
            return -1
        data[0], size[0] = future, len(future)
        return 0

    @staticmethod
    def flux_kvs_lookup_get_treeobj(future, value):
        value[0] = b"the place of " + future.payload
        return 0

    @staticmethod
    def flux_kvs_txn_put_treeobj(txn, _flags, key, value):
        txn.append((None, key.decode(), value[len(b"the place of ") :].decode()))

    @staticmethod
    def flux_kvs_txn_create():
        return []

    @staticmethod
    def flux_kvs_txn_put_raw(txn, flags, key, data, size):
        txn.append((flags, key.decode(), bytes(data[:size])))

    @staticmethod
    def flux_kvs_txn_destroy(txn):
        pass

    @staticmethod
    def flux_kvs_commit(h, _namespace, _flags, txn):
        return h.commit(txn)

    @staticmethod
    def flux_future_get(future, _):
        return future.result

    @staticmethod
    def flux_future_destroy(future):
        pass
