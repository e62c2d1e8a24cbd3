package io.muster.protocol.admin;

import io.muster.inventory.json.Fields;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import java.util.regex.Pattern;

/**
 * The payload of {@code resource.introduce}: {@code {userid, name}}. A relay tells the daemon the name of a user of its host.
 *
 * @param userid an unsigned number
 */
public record Introduction(int userid, String name) {
    public static final String TOPIC = "resource.introduce";

    private static final long LAST_USERID = (1L << 32) - 2;
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.@+$-]{1,64}");

    /** @throws RpcException EPROTO if a key has the wrong type, EINVAL if the name is refused */
    public static Introduction parse(Fields in) {
        Introduction user = new Introduction((int) in.integer("userid", 0, LAST_USERID), in.text("name"));
        if (!NAME.matcher(user.name).matches()) {
            throw new RpcException(Errno.EINVAL, "the name of a user has 1 to 64 letters, digits and _.@+$-");
        }
        return user;
    }
}
