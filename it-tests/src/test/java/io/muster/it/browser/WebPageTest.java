package io.muster.it.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static io.muster.it.Wire.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.deque.html.axecore.playwright.AxeBuilder;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.BoundingBox;
import com.microsoft.playwright.options.ColorScheme;
import io.muster.daemon.etcd.EtcdCluster;
import io.muster.it.cast.FollowingScheduler;
import io.muster.it.harness.DaemonProcess;
import io.muster.it.harness.HttpListener;
import io.muster.it.harness.LedgerDaemons;
import io.muster.it.harness.Output;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.client.ResponseStream;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.testing.Pki;
import io.muster.testing.Needs;
import io.muster.testing.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** The page in a browser, with a daemon as a process. */
@Timeout(900)
@Needs({"chromium", "etcd", "etcdctl", "openssl"})
class WebPageTest {
    private static final String HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>\u202e'\"&";
    private static final int LARGE = 16_384;
    private static final String USER = System.getProperty("user.name");
    private static final String OF_PAGE = USER + " \\(page\\)";

    /** Finds tables in which a row has another number of visible cells than the head. */
    private static final String CROOKED = "() => [...document.querySelectorAll('table')].filter(table => {"
            + " const seen = row => [...row.cells].filter(cell => cell.offsetParent && cell.colSpan === 1).length;"
            + " const [head, row] = table.rows; return row && getComputedStyle(row).display === 'table-row'"
            + " && seen(row) > 0 && seen(row) !== seen(head); }).map(table => table.textContent)";

    private static Browser browser;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    private final HttpListener listener = new HttpListener(Ports.free());

    @BeforeAll
    static void launch() {
        browser = new Browser();
    }

    @AfterAll
    static void quit() {
        browser.close();
    }

    @AfterEach
    void nothingFailedAndThePolicyRefusedNothing() {
        assertThat(browser.faults()).isEmpty();
    }

    private DaemonProcess start() {
        return Browser.setup(directory, listener, Browser.racks(4, 16)).start();
    }

    private static Locator rows(Page page) {
        return page.locator("table.out tbody tr");
    }

    private static Locator button(Page page, String name) {
        return page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name));
    }

    @Test
    void aDrainOnTheCommandLineAppearsWithoutAReload() throws IOException {
        try (DaemonProcess daemon = start()) {
            Page page = browser.open(Browser.address(daemon));
            assertThat(page.locator("h1")).containsText("All 64 hosts are available");
            assertThat(page.url()).as("the token has left the address").doesNotContain("token");
            page.evaluate("() => { window.isTheSame = true }");
            Browser.change(daemon, "drain", "node[3-5]", "bad dimm");
            assertThat(rows(page)).hasCount(1);
            assertThat(rows(page)).containsText(Pattern.compile("drained.*node\\[3-5].*3.*admin.*bad dimm"));
            assertThat(page.locator("h1")).containsText("3 of 64 hosts are out");
            assertThat(page.locator(".changes li")).containsText("drained node[3-5]: bad dimm");
            Browser.change(daemon, "undrain", "node[3-5]", "new dimm");
            assertThat(rows(page)).hasCount(0);
            assertThat(page.locator(".changes")).containsText("no longer drained node[3-5]: new dimm");
            assertThat(page.evaluate("() => window.isTheSame")).isEqualTo(true);
        }
    }

    @Test
    void plannedHoldsChecksAndHowFarTheWorkIsAreShown() throws IOException {
        String holds = "[holds]\nchecks = [\"nhc\"]\nactions = [\"reseat\"]\n";
        try (DaemonProcess daemon = Browser.setup(directory, listener, Browser.racks(4, 16) + holds)
                        .start()
                        .expect("does not report any more");
                FluxClient client = daemon.connect()) {
            Page page = browser.open(Browser.address(daemon));
            Locator ahead = page.locator("ul.ahead li");
            ask(client, "drain", "{'targets':'node[3-4]','reason':'dimm','check':'nhc'}");
            assertThat(ahead).hasText(new String[] {"2 hosts wait for the check nhc"});
            ask(client, "check-result", "{'host':'node3','check':'nhc','attempt':1,'result':'failed'}");
            assertThat(ahead).hasText(new String[] {"2 hosts wait for the check nhc: 1 failed"});
            double soon = System.currentTimeMillis() / 1000 + 10 * 86_400;
            ask(client, "drain", "{'targets':'node2','reason':'cooling','from':" + soon + "}");
            assertThat(ahead.first()).hasText("node2 will be drained in 9 d 23 h: cooling (admin)");
            ask(client, "drain", "{'targets':'node5','reason':'fan','action':'reseat','check':'nhc'}");
            assertThat(ahead.nth(2)).hasText("1 host waits for reseat: busy");
            ResponseStream stream =
                    client.stream("resource.report", json("{'reporter':'b','ranks':'0-63','online':'0-63'}"));
            assertThat(stream.next().path("ranks").asText()).isEqualTo("0-63");
            await().atMost(Output.PATIENCE).ignoreException(RpcException.class).untilAsserted(() -> {
                ask(client, "usage", "{'allocated':''}");
                assertThat(ahead.nth(2).innerText()).isEqualTo("1 host waits for reseat: offered");
            });
            ask(client, "work-claim", "{'host':'node5','attempt':2,'lease':7200}");
            Pattern claimed =
                    Pattern.compile("reseat.*claimed by " + USER + " until \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d");
            assertThat(ahead.nth(2)).hasText(claimed);
            Browser.go(page, "host/node5");
            assertThat(page.locator("dl.facts")).containsText(claimed);
            ask(client, "work-result", "{'host':'node5','attempt':2,'result':'failed','detail':'no access'}");
            assertThat(page.locator("dl.facts")).containsText("waits for the check nhc (failed: no access)");
        }
    }

    private static void ask(FluxClient client, String topic, String request) throws IOException {
        var unused = client.rpc("resource." + topic, json(request));
    }

    @Test
    void theTableIsFilteredByTextAndByExpressionAndTheUrlKeepsTheFilter() throws IOException {
        try (DaemonProcess daemon = start()) {
            Browser.change(daemon, "drain", "node[3-5]", "bad dimm");
            Browser.change(daemon, "drain", "node[14-17]", "new kernel");
            Browser.change(daemon, "offline", "node40", "");
            String address = Browser.address(daemon);
            Page page = browser.open(address);
            assertThat(rows(page)).hasCount(3);
            Locator filter = page.locator("#filter");
            filter.fill("KERNEL");
            assertThat(rows(page)).hasCount(1);
            assertThat(rows(page)).containsText("node[14-17]");
            assertThat(page).hasURL(Pattern.compile("#/now\\?q=KERNEL$"));
            filter.fill("node4");
            assertThat(rows(page)).hasCount(2);
            filter.fill("node in rack0 and not name=node15");
            assertThat(rows(page)).hasCount(2);
            assertThat(rows(page).first()).containsText("node14");
            filter.fill("rack=");
            assertThat(page.locator("p.note[role=status]")).containsText("filters as a text");
            page.navigate("about:blank");
            page.navigate(address + "&/now?q=offline");
            assertThat(rows(page)).hasCount(1);
            assertThat(page.locator("#filter")).hasValue("offline");
            page.locator("#filter").fill("");
            page.locator("th[data-column=hosts] button").click();
            assertThat(rows(page).first()).containsText("node[14-17]");
            assertThat(page.locator("th[data-column=hosts]")).hasAttribute("aria-sort", "ascending");
        }
    }

    @Test
    void theMapDrawsEveryHostAndShowsItsState() throws IOException {
        try (DaemonProcess daemon = Browser.setup(directory, listener, Browser.racks(LARGE / 64, 64))
                .jvm("-Xmx512m")
                .start()) {
            Browser.change(daemon, "drain", "node[70-72]", "bad dimm");
            Page page = browser.open(Browser.address(daemon));
            page.locator(".out tbody tr").first().waitFor();
            System.out.println(
                    "first view of " + LARGE + ": " + page.evaluate("() => Math.round(performance.now())") + " ms");
            Browser.go(page, "map");
            Locator base = page.locator("canvas.base[data-tiles]");
            base.waitFor();
            assertThat(base).hasAttribute("data-tiles", Integer.toString(LARGE));
            System.out.println("map of " + LARGE + ": " + base.getAttribute("data-millis") + " ms");
            Locator map = page.locator("canvas.over");
            map.focus();
            for (int i = 0; i < 2; i++) {
                page.keyboard().press("ArrowRight");
            }
            page.keyboard().press(" ");
            assertThat(page.locator("output")).containsText("node1: available, chosen");
            assertThat(page.locator(".choice .list")).hasText("node1");
            page.keyboard().press("Escape");
            int size = Integer.parseInt(base.getAttribute("data-size"));
            page.evaluate("() => scrollTo(0, 0)");
            BoundingBox box = map.boundingBox();
            page.mouse().move(box.x + 1, box.y + 20);
            assertThat(page.locator(".tip")).hasText("node0: available");
            page.mouse().down();
            page.mouse()
                    .move(
                            box.x + size * 3 + 1,
                            box.y + 20,
                            new com.microsoft.playwright.Mouse.MoveOptions().setSteps(4));
            page.mouse().up();
            assertThat(page.locator(".choice .list")).hasText("node[0-3]");
            page.getByLabel("Group by").selectOption("=row");
            assertThat(page).hasURL(Pattern.compile("by=%3Drow"));
            BoundingBox moved = map.boundingBox(); // the list of the chosen hosts stands above the map
            page.mouse().click(moved.x + 1, moved.y + 20);
            assertThat(page.locator("h1")).containsText("node");
            assertThat(page).hasURL(Pattern.compile("#/host/node\\d+$"));
        }
    }

    @Test
    void drainAndUndrainByButtonShowTheUpdateBeforeTheChange() throws Exception {
        try (DaemonProcess daemon = start()) {
            FollowingScheduler scheduler = FollowingScheduler.of(daemon);
            Page page = browser.open(Browser.address(daemon, "--rights=change"));
            button(page, "Drain hosts…").click();
            page.getByLabel("Hosts", new Page.GetByLabelOptions().setExact(true))
                    .fill("node[7-8]");
            Locator go = page.locator("dialog button[type=submit]");
            assertThat(go).isDisabled();
            page.getByLabel("Reason", new Page.GetByLabelOptions().setExact(true))
                    .fill("fan");
            assertThat(page.locator(".plan code").last()).hasText("{\"down\":\"7-8\"}");
            assertThat(daemon.ask("resource.state").toString()).as("a dry run").doesNotContain("\"fan\"");
            assertThat(go).hasText("Drain 2 hosts");
            go.click();
            assertThat(page.locator(".done")).containsText("node[7-8]");
            button(page, "Close").click();
            assertThat(rows(page)).containsText(Pattern.compile("node\\[7-8].*" + OF_PAGE + ".*fan"));
            assertThat(rows(page).locator(".names[title*='token:web-']")).hasCount(1);
            assertThat(page.locator(".changes")).containsText(Pattern.compile("fan.*" + OF_PAGE));
            assertThat(daemon.ask("resource.state").toString()).contains("token:web-", "\"fan\"");

            button(page, "Undrain…").click();
            page.getByLabel("Reason", new Page.GetByLabelOptions().setExact(true))
                    .fill("new fan");
            assertThat(page.locator(".plan code").last()).hasText("{\"up\":\"7-8\"}");
            go.click();
            assertThat(page.locator(".done")).isVisible();
            assertThat(rows(page)).hasCount(0);
            assertThat(scheduler.failure()).isNull();
        }
    }

    @Test
    void aRefusalOfTheDryRunIsShownAndDisablesTheButton() throws IOException {
        try (DaemonProcess daemon = start()) {
            Page page = browser.open(Browser.address(daemon, "--rights=hold", "--holder=night"));
            Browser.change(daemon, "drain", "node2", "mine");
            assertThat(rows(page)).hasCount(1);
            assertThat(rows(page).locator("button")).hasCount(0);
            button(page, "Drain hosts…").click();
            assertThat(page.getByLabel("Holder").last()).hasValue("night");
            page.getByLabel("Hosts", new Page.GetByLabelOptions().setExact(true))
                    .fill("login1");
            page.getByLabel("Reason", new Page.GetByLabelOptions().setExact(true))
                    .fill("x");
            assertThat(page.locator(".plan .fault")).containsText("login1");
            assertThat(page.locator("dialog button[type=submit]")).isDisabled();
            page.keyboard().press("Escape");
            assertThat(page.locator("dialog")).hasCount(0);
        }
    }

    @Test
    void withoutTheRightThePageHasNoButtons() throws IOException {
        try (DaemonProcess daemon = start().expect("token: .* refused an unknown token")) {
            Browser.change(daemon, "drain", "node2", "x");
            Page page = browser.open(Browser.address(daemon));
            assertThat(rows(page)).hasCount(1);
            for (String view : List.of("now", "host/node2", "map")) {
                Browser.go(page, view);
                page.waitForFunction("v => document.querySelector('main').dataset.view === v", view.split("/", 2)[0]);
                page.waitForTimeout(300);
                assertThat(page.locator("button:visible").filter(new Locator.FilterOptions().setHasText("rain…")))
                        .hasCount(0);
            }
            Object refused = page.evaluate(
                    "() => fetch('/v1/holds', {method: 'POST', headers: {'Content-Type': 'application/json'}, body: '{}'}).then(r => r.status)");
            assertThat(refused).as("a request without the token").isEqualTo(401);
            page.reload();
            assertThat(page.locator("h1")).containsText("needs a token");
            page.getByLabel("Token").fill("muster_wrong");
            page.keyboard().press("Enter");
            assertThat(page.locator(".fault")).containsText("the token is unknown");
        }
    }

    @Test
    void aPageWithARevokedTokenAsksForANewOneEvenDuringADrain() {
        try (DaemonProcess daemon = start().expect("token: .* refused an unknown token")) {
            Page page = browser.open(Browser.address(daemon, "--rights=change"));
            String user = page.locator("#live").getAttribute("title");
            button(page, "Drain hosts…").click();
            page.locator("#act-hosts").fill("node9");
            Browser.muster(daemon, "token", "revoke", user.substring(user.indexOf("web-")));
            assertThat(page.locator("h1")).containsText("needs a token");
            assertThat(page.locator("dialog")).hasCount(0);
            page.getByLabel("Token").fill(Browser.address(daemon).replaceFirst(".*#token=", ""));
            page.keyboard().press("Enter");
            assertThat(page.locator("h1")).containsText("All 64 hosts are available");
        }
    }

    @Test
    void aBrokenConnectionIsShownAndMissedChangesAppearAfterwards() throws IOException {
        DaemonProcess.Setup setup = Browser.setup(directory, listener, Browser.racks(4, 16));
        Page page;
        try (DaemonProcess daemon = setup.start()) {
            page = browser.open(Browser.address(daemon));
            assertThat(page.locator("#live")).containsText("live");
        }
        assertThat(page.locator("#live")).containsText("not connected");
        assertThat(page.locator("#banner")).containsText("The daemon has not answered since");
        try (DaemonProcess daemon = setup.start()) {
            Browser.change(daemon, "drain", "node9", "while nobody looked");
            assertThat(rows(page)).containsText("while nobody looked");
            assertThat(page.locator("#live")).containsText("live");
            assertThat(page.locator("#banner")).isHidden();
            Browser.change(daemon, "drain", "node10", "later");
            assertThat(rows(page)).hasCount(2);
        }
    }

    @Test
    void theServiceViewShowsTheDaemonsOfTheLedgerAndWhatExpires() throws Exception {
        Pki pki = Pki.in(Files.createDirectories(directory.resolve("pki")));
        String grant = "san = \"ops.example.org\"\nrights = [\"follow\"]";
        try (EtcdCluster etcd = EtcdCluster.quick(Files.createDirectory(directory.resolve("etcd")), 1);
                LedgerDaemons daemons = new LedgerDaemons(List.of(
                        LedgerDaemons.setup(directory.resolve("a"), etcd, "", Browser.racks(4, 16)),
                        LedgerDaemons.setup(
                                directory.resolve("b"),
                                etcd,
                                "",
                                listener.config(),
                                pki.config(grant),
                                Browser.racks(4, 16))))) {
            daemons.start(0);
            DaemonProcess standby = daemons.start(1);
            Page page = browser.open(Browser.address(standby, "--rights=change") + "&/service");
            Locator members = table(page, "Daemons of the ledger");
            assertThat(members).hasCount(2);
            assertThat(members.first()).containsText("a leads");
            assertThat(members.first()).containsText(daemons.uri(0));
            assertThat(page.locator(".facts")).containsText("is a standby");
            assertThat(page.locator(".facts")).containsText(Pattern.compile("Leadera.*since term \\d"));
            assertThat(page.locator(".facts")).containsText("up to date");
            assertThat(page.locator(".facts")).containsText(Pattern.compile("Disk[0-9.]+ [KMGT]iB free"));
            assertThat(table(page, "Certificates")).hasCount(2);
            assertThat(table(page, "Certificates").filter(new Locator.FilterOptions().setHasText("CA of a grant")))
                    .containsText("ca.pem");
            checkView(page, "service");
            Browser.go(page, "now");
            assertThat(page.locator("#live")).containsText("standby");
            button(page, "Drain hosts…").click();
            page.locator("#act-hosts").fill("node9");
            page.locator("#act-reason").fill("fan");
            assertThat(page.locator(".plan .fault")).containsText("leads, and takes changes");
            page.keyboard().press("Escape");
            Browser.go(page, "service");
            daemons.kill(0);
            assertThat(members).hasCount(1);
            assertThat(members).containsText("b leads");
            etcd.killAll();
            assertThat(page.locator("h1")).containsText("changes are refused: etcd");
            assertThat(page.locator("#banner")).containsText("etcd");
        }
    }

    private static Locator table(Page page, String name) {
        return page.getByRole(AriaRole.TABLE, new Page.GetByRoleOptions().setName(name))
                .locator("tbody tr");
    }

    @Test
    void textThatLooksLikeHtmlIsShownAsText() throws IOException {
        try (DaemonProcess daemon = start()) {
            Browser.change(daemon, "drain", "node2", HOSTILE);
            Page page = browser.open(Browser.address(daemon, "--rights=change"));
            for (String view : List.of(
                    "now?q=%3Cimg%20src",
                    "host/node2",
                    "time",
                    "map",
                    "report?by=class",
                    "host/%3Cimg%20src=x%20onerror=alert(1)%3E",
                    "host/%E0",
                    "constructor")) {
                Browser.go(page, view);
                page.waitForTimeout(500);
                assertThat(page.locator("main img, main script")).hasCount(0);
            }
            Browser.go(page, "now");
            assertThat(rows(page)).containsText(HOSTILE);
            page.navigate("about:blank");
            assertThat(browser.faults()).isEmpty();
        }
    }

    @Test
    void thePolicyRefusesInlineScripts() {
        try (DaemonProcess daemon = start()) {
            Page page = browser.open(Browser.address(daemon));
            page.evaluate(
                    "() => { const s = document.createElement('script'); try { s.text = 'window.isBad = 1'; } catch (e) { console.error(e.message); }"
                            + " document.head.append(s); }");
            assertThat(page.evaluate("() => window.isBad === undefined")).isEqualTo(true);
            assertThat(browser.faults()).as("the policy is in force").isNotEmpty();
        }
    }

    @Test
    void noViewHasSeriousAccessibilityFaultsOrIsWiderThanTheScreen() throws IOException {
        try (DaemonProcess daemon = start()) {
            Browser.change(
                    daemon, "drain", "node[3-5]", "bad dimm with a long explanation-" + "that-has-no-blanks".repeat(9));
            Browser.change(daemon, "offline", "node40", "");
            String address = Browser.address(daemon, "--rights=change");
            for (int width : new int[] {1400, 390}) {
                for (ColorScheme scheme : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
                    check(browser.open(address, scheme, width, 800), scheme + " " + width);
                }
            }
        }
    }

    private static void check(Page page, String what) {
        for (String view : List.of("now", "map", "time", "host/node3", "service", "report")) {
            Browser.go(page, view);
            page.waitForTimeout(1500);
            checkView(page, what + " " + view);
            assertThat(page.evaluate("() => document.scrollingElement.scrollWidth - innerWidth"))
                    .as("%s: pixels too wide", what + " " + view)
                    .isEqualTo(0);
            assertThat(page.evaluate(CROOKED)).as(view).isEqualTo(List.of());
            assertThat(page.locator("main table:not(:has(caption))")).hasCount(0);
        }
        Browser.go(page, "now");
        button(page, "Drain hosts…").click();
        checkView(page, what + " dialog");
    }

    @Test
    void theViewsCountTheSameHostsAndSayWhoReportedThoseThatAreOffline() throws IOException {
        try (DaemonProcess daemon = start()) {
            Browser.change(daemon, "drain", "node[3-5]", "bad dimm");
            Browser.change(
                    daemon,
                    "drain",
                    JsonNodeFactory.instance
                            .objectNode()
                            .put("targets", "node[4-9]")
                            .put("reason", "kernel")
                            .put("holder", "ops"));
            Browser.change(daemon, "offline", "node[7,40]", "");
            Page page = browser.open(Browser.address(daemon));
            assertThat(page.locator("h1")).containsText("8 of 64 hosts are out: 7 drained, 1 offline");
            assertThat(rows(page).first()).containsText(Pattern.compile("offline.*node40.*" + USER));
            assertThat(page.locator(".changes ol")).hasAttribute("aria-live", "polite");
            Browser.go(page, "time");
            assertThat(page.locator("figcaption")).hasCount(2);
            assertThat(page.locator("figcaption").first()).hasText("drained 7 now, 7 at most");
            assertThat(page.locator("figcaption").last()).hasText("offline 1 now, 1 at most");
            Browser.go(page, "report?by=host");
            assertThat(page.locator("figcaption")).containsText(Pattern.compile("drained \\d.*offline \\d"));
            assertThat(page.locator("table.report tbody tr")).hasCount(65);
            assertThat(page.locator("table.report tbody tr").last()).containsText(Pattern.compile("^\\(all\\)64.*%8"));
            Browser.go(page, "map");
            assertThat(page.locator(".legend")).containsText(Pattern.compile("drained 7.*offline 1"));
            assertThat(page.locator("#map-twin tbody tr")).hasCount(4);
            assertThat(page.locator("#map-twin thead")).hasText("Groupavailabledrainedoffline");
            assertThat(page.locator("#map-twin tbody tr").first()).hasText("rack0970");
        }
    }

    private static void checkView(Page page, String what) {
        var serious = new AxeBuilder(page)
                .analyze().getViolations().stream()
                        .filter(rule -> List.of("serious", "critical").contains(rule.getImpact()))
                        .map(rule ->
                                rule.getId() + ": " + rule.getNodes().get(0).getHtml())
                        .toList();
        assertThat(serious).as(what).isEmpty();
    }
}
