package io.muster.protocol.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Credentials;
import io.muster.protocol.wire.Header;
import io.muster.protocol.wire.ProtocolException;
import io.muster.protocol.wire.Request;
import io.muster.protocol.wire.Response;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of RFC 6. */
class RpcTest {
    private static final Credentials SERVER = new Credentials(0, 5);
    private static final Request STREAMING = Request.of("resource.acquire", null, Header.STREAMING, 9);

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1|EPERM|Operation not permitted",
                "11|EAGAIN|Resource temporarily unavailable",
                "16|EBUSY|Device or resource busy",
                "35|EDEADLK|Resource deadlock avoided",
                "38|ENOSYS|Function not implemented",
                "61|ENODATA|No data available",
                "71|EPROTO|Protocol error",
                "95|EOPNOTSUPP|Operation not supported",
                "125|ECANCELED|Operation canceled",
                "133|EHWPOISON|Memory page has hardware error",
                "0|errno 0|Unknown error 0",
                "41|errno 41|Unknown error 41",
                "134|errno 134|Unknown error 134",
                "4242|errno 4242|Unknown error 4242",
                "-5|errno -5|Unknown error -5",
            })
    void knownErrorNumbersHaveNamesAndUnknownOnesAreKept(int value, String name, String text) {
        assertThat(new Errno(value).name()).isEqualTo(name);
        assertThat(new Errno(value).text()).isEqualTo(text);
        assertThat(new Errno(value)).hasToString(name);
    }

    @Test
    void everyLinuxNumberHasAName() {
        for (int value = 1; value <= 133; value++) {
            if (value != 41 && value != 58) {
                assertThat(new Errno(value).name()).matches("E[A-Z0-9]+");
                assertThat(new Errno(value).text()).matches("[A-Z.].{5,}");
            }
        }
    }

    @Test
    void anErrorKeepsItsNumberAndSentenceInAResponse() {
        RpcException error = new RpcException(Errno.EEXIST, "rank 1 already drained");
        RpcException arrived = RpcException.of(error.toResponse(Request.of("a.b", null, 0, 1), SERVER));
        assertThat(arrived.errno()).isEqualTo(Errno.EEXIST);
        assertThat(arrived).hasMessage("rank 1 already drained");
        assertThat(arrived.sentence()).isEqualTo("rank 1 already drained");
    }

    @Test
    void anErrorWithoutASentenceHasTheMeaningOfItsNumber() {
        Request request = Request.of("a.b", null, 0, 1);
        assertThat(RpcException.of(Response.error(request, SERVER, 16, null))).hasMessage("Device or resource busy");
        assertThat(RpcException.of(Response.error(request, SERVER, 16, ""))).hasMessage("Device or resource busy");
        assertThat(RpcException.of(Response.error(request, SERVER, 9999, null)).errno())
                .isEqualTo(new Errno(9999));
    }

    @ParameterizedTest
    @CsvSource({"resource.drain,resource,drain", "a.b.c,a,b.c", "resource,resource,''", "'','',''"})
    void theServiceIsThePartOfTheTopicBeforeTheFirstPeriod(String topic, String service, String method) {
        assertThat(Topic.parse(topic)).isEqualTo(new Topic(service, method)).hasToString(topic);
    }

    @Test
    void cancelIsAMethodOfTheSameService() {
        Topic topic = Topic.parse("resource.acquire");
        assertThat(topic.cancel()).hasToString("resource.acquire-cancel");
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2147483647, 2147483647", "4294967295, -1", "-1, -1", "2147483648, -2147483648"})
    void aCancellationAcceptsSignedAndUnsignedMatchtagsOf32Bits(String written, int matchtag) throws Exception {
        Cancellation cancellation = Cancellation.parse(Bytes.text("{\"matchtag\":" + written + "}"));
        assertThat(cancellation.matchtag()).isEqualTo(matchtag);
        assertThat(Cancellation.parse(cancellation.encode())).isEqualTo(cancellation);
    }

    @Test
    void theMatchtagOfACancellationIsWrittenUnsigned() {
        assertThat(new Cancellation(-1).encode().text()).isEqualTo("{\"matchtag\":4294967295}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"matchtag\":null}",
                "{\"matchtag\":\"1\"}",
                "{\"matchtag\":1.0}",
                "{\"matchtag\":4294967296}",
                "{\"matchtag\":-2147483649}",
                "{\"matchtag\":99999999999999999999}",
                "[]"
            })
    void aCancellationWithoutAValidMatchtagIsRefused(String text) {
        assertThatThrownBy(() -> Cancellation.parse(Bytes.text(text))).isInstanceOf(ProtocolException.class);
    }

    @Test
    void aCancellationWithoutAPayloadIsRefused() {
        assertThatThrownBy(() -> Cancellation.parse(null)).hasMessage("cancellation without a payload");
    }

    @Test
    void aStreamHasAnyNumberOfResponsesAndThenOneError() {
        ReplyStream stream = new ReplyStream(STREAMING, SERVER);
        assertThat(stream.next(Bytes.text("{}"))).isEqualTo(Response.streamed(STREAMING, SERVER, Bytes.text("{}")));
        Response end = stream.cancel();
        assertThat(end.errnum()).isEqualTo(125);
        assertThat(end.matchtag()).isEqualTo(9);
        assertThatThrownBy(() -> stream.next(Bytes.EMPTY))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("resource.acquire: the stream has ended");
        assertThatThrownBy(stream::cancel).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aCancelledStreamEndsWithEcanceledAndAFailedStreamWithItsError() {
        assertThat(new ReplyStream(STREAMING, SERVER).cancel().errnum()).isEqualTo(125);
        ReplyStream failed = new ReplyStream(STREAMING, SERVER);
        Response error = failed.fail(new RpcException(Errno.EIO, "disk"));
        assertThat(RpcException.of(error)).hasMessage("disk");
        assertThatThrownBy(() -> failed.next(Bytes.EMPTY)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aRequestWithoutTheStreamingFlagIsRefusedWithEproto() {
        for (int flags : new int[] {0, Header.STREAMING | Header.NORESPONSE}) {
            Request request = Request.of("resource.acquire", null, flags, 1);
            assertThatThrownBy(() -> new ReplyStream(request, SERVER))
                    .isInstanceOfSatisfying(
                            RpcException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EPROTO))
                    .hasMessage("resource.acquire requires streaming RPC flag");
        }
    }
}
