package io.muster.protocol.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.protocol.admin.WebRequest;
import java.util.List;
import org.junit.jupiter.api.Test;

class WireTraceTest {
    @Test
    void theLineOfARequestHasAllItsFields() {
        Request request = new Request(
                new Header(Header.STREAMING | Header.UPSTREAM, new Credentials(1000, 6)),
                List.of("ff50", "41f5"),
                "resource.drain",
                Bytes.text("{\"targets\":\"3\"}"),
                2,
                -1);
        assertThat(WireTrace.received("4211", request))
                .isEqualTo("< 4211 request resource.drain tag=4294967295 node=2 from=1000(user,local)"
                        + " upstream streaming via=ff50!41f5 {\"targets\":\"3\"}");
    }

    @Test
    void theLinesOfResponsesEventsAndControlMessagesHaveAllTheirFields() {
        Request request = Request.of("a.b", null, Header.NORESPONSE, 0);
        assertThat(WireTrace.sent("p", request)).isEqualTo("> p request a.b tag=0 node=any from=unset noresponse");
        assertThat(WireTrace.sent("p", Response.error(Request.of("a.b", null, 0, 7), new Credentials(0, 5), 17, "no")))
                .isEqualTo("> p response a.b tag=7 errnum=17 from=0(owner,local) no");
        assertThat(WireTrace.sent(
                        "p",
                        new EventMessage(new Header(Header.PRIVATE | Header.USER1, Credentials.UNSET), "e", null, -1)))
                .isEqualTo("> p event e seq=4294967295 from=unset private user1");
        assertThat(WireTrace.sent("p", new Control(Header.UNSET, 1, -2))).isEqualTo("> p control 1 -2 from=unset");
    }

    @Test
    void aLongPayloadIsTruncatedAndItsLengthShown() {
        String line = WireTrace.received("p", Request.of("a", Bytes.text("x".repeat(1000)), 0, 1));
        assertThat(line).endsWith(" " + "x".repeat(400) + "... (1001 bytes)");
    }

    @Test
    void theTokenInTheResponseToWebIsNotShown() {
        Request request = Request.of(WebRequest.TOPIC, Bytes.text("{}"), 0, 1);
        assertThat(WireTrace.sent(
                        "p", Response.success(request, new Credentials(0, 5), Bytes.text("{\"token\":\"muster_x\"}"))))
                .isEqualTo("> p response resource.web tag=1 from=0(owner,local) (not shown: a token)");
        assertThat(WireTrace.sent("p", Response.error(request, new Credentials(0, 5), 1, "no")))
                .endsWith(" errnum=1 from=0(owner,local) no");
        assertThat(WireTrace.received("p", request)).endsWith(" {}");
    }

    @Test
    void controlCharactersFromAPeerAreEscaped() {
        String line = WireTrace.received("p", Request.of("a\nb", Bytes.text("\u001b[31m\r\u0085\u202e\u200b"), 0, 1));
        assertThat(line).contains("a\\u000ab ").endsWith(" \\u001b[31m\\u000d\\u0085\\u202e\\u200b");
    }
}
