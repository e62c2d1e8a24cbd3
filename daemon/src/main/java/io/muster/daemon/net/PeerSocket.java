package io.muster.daemon.net;

import io.muster.daemon.config.Config;
import io.muster.daemon.config.SourceFile;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A UNIX socket on which the daemon accepts connections from peers. The kernel identifies the user of each peer. */
public final class PeerSocket extends Listener {
    private static final Logger log = LoggerFactory.getLogger("muster");

    private final Place place;
    private final SocketFile file;
    private final Channel server;

    private PeerSocket(Place place, SocketFile file, Terms terms, EventLoopGroup loop) throws IOException {
        super(place.name, place.changes, terms);
        this.place = place;
        this.file = file;
        this.server = bind(loop);
    }

    /**
     * The name and path of a socket.
     *
     * @param name name for people and metrics: main or admin
     * @param changes whether requests that change the inventory are accepted on this socket
     */
    public record Place(String name, Path path, boolean changes) {}

    /**
     * Opens the socket and begins to accept connections.
     *
     * @param loop the event loop of the core thread, and no other
     * @throws IOException if the socket cannot be opened; the message says why
     */
    public static PeerSocket bind(Place place, Terms terms, EventLoopGroup loop) throws IOException {
        Path directory = place.path.getParent();
        if (directory != null) {
            terms.gate().makeDirectory(directory);
        }
        SocketFile file = SocketFile.claim(place.path, InstantSource.system().instant());
        boolean bound = false;
        try {
            PeerSocket socket = new PeerSocket(place, file, terms, loop);
            bound = true;
            return socket;
        } finally {
            if (!bound) {
                file.close();
            }
        }
    }

    private Channel bind(EventLoopGroup loop) throws IOException {
        ChannelHandler onAccept = new ChannelInitializer<EpollDomainSocketChannel>() {
            @Override
            protected void initChannel(EpollDomainSocketChannel channel) {
                channel.pipeline().addLast(new Doorstep(PeerSocket.this));
            }
        };
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(loop)
                .handler(new Acceptor(place.name))
                .childOption(
                        ChannelOption.RECVBUF_ALLOCATOR,
                        new AdaptiveRecvByteBufAllocator(64, 2048, MOST_READ).maxMessagesPerRead(1))
                .childHandler(onAccept);
        return file.serve(bootstrap, BACKLOG, gate()::mode);
    }

    @Override
    public String fault() {
        return file.fault();
    }

    /** Sets the mode of the socket's file by the admission in force. Must not be called on the core thread. */
    @Override
    public void configure(Config next) throws IOException {
        file.set(gate()::mode);
    }

    @Override
    Channel server() {
        return server;
    }

    @Override
    public void close() {
        super.close();
        try {
            file.close();
        } catch (IOException e) { // the next start removes the file
            log.warn("the socket file could not be removed: {}", SourceFile.sentence(e));
        }
    }
}
