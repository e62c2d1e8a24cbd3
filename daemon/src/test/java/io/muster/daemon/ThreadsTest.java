package io.muster.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.epoll.EpollServerSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Timeout;

final class ThreadsTest {
    private static final int CONNECTIONS = 20;

    @RepeatedTest(20)
    @Timeout(60)
    void closeRemovesTheHandlersOfOpenConnections() throws Exception {
        Semaphore accepted = new Semaphore(0);
        AtomicInteger removed = new AtomicInteger();
        List<Socket> sockets = new ArrayList<>();
        Threads threads = new Threads();
        try {
            Channel server = new ServerBootstrap()
                    .group(threads.network())
                    .channel(EpollServerSocketChannel.class)
                    .childHandler(new ChannelInitializer<Channel>() {
                        @Override
                        protected void initChannel(Channel channel) {
                            channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
                                @Override
                                public void channelActive(ChannelHandlerContext ctx) {
                                    accepted.release();
                                }

                                @Override
                                public void handlerRemoved(ChannelHandlerContext ctx) {
                                    removed.incrementAndGet();
                                }
                            });
                        }
                    })
                    .bind(InetAddress.getLoopbackAddress(), 0)
                    .syncUninterruptibly()
                    .channel();
            InetSocketAddress address = (InetSocketAddress) server.localAddress();
            for (int i = 0; i < CONNECTIONS; i++) {
                sockets.add(new Socket(address.getAddress(), address.getPort()));
            }
            accepted.acquire(CONNECTIONS);
            server.close().syncUninterruptibly();
        } finally {
            threads.close();
            for (Socket socket : sockets) {
                socket.close();
            }
        }
        assertThat(removed).hasValue(CONNECTIONS);
    }
}
