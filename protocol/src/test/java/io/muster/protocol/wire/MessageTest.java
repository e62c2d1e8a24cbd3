package io.muster.protocol.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MessageTest {
    private static final Credentials SERVER = new Credentials(0, 5);
    private static final Request REQUEST =
            new Request(new Header(Header.USER1, Credentials.UNSET), List.of("r1"), "a.b", null, 3, 77);

    @Test
    void aResponseHasTheRequestsRoutesTopicMatchtagAndFlags() {
        Response response = Response.success(REQUEST, SERVER, Bytes.text("{}"));
        assertThat(response)
                .isEqualTo(
                        new Response(new Header(Header.USER1, SERVER), List.of("r1"), "a.b", Bytes.text("{}"), 0, 77));
        assertThat(response.isLast()).isTrue();
    }

    @Test
    void anErrorOrAResponseWithoutTheStreamingFlagIsTheLastOfAStream() {
        Request streaming = Request.of("a.b", null, Header.STREAMING, 1);
        assertThat(Response.streamed(streaming, SERVER, null).isLast()).isFalse();
        assertThat(Response.success(streaming, SERVER, null).isLast()).isTrue();
        Response error = Response.error(streaming, SERVER, 61, null);
        assertThat(error.isLast()).isTrue();
        assertThat(error.header().flags()).isEqualTo(Header.STREAMING);
        assertThat(error.payload()).isNull();
    }

    @Test
    void aResponseNeedsASenderAndAnErrorResponseNeedsANumber() {
        assertThatThrownBy(() -> Response.success(REQUEST, Credentials.UNSET, null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a response from nobody");
        assertThatThrownBy(() -> Response.error(REQUEST, SERVER, 0, "x"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("an error response needs an error number");
    }

    @Test
    void theCredentialsOfARequestCanBeReplaced() {
        Request stamped = REQUEST.with(SERVER);
        assertThat(stamped.credentials()).isEqualTo(SERVER);
        assertThat(stamped.with(Credentials.UNSET)).isEqualTo(REQUEST);
        assertThat(stamped.with(SERVER)).isSameAs(stamped);
    }

    @Test
    void theConstructorCopiesTheRoutes() {
        List<String> routes = new ArrayList<>(List.of("a"));
        Request request = new Request(Header.UNSET, routes, "x", null, 0, 0);
        routes.add("b");
        assertThat(request.routes()).containsExactly("a");
    }
}
