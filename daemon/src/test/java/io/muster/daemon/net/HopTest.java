package io.muster.daemon.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.daemon.account.Account;
import io.muster.daemon.service.Caller;
import io.muster.daemon.service.Session;
import io.muster.daemon.service.Stage;
import io.muster.daemon.service.Tracer;
import io.muster.daemon.tls.Handshakes;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;

final class HopTest extends LinkFixture {
    HopTest() {
        super(ROOM);
    }

    private Link link(EmbeddedChannel to) {
        return new Link(
                to,
                "cert:ops:127.0.0.1",
                new Link.Terms(ROOM, memory, () -> false, to.eventLoop()),
                Tracer.OFF,
                outbox -> new Session(
                        stage.backend, stage.gate.admissions(), new Caller(Stage.owner(), true, memory), outbox));
    }

    @Test
    void aChannelThatClosesBeforeItsHandlerIsAddedEndsTheConnection() {
        EmbeddedChannel gone = new EmbeddedChannel();
        Link link = link(gone);
        gone.close();
        gone.runPendingTasks();
        gone.pipeline().addLast(new Hop(link, gone.eventLoop()));
        Handshakes.handOver(gone);
        gone.runPendingTasks();
        link.closeNow("a connection that is closed is not closed again");
        int lines = 0;
        while (memory.mayLog()) {
            lines++;
        }
        assertThat(lines).as("the log has none").isEqualTo(Account.A_MINUTE);
    }
}
