package io.muster.it.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.ColorScheme;
import io.muster.it.harness.DaemonProcess;
import io.muster.it.harness.HttpListener;
import io.muster.it.harness.Jars;
import io.muster.it.harness.Tool;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A browser that records the errors on its pages. */
final class Browser implements AutoCloseable {
    private static final double PATIENCE = 120_000;
    private static final List<String> OPTIONS = List.of(
            "--no-sandbox",
            "--headless",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync");

    /** Records the violations of the page's Content-Security-Policy. */
    private static final String WATCH =
            "addEventListener('securitypolicyviolation', e => console.error('refused: ' + e.violatedDirective))";

    private final Playwright playwright;
    private final com.microsoft.playwright.Browser chromium;
    private final List<String> faults = new ArrayList<>();

    Browser() {
        PlaywrightAssertions.setDefaultAssertionTimeout(PATIENCE);
        playwright = Playwright.create(
                new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
        chromium = playwright
                .chromium()
                .launch(new BrowserType.LaunchOptions()
                        .setTimeout(PATIENCE)
                        .setExecutablePath(executable())
                        .setArgs(OPTIONS));
    }

    private static Path executable() {
        List<Path> found = Stream.of(System.getenv("PATH").split(":"))
                .map(folder -> Path.of(folder, "chromium"))
                .filter(Files::isExecutable)
                .toList();
        assertThat(found)
                .as("the program chromium, of Debian's package chromium")
                .isNotEmpty();
        return found.get(0);
    }

    /** Opens the page of an address with a token. */
    Page open(String address) {
        return open(address, ColorScheme.LIGHT, 1280, 800);
    }

    Page open(String address, ColorScheme scheme, int width, int height) {
        BrowserContext context = chromium.newContext(new com.microsoft.playwright.Browser.NewContextOptions()
                .setViewportSize(width, height)
                .setColorScheme(scheme));
        context.setDefaultTimeout(PATIENCE);
        context.addInitScript(WATCH);
        Page page = context.newPage();
        page.onConsoleMessage(message -> {
            if (message.type().equals("error") && !message.text().startsWith("Failed to load resource")) {
                faults.add(message.text());
            }
        });
        page.onPageError(faults::add);
        page.onDialog(dialog -> {
            faults.add("a script opened a dialog: " + dialog.message());
            dialog.dismiss();
        });
        page.navigate(address);
        page.locator("h1").first().waitFor();
        return page;
    }

    /** Goes to another view of an open page. */
    static void go(Page page, String view) {
        page.evaluate("place => { location.hash = place }", "#/" + view);
    }

    /** Returns the errors of scripts and the violations of the policy since the last call. */
    List<String> faults() {
        List<String> all = List.copyOf(faults);
        faults.clear();
        return all;
    }

    /** Prints the address of the page with a new token, as the command does. */
    static String address(DaemonProcess daemon, String... options) {
        return muster(daemon, "web", options);
    }

    /** Runs a verb that uses the configuration of a daemon, and returns what it prints. */
    static String muster(DaemonProcess daemon, String verb, String... words) {
        String jars = Jars.classPath();
        List<String> command = new ArrayList<>(List.of(Tool.jdk("java"), "-cp", jars, "io.muster.cli.Muster", verb));
        command.addAll(List.of(words));
        command.add(
                verb.equals("web")
                        ? "--uri=" + daemon.socket()
                        : "--config=" + daemon.stateDir().resolveSibling("muster.toml"));
        return Tool.run(new ProcessBuilder(command)).strip();
    }

    /** Starts a daemon with an address for the page. */
    static DaemonProcess.Setup setup(Path directory, HttpListener listener, String resources) {
        return DaemonProcess.Setup.in(directory, listener.config(), resources);
    }

    /** Returns the TOML for hosts in racks. */
    static String racks(int racks, int each) {
        String hosts = "hosts = \"node[0-" + (racks * each - 1) + "]\"\n";
        return "[[resource.config]]\n" + hosts + "cores = \"0-63\"\n[[resource.config]]\nhosts = \"node[0-" + (each - 1)
                + "]\"\ngpus = \"0-3\"\nproperties = [\"gpu\", \"row=1\"]\n[[graph]]\ntype = \"rack\"\n" + hosts
                + "count = " + racks
                + "\neach = " + each + "\n";
    }

    /** Sends a change to the daemon's own socket, as the command does. */
    static void change(DaemonProcess daemon, String topic, String targets, String reason) throws IOException {
        String words = topic.equals("offline") ? "cause" : "reason";
        change(
                daemon,
                topic,
                JsonNodeFactory.instance.objectNode().put("targets", targets).put(words, reason));
    }

    static void change(DaemonProcess daemon, String topic, ObjectNode payload) throws IOException {
        try (FluxClient client = daemon.connect()) {
            var unused = client.rpc("resource." + topic, payload);
        }
    }

    @Override
    public void close() {
        chromium.close();
        playwright.close();
    }
}
