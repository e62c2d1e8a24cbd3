package io.muster.it.harness;

/** A network namespace with one link to this host, which a test can cut. Needs root. */
public final class NetworkNamespace implements AutoCloseable {
    private static final long PID = ProcessHandle.current().pid();
    /** Addresses for tests (RFC 2544), which no network of the host has. */
    private static final String NETWORK = "198.18." + PID % 256 + ".";

    private final String name = "muster" + PID;
    private final String link = "mu" + PID;

    public NetworkNamespace() {
        Tool.run("ip", "netns", "add", name);
        boolean done = false;
        try {
            Tool.run("ip", "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", name);
            Tool.run("ip", "address", "add", host() + "/30", "dev", link);
            Tool.run("ip", "-n", name, "address", "add", NETWORK + "2/30", "dev", "eth0");
            Tool.run("ip", "-n", name, "link", "set", "eth0", "up");
            Tool.run("ip", "-n", name, "link", "set", "lo", "up");
            mend();
            done = true;
        } finally {
            if (!done) {
                close();
            }
        }
    }

    /** The address of this host on the link. */
    public String host() {
        return NETWORK + "1";
    }

    /** A command that runs another command in the namespace. */
    public String[] wrapper() {
        return new String[] {"ip", "netns", "exec", name};
    }

    /** Lets the link lose everything that is sent over it. */
    public void cut() {
        Tool.run("ip", "link", "set", link, "down");
    }

    public void mend() {
        Tool.run("ip", "link", "set", link, "up");
    }

    /** Deletes the namespace, and the link with it. */
    @Override
    public void close() {
        Tool.run("ip", "netns", "delete", name);
    }
}
