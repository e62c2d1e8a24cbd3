package io.muster.protocol.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

class BytesTest {
    private static final byte[] ARRAY = {9, 1, 2, 3, 9};
    private static final Bytes SLICE = Bytes.wrap(ARRAY, 1, 3);

    @Test
    void slicesWithTheSameContentAreEqual() {
        Bytes copy = Bytes.copyOf(ByteBuffer.wrap(new byte[] {1, 2, 3}));
        assertThat(SLICE).isEqualTo(copy).hasSameHashCodeAs(copy);
        assertThat(SLICE).isNotEqualTo(Bytes.wrap(ARRAY, 0, 3)).isNotEqualTo(Bytes.wrap(ARRAY));
        assertThat(SLICE.hashCode()).isNotEqualTo(Bytes.wrap(ARRAY, 0, 3).hashCode());
    }

    @Test
    void everyAccessorReturnsTheContent() {
        byte[] content = {1, 2, 3};
        ByteBuffer buffer = ByteBuffer.allocate(3);
        SLICE.writeTo(buffer);
        assertThat(buffer.array()).isEqualTo(content);
        assertThat(SLICE.toByteArray()).isEqualTo(content);
        assertThat(SLICE.toByteBuffers()).containsExactly(ByteBuffer.wrap(content));
        assertThat(SLICE.toByteBuffers().get(0).isReadOnly()).isTrue();
        assertThat(SLICE.at(2)).isEqualTo((byte) 3);
        assertThat(SLICE).hasToString("3 bytes");
    }

    @Test
    void indexesOutsideOfTheContentAreRefused() {
        assertThatThrownBy(() -> SLICE.at(3)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> SLICE.at(-1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> Bytes.wrap(ARRAY, 3, 3)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> Bytes.wrap(ARRAY, -1, 3)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(SLICE.first(2)).isEqualTo(Bytes.wrap(new byte[] {1, 2}));
        assertThat(SLICE.first(99)).isEqualTo(SLICE);
    }

    @Test
    void joinedPiecesEqualOneArrayAndShareTheirArrays() {
        Bytes whole = Bytes.wrap(new byte[] {1, 2, 3, 4, 5, 0});
        Bytes joined = Bytes.join(SLICE, Bytes.EMPTY, Bytes.of(List.of(new byte[] {4, 5}, new byte[1])));
        assertThat(joined).isEqualTo(whole).hasSameHashCodeAs(whole).hasToString("6 bytes");
        assertThat(joined.toByteArray()).isEqualTo(whole.toByteArray());
        assertThat(joined.endsWithNul()).isTrue();
        assertThat(joined.text()).isEqualTo(whole.text());
        for (int i = 0; i < whole.length(); i++) {
            assertThat(joined.at(i)).isEqualTo(whole.at(i));
            assertThat(joined.first(i)).isEqualTo(whole.first(i)).isNotEqualTo(whole);
        }
        assertThat(joined.toByteBuffers())
                .containsExactly(
                        ByteBuffer.wrap(new byte[] {1, 2, 3}),
                        ByteBuffer.wrap(new byte[] {4, 5}),
                        ByteBuffer.wrap(new byte[1]));
        ARRAY[1] = 7;
        assertThat(joined.at(0)).as("joining does not copy").isEqualTo((byte) 7);
        ARRAY[1] = 1;
    }

    @Test
    void aStringPayloadEndsInANulThatIsNotPartOfTheText() {
        Bytes text = Bytes.text("ü");
        assertThat(text.toByteArray()).isEqualTo(new byte[] {(byte) 0xc3, (byte) 0xbc, 0});
        assertThat(text.text()).isEqualTo("ü");
        assertThat(Bytes.wrap(new byte[] {'a'}).text()).isEqualTo("a");
        assertThat(Bytes.EMPTY.text()).isEmpty();
        assertThat(Bytes.EMPTY.endsWithNul()).isFalse();
    }
}
