package io.muster.it.harness;

/** A network namespace with several links to this host, each of which a test can cut. Needs root. */
public final class NetworkNamespace implements AutoCloseable {
    private static final long PID = ProcessHandle.current().pid();
    /** Addresses for tests (RFC 2544), which real networks do not use. */
    private static final String NETWORK = "198.18." + PID % 256 + ".";

    private static final int ADDRESSES = 4;

    private final String name = "muster" + PID;

    /** @param links the number of links, each a network of its own */
    public NetworkNamespace(int links) {
        Tool.run("ip", "netns", "add", name);
        boolean done = false;
        try {
            for (int i = 0; i < links; i++) {
                Tool.run("ip", "link", "add", link(i), "type", "veth", "peer", "name", "eth" + i, "netns", name);
                Tool.run("ip", "address", "add", host(i) + "/30", "dev", link(i));
                Tool.run("ip", "-n", name, "address", "add", inside(i) + "/30", "dev", "eth" + i);
                Tool.run("ip", "-n", name, "link", "set", "eth" + i, "up");
                mend(i);
            }
            Tool.run("ip", "-n", name, "link", "set", "lo", "up");
            done = true;
        } finally {
            if (!done) {
                close();
            }
        }
    }

    private static String link(int i) {
        return "mu" + PID + "." + i;
    }

    /** The address of this host on a link. */
    public String host(int link) {
        return NETWORK + (ADDRESSES * link + 1);
    }

    /** The address of the namespace on a link. */
    public String inside(int link) {
        return NETWORK + (ADDRESSES * link + 2);
    }

    /** A command that runs another command in the namespace. */
    public String[] wrapper() {
        return new String[] {"ip", "netns", "exec", name};
    }

    /** Makes a link lose all packets. */
    public void cut(int link) {
        Tool.run("ip", "link", "set", link(link), "down");
    }

    public void mend(int link) {
        Tool.run("ip", "link", "set", link(link), "up");
    }

    /** Deletes the namespace, and the links with it. */
    @Override
    public void close() {
        Tool.run("ip", "netns", "delete", name);
    }
}
