package io.muster.daemon.relay;

import io.muster.daemon.account.Account;
import io.muster.daemon.account.Excess;
import io.muster.daemon.account.Holding;
import io.muster.daemon.relay.OpenRequests.Open;
import io.muster.protocol.rpc.Cancellation;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Credentials;
import io.muster.protocol.wire.FrameDecoder;
import io.muster.protocol.wire.Header;
import io.muster.protocol.wire.Message;
import io.muster.protocol.wire.ProtocolException;
import io.muster.protocol.wire.Request;
import io.muster.protocol.wire.Response;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection of a user of this host. Its requests get the user's credentials and a route that leads back here.
 */
final class Local extends ChannelInboundHandlerAdapter implements Holding.Holder {
    private static final Logger log = LoggerFactory.getLogger("relay");

    /**
     * Less than the daemon accepts from any peer, because a frame that is too long ends the connection of the whole relay.
     */
    private static final int MOST_FRAME = (1 << 20) - 4096;

    /** The routes of a request, to which the relay adds one: far fewer than a message may have. */
    private static final int MOST_ROUTES = 64;

    private static final Credentials SENDER = new Credentials(Credentials.USERID_UNKNOWN, Credentials.OWNER);

    private final RelayLoop relay;
    private final Channel channel;
    private final Peer peer;
    private final String route;
    private final FrameDecoder decoder = new FrameDecoder(MOST_FRAME);
    private final OpenRequests open = new OpenRequests();
    private @Nullable Account account;
    private @Nullable Holding memory;
    /** The length of the longest unread answer, which may be longer than the memory of the user. */
    private int longest;

    private Credentials user = Credentials.UNSET;
    private boolean welcomed;
    private boolean gone;

    /** Says which user has connected. */
    interface Peer {
        int uid() throws IOException;
    }

    Local(RelayLoop relay, Channel channel, Peer peer, String route) {
        this.relay = relay;
        this.channel = channel;
        this.peer = peer;
        this.route = route;
    }

    String route() {
        return route;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        channel.config().setAutoRead(false);
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) throws IOException {
        int uid = peer.uid();
        account = relay.enter(this, uid);
        if (account == null) {
            channel.writeAndFlush(oneByte(Errno.EAGAIN.value())).addListener(ChannelFutureListener.CLOSE);
            return;
        }
        memory = account.open(this);
        user = new Credentials(uid, Credentials.USER);
        relay.upstream().introduce(uid, () -> {
            if (channel.isActive()) {
                channel.writeAndFlush(oneByte(0), channel.voidPromise());
                welcomed = true;
                read();
            }
        });
    }

    private static ByteBuf oneByte(int value) {
        return Unpooled.wrappedBuffer(new byte[] {(byte) value});
    }

    // ---- what the user sends

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        try {
            for (ByteBuffer piece : bytes.nioBuffers()) {
                for (Message next = decoder.feed(piece); next != null && !gone; next = decoder.feed(piece)) {
                    if (next instanceof Request request) {
                        take(request);
                    }
                }
            }
        } catch (ProtocolException e) {
            closeNow(String.valueOf(e.getMessage()));
        } finally {
            bytes.release();
        }
        update();
    }

    private void update() {
        if (memory != null) {
            memory.update();
        }
    }

    private Account account() {
        return Objects.requireNonNull(account);
    }

    private void take(Request request) {
        Request stamped = request.with(user);
        if (request.routes().size() > MOST_ROUTES) {
            refuse(stamped, Errno.EPROTO, "the request has more than " + MOST_ROUTES + " routes");
            return;
        }
        if (request.isNoresponse()) {
            cancel(request);
            relay.upstream().send(onward(stamped));
            return;
        }
        if (open.find(request.routes(), request.matchtag()) != null) {
            refuse(stamped, Errno.EPROTO, "matchtag " + request.matchtag() + " names an open request already");
            return;
        }
        try {
            open.checkRoom(stamped, account());
        } catch (Excess e) {
            refuse(stamped, e.errno(), e.sentence());
            return;
        }
        send(open.add(
                stamped, Held.of(stamped, relay.upstream(), this), relay.host().nanos(), account()));
        read();
    }

    private void refuse(Request request, Errno errno, String sentence) {
        if (!request.isNoresponse()) {
            answer(Response.error(request, SENDER, errno.value(), sentence));
        }
    }

    private void ended(Open request) {
        if (open.end(request, account())) {
            relay.resume(account());
        }
    }

    /** Ends an acquisition that the user has cancelled, because no daemon has it. Returns whether the user has. */
    private boolean endIfCancelled(Open each) {
        boolean isCancelled = each.held != null && each.held.isCancelled();
        if (isCancelled) {
            fail(each.request, Errno.ECANCELED, Errno.ECANCELED.text());
        }
        return isCancelled;
    }

    private void send(Open each) {
        if (endIfCancelled(each)) {
            return;
        }
        each.sent = relay.upstream().send(each.held == null ? onward(each.request) : each.held.request()) || each.sent;
    }

    /** Notes that the user cancels an acquisition. */
    private void cancel(Request request) {
        Bytes payload = request.payload();
        if (!request.topic().equals("resource.acquire-cancel") || payload == null) {
            return;
        }
        try {
            int matchtag = Cancellation.parse(payload).matchtag();
            Open acquired = open.find(request.routes(), matchtag);
            if (acquired != null && acquired.held != null) {
                acquired.held.cancel();
            }
        } catch (ProtocolException e) {
            log.debug("uid={} {}", Integer.toUnsignedString(user.userid()), e.getMessage());
        }
    }

    /** Returns a request with the route that leads back to this connection. */
    Request onward(Request request) {
        List<String> routes = new ArrayList<>(request.routes());
        routes.add(route);
        return new Request(
                request.header(), routes, request.topic(), request.payload(), request.nodeid(), request.matchtag());
    }

    private void read() {
        if (!welcomed) {
            return;
        }
        channel.config()
                .setAutoRead(!gone
                        && channel.isWritable()
                        && open.mayHaveMore(account())
                        && relay.upstream().takesMore());
    }

    /** Continues to read if the daemon accepts requests again. */
    void resume() {
        read();
    }

    boolean isOf(Account user) {
        return account == user;
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        read();
    }

    // ---- what the user is sent

    void receive(Response response) {
        List<String> routes = response.routes();
        Response back = new Response(
                response.header(),
                routes.subList(0, routes.size() - 1),
                response.topic(),
                response.payload(),
                response.errnum(),
                response.matchtag());
        Open request = open.find(back.routes(), back.matchtag());
        if (request == null) {
            return;
        }
        if (back.errnum() == Errno.EREMOTE.value()) {
            // The daemon has not carried out the request, so the leader is sent it.
            request.sent = false;
            if (request.held != null) {
                request.held.refusedByStandby();
                endIfCancelled(request);
            }
            relay.upstream().elsewhere();
        } else if (request.held != null) {
            request.held.receive(back);
        } else {
            pass(back);
        }
    }

    /** Sends a response to the user. The last one ends the request. */
    void pass(Response response) {
        if (response.isLast()) {
            Open ended = open.find(response.routes(), response.matchtag());
            if (ended != null) {
                ended(ended);
            }
            if (ended != null && ended.held != null) {
                ended.held.close();
            }
            read();
        }
        answer(response);
    }

    private void answer(Response response) {
        if (gone) {
            return;
        }
        ByteBuffer frame = decoder.encoder().encode(response);
        if (channel.isWritable()) {
            longest = 0;
        } else if (holds() - longest > account().most()) {
            closeNow("the user does not read the answers, which take " + (holds() >> 20) + " MiB");
            return;
        }
        longest = Math.max(longest, frame.remaining());
        channel.writeAndFlush(Unpooled.wrappedBuffer(frame), channel.voidPromise());
        update();
    }

    /** Sends an error from the relay itself, which ends a request. */
    void fail(Request request, Errno errno, String sentence) {
        pass(Response.error(request, SENDER, errno.value(), sentence));
    }

    /** Sends a further response of a stream, from the relay itself. */
    void update(Request request, Bytes payload) {
        answer(Response.streamed(request, SENDER, payload));
    }

    // ---- the connection to the daemon

    /**
     * Handles requests whose answers are lost. Requests that may be repeated are sent again, and acquisitions continue. All
     * other requests fail.
     *
     * @param sentence why
     */
    void lost(String sentence) {
        for (Open each : open.all()) {
            if (each.held == null && each.sent && !Upstream.mayBeRepeated(each.request)) {
                fail(each.request, Errno.ECONNRESET, sentence);
            }
            each.sent = false;
            endIfCancelled(each);
        }
    }

    /** Fails requests that have waited for the leader for too long. Acquisitions wait without a limit. */
    void expire(long nanos, String sentence) {
        for (Open each : open.all()) {
            if (each.held == null && !each.sent && relay.host().nanos() - each.since >= nanos) {
                fail(each.request, Errno.EHOSTUNREACH, sentence);
            }
        }
    }

    /**
     * Sends the requests that {@link #lost} has kept, those that a standby has refused, and those that have arrived since.
     */
    void again() {
        relay.upstream()
                .introduce(
                        user.userid(),
                        () -> open.all().stream().filter(each -> !each.sent).forEach(this::send));
    }

    // ---- the end

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        release();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (cause instanceof IOException) {
            release();
            ctx.close();
        } else {
            broken(cause);
        }
    }

    /** Closes the connection because of a bug. */
    void broken(Throwable bug) {
        log.error("a bug closed the connection of uid {}", Integer.toUnsignedString(user.userid()), bug);
        release();
        channel.close();
    }

    /** Gives back everything that the connection has, then tells the daemon. */
    private void release() {
        if (gone || account == null) {
            gone = true;
            return;
        }
        gone = true;
        List<Open> ending = open.all();
        ending.forEach(this::ended);
        if (memory != null) {
            memory.close();
        }
        relay.leave(this, account);
        try {
            abandon(ending);
        } catch (RuntimeException bug) { // the daemon ends the streams when the relay disconnects
            log.error("a bug kept the daemon from being told the end of a connection", bug);
        }
    }

    private void abandon(List<Open> ending) {
        Set<List<String>> senders = new LinkedHashSet<>();
        ending.forEach(each -> {
            senders.add(each.request.routes());
            if (each.held != null) {
                each.held.abandon();
            }
        });
        for (List<String> sender : senders) {
            Request end = new Request(
                    Header.flags(Header.NORESPONSE).with(user),
                    sender,
                    "resource.disconnect",
                    null,
                    Request.NODEID_ANY,
                    Request.MATCHTAG_NONE);
            relay.upstream().send(onward(end));
        }
    }

    /** Closes the connection because the relay ends. */
    void end() {
        channel.close();
    }

    @Override
    public long holds() {
        return decoder.held() + answers();
    }

    @Override
    public long answers() {
        ChannelOutboundBuffer out = channel.unsafe().outboundBuffer();
        return out == null ? 0 : out.totalPendingWriteBytes();
    }

    @Override
    public long taken() {
        return open.taken();
    }

    @Override
    public void closeNow(String why) {
        if (account().mayLog()) {
            log.warn("uid={} closed: {}", Integer.toUnsignedString(user.userid()), why);
        }
        release();
        channel.close();
    }
}
