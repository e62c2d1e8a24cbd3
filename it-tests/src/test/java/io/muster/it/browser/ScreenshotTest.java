package io.muster.it.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import io.muster.it.cast.FollowingScheduler;
import io.muster.it.harness.DaemonProcess;
import io.muster.it.harness.HttpListener;
import io.muster.protocol.client.FluxClient;
import io.muster.testing.Needs;
import io.muster.testing.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The pictures of the page in the README and in {@code docs/web.md}, of a cluster with typical troubles. */
@Timeout(600)
@Needs("chromium")
class ScreenshotTest {
    private static final Path DOCS = Path.of("..", "docs").toAbsolutePath().normalize();

    @TempDir
    Path directory;

    private static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    private static void hold(DaemonProcess daemon, String targets, String holder, String reason) throws IOException {
        Browser.change(
                daemon,
                "drain",
                object().put("targets", targets).put("holder", holder).put("reason", reason));
    }

    private static void trouble(DaemonProcess daemon) throws IOException {
        Browser.change(daemon, "drain", "node[17-20]", "bad dimm");
        hold(daemon, "node[384-447]", "maintenance", "new kernel 6.12");
        hold(daemon, "node[701,933,1310]", "nhc", "GPU 2 fell off the bus");
        Browser.change(daemon, "drain", "node1200", "slow disk, ticket 4711");
        Browser.change(daemon, "undrain", "node18", "new dimm");
        Browser.change(daemon, "exclude", "node[2044-2047]", "login hosts");
        Browser.change(daemon, "drain", "node77", "fan 3 fails");
    }

    @Test
    void thePicturesAreTakenOfARunningDaemon() throws Exception {
        HttpListener listener = new HttpListener(Ports.free());
        Path pictures = Boolean.getBoolean("muster.rewrite") ? DOCS : directory;
        try (DaemonProcess daemon = Browser.setup(directory, listener, Browser.racks(32, 64))
                        .start()
                        .expect("bridge does not report");
                FluxClient reporter = daemon.connect();
                Browser browser = new Browser()) {
            FollowingScheduler scheduler = FollowingScheduler.of(daemon);
            var report = reporter.stream(
                    "resource.report",
                    object().put("reporter", "bridge")
                            .put("ranks", "0-2047")
                            .put("online", "0-255,262-1023,1025-2047")
                            .put("torpid", "1700-1703"));
            assertThat(report.next()).isNotNull();
            reporter.rpc(
                    "resource.usage", object().put("allocated", "32-76,78-255,448-680,768-931,1088-1190,1408-1600"));
            trouble(daemon);
            String address = Browser.address(daemon, "--rights=change");
            Page page = browser.open(address);
            page.locator(".changes li").nth(4).waitFor();
            shoot(page, pictures.resolve("web-now.png"));
            page.locator("button", new Page.LocatorOptions().setHasText("Drain hosts…"))
                    .click();
            page.locator("#act-hosts").fill("node[64-66]");
            page.locator("#act-reason").fill("switch port flaps");
            page.locator(".plan code").last().waitFor();
            shoot(page, pictures.resolve("web-drain.png"));
            page.keyboard().press("Escape");
            Page dark = browser.open(address, ColorScheme.DARK, 1280, 640);
            Browser.go(dark, "map");
            dark.locator("canvas.base[data-tiles]").waitFor();
            dark.waitForTimeout(1000);
            shoot(dark, pictures.resolve("web-map.png"));
            assertThat(Files.size(pictures.resolve("web-map.png"))).isPositive();
            assertThat(browser.faults()).isEmpty();
            assertThat(scheduler.failure()).isNull();
        }
    }

    private static void shoot(Page page, Path file) {
        page.mouse().move(0, 0);
        byte[] picture = page.screenshot(new Page.ScreenshotOptions().setPath(file));
        assertThat(picture).isNotEmpty();
    }
}
