package io.muster.inventory.json;

/** JSON pointers (RFC 6901). A pointer names the place of a value in a document, such as {@code /execution/R_lite/0}. */
public final class Pointer {
    private Pointer() {}

    /** Returns the pointer of a member of the object at {@code parent}. */
    public static String of(String parent, String key) {
        return parent + "/" + key.replace("~", "~0").replace("/", "~1");
    }

    /** Returns the key that a segment of a pointer stands for. */
    public static String key(String segment) {
        return segment.replace("~1", "/").replace("~0", "~");
    }
}
