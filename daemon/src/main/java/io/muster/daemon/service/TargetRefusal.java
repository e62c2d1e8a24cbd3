package io.muster.daemon.service;

import io.muster.daemon.config.Key;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.rset.TargetException;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import java.util.Collection;

/** The refusal of targets that do not exist, or that mix ranks and hosts. */
final class TargetRefusal {
    private TargetRefusal() {}

    /** Returns the refusal; that of a property names those that hosts have. */
    static RpcException of(TargetException fault, ResourceSet resources) {
        String sentence = String.valueOf(fault.getMessage());
        String missing = fault.missingProperty();
        return missing == null
                ? new RpcException(fault.isMixed() ? Errno.EINVAL : Errno.ENOENT, sentence)
                : absent(sentence, missing, resources.properties().keySet());
    }

    /** Returns the refusal of a name that does not exist, with the names that do, or some of them. */
    static RpcException absent(String sentence, String missing, Collection<String> names) {
        return new RpcException(Errno.ENOENT, names.isEmpty() ? sentence : sentence + "; " + Key.known(missing, names));
    }
}
