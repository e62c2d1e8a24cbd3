package io.muster.daemon;

import io.muster.daemon.access.Accounts;
import io.muster.daemon.access.Admission;
import io.muster.daemon.access.Admissions;
import io.muster.daemon.access.Identity;
import io.muster.daemon.access.Rights;
import io.muster.daemon.account.Account;
import io.muster.daemon.account.AccountBook;
import io.muster.daemon.account.Limit;
import io.muster.daemon.config.Access;
import io.muster.daemon.config.Config;
import io.muster.daemon.config.Environment;
import io.muster.daemon.config.Grant;
import io.muster.daemon.journal.disk.Disk;
import io.muster.daemon.service.Backend;
import io.muster.daemon.service.Caller;
import io.muster.daemon.service.Outbox;
import io.muster.daemon.service.Session;
import io.muster.daemon.service.WebTokens;
import io.muster.daemon.token.TokenFile;
import io.muster.daemon.token.Tokens;
import io.muster.protocol.operation.Right;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Everything of a simulated daemon that is between the socket and the core, for the connections of a relay. */
final class SimDoor {
    static final String HOST = "login1";
    private static final EnumSet<Right> RIGHTS = EnumSet.of(Right.FOLLOW, Right.CHANGE, Right.ACQUIRE);
    private static final EnumSet<Right> SPEAKING = EnumSet.of(Right.SPEAK_FOR);

    static {
        SPEAKING.addAll(RIGHTS);
    }

    private final Backend backend;
    private final Admissions admissions;
    private final Rights relay;
    private static final long BOOK_BYTES = 1 << 30;

    private final AccountBook book;

    /** To be called on the core thread. */
    SimDoor(Core core, Config config, Workers workers, Telemetry telemetry, Disk disk) {
        book = new AccountBook(BOOK_BYTES, workers.machine()::nanos);
        TokenFile file = new TokenFile(disk);
        Tokens tokens = new Tokens(file, core.inventory()::now, workers.machine()::nanos, book, reason -> {});
        WebTokens pages = new WebTokens(file, tokens, core.inventory()::now, workers.beside(workers.worker()));
        Environment environment =
                new Environment(Map.of(), 1000, config.storage().stateDir(), "host7", 4);
        backend = Daemon.backend(core, config, environment, workers, telemetry, List::of, pages);
        List<Grant> grants = List.of(
                new Grant(List.of(Grant.CERTIFICATE + HOST), SPEAKING, null),
                new Grant(SimLoginHost.users(), RIGHTS, null));
        Admission admission =
                Admission.of(1000, new Access(false, false, List.of(), grants), new Accounts(), name -> {});
        admissions = new Admissions(
                admission, workers.core(), workers.beside(workers.worker()), workers.beside(workers.worker()));
        relay = Objects.requireNonNull(admission.admit(Identity.ofCertificate(HOST), Grant.CERTIFICATE + HOST));
    }

    /** Begins the session of a relay that has connected. */
    Session open(Outbox outbox) {
        Account account = relay.begin(book, Limit.CONNECTIONS, 1000, "connections");
        return new Session(backend, admissions, new Caller(relay, true, account), outbox);
    }
}
