package io.muster.daemon.api;

import io.muster.daemon.account.Excess;
import io.muster.daemon.http.Refusal;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import java.util.Map;

/** The statuses of HTTP for the error numbers of the wire protocol. */
final class HttpStatuses {
    private static final int OTHER = 500;
    private static final Map<Errno, Integer> STATUS = Map.ofEntries(
            Map.entry(Errno.EPERM, 403),
            Map.entry(Errno.ENOENT, 404),
            Map.entry(Errno.EAGAIN, 503),
            Map.entry(Errno.EBUSY, 409),
            Map.entry(Errno.EEXIST, 409),
            Map.entry(Errno.EINVAL, 422),
            Map.entry(Errno.EREMOTE, 503),
            Map.entry(Errno.ESTALE, 412),
            Map.entry(Errno.EROFS, 503),
            Map.entry(Errno.EPROTO, 400),
            Map.entry(Errno.EOVERFLOW, 422),
            Map.entry(Errno.EDQUOT, 422),
            Map.entry(Errno.ETIMEDOUT, 503),
            Map.entry(Errno.ECANCELED, 503));

    private HttpStatuses() {}

    static Refusal of(RpcException error) {
        if (error instanceof Excess excess) {
            return Refusal.of(excess);
        }
        int status = STATUS.getOrDefault(error.errno(), OTHER);
        return new Refusal(status, error.sentence(), error.errno().name());
    }
}
