package io.muster.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.daemon.access.Accounts;
import io.muster.daemon.access.Admission;
import io.muster.daemon.access.Admissions;
import io.muster.daemon.account.AccountBook;
import io.muster.daemon.config.Access;
import io.muster.daemon.config.Grant;
import io.muster.daemon.core.Aside;
import io.muster.daemon.core.HandDriven;
import io.muster.daemon.core.Rig;
import io.muster.daemon.journal.MemoryDisk;
import io.muster.daemon.token.Token;
import io.muster.daemon.token.TokenFile;
import io.muster.daemon.token.Tokens;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.axis.Purpose;
import io.muster.inventory.json.Extras;
import io.muster.protocol.operation.Right;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which authors of planned holds may place them when the holds are to begin. */
class AuthorsTest {
    private static final int OWNER = 1000;
    private static final int OPS = 4_200_001;

    private final HandDriven core = new HandDriven(Rig.START);
    private final Aside aside = new Aside(Runnable::run, Runnable::run);
    private final TokenFile file = new TokenFile(new MemoryDisk());
    private final Tokens tokens =
            new Tokens(file, () -> 1000, System::nanoTime, new AccountBook(1 << 20, System::nanoTime), word -> {});
    private final Admissions admissions = new Admissions(
            admission(new Grant(List.of(Integer.toString(OPS)), Set.of(Right.HOLD), "ops")), core, aside, aside);

    private static Admission admission(Grant... grants) {
        Access access = new Access(false, false, List.of(), List.of(grants));
        return Admission.of(OWNER, access, new Accounts(), name -> {});
    }

    private @Nullable String objection(Hold plan, boolean alone) {
        List<Map<Hold, String>> found = new ArrayList<>();
        new Authors(admissions, tokens, alone, aside).check(Set.of(plan), found::add);
        return found.get(0).get(plan);
    }

    private boolean mayBegin(Principal by, String holder, boolean alone) {
        String objection = objection(new Hold(holder, "cooling", 1, by, 0), alone);
        assertThat(objection == null ? "any more" : objection).endsWith("any more");
        return objection == null;
    }

    private boolean mayBegin(Principal by, String holder) {
        return mayBegin(by, holder, true);
    }

    @Test
    void aUserNeedsTheRightThatTheConfigurationGivesThen() {
        Principal ops = new Principal(OPS, "ops", 7);
        assertThat(mayBegin(ops, "ops")).isTrue();
        assertThat(mayBegin(ops, "night")).isFalse();
        assertThat(mayBegin(new Principal(OWNER, "flux", 7), "night")).isTrue();
        assertThat(mayBegin(Principal.DAEMON, "policy")).isTrue();
        admissions.replace(admission());
        assertThat(mayBegin(ops, "ops")).isFalse();
    }

    @Test
    void aHoldThatAsksForAnActionNeedsTheRightToAskForOne() {
        Principal ops = new Principal(OPS, "ops", 7);
        Purpose reboot = new Purpose("", "", "", "reboot");
        Hold plan = new Hold("ops", "kernel", 1, 1, ops, 9, 0, reboot, 0, null, Extras.NONE);
        assertThat(objection(plan, true))
                .isEqualTo("ops, who planned the hold, has no right to ask for the action reboot any more");
        List<String> users = List.of(Integer.toString(OPS));
        admissions.replace(admission(new Grant(users, Set.of(Right.CHANGE), null)));
        assertThat(objection(plan, true)).endsWith("ask for the action reboot any more");
        admissions.replace(admission(new Grant(users, Set.of(Right.HOLD, Right.ACTION), "ops")));
        assertThat(objection(plan, true)).isNull();
        admissions.replace(admission(new Grant(users, Set.of(Right.ACTION), null)));
        assertThat(objection(plan, true)).endsWith("has no right to drain hosts as ops any more");
    }

    @Test
    void aTokenMustBeInForceThenUnlessItIsAnotherDaemons() throws IOException {
        Token token = new Token("robot", Token.digest("x"), Set.of(Right.HOLD), "ops", 1, 2000);
        Principal robot = Principal.ofName("token:robot");
        assertThat(mayBegin(robot, "ops")).isFalse();
        assertThat(mayBegin(robot, "ops", false)).isTrue();
        file.edit(before -> List.of(token));
        assertThat(mayBegin(robot, "ops")).isTrue();
        assertThat(mayBegin(robot, "night")).isFalse();
        file.edit(before -> List.of(new Token("robot", token.digest(), token.rights(), "ops", 1, 999)));
        assertThat(mayBegin(robot, "ops")).as("it has expired").isFalse();
    }

    @Test
    void whoeverSpeaksForAUserMustStillHaveTheRightTo() {
        Principal ops = new Principal(OPS, "ops", 7);
        Principal relay = Principal.ofName("cert:relay");
        Principal through = ops.through(relay, false);
        assertThat(mayBegin(through, "ops")).isFalse();
        admissions.replace(admission(
                new Grant(List.of(Integer.toString(OPS)), Set.of(Right.HOLD), "ops"),
                new Grant(List.of("cert:relay"), Set.of(Right.SPEAK_FOR, Right.CHANGE), null)));
        assertThat(mayBegin(through, "ops")).isTrue();
        assertThat(mayBegin(through, "night")).isFalse();
        assertThat(mayBegin(ops.through(new Principal(OWNER, "flux", 7), false), "night"))
                .as("the owner gave the roles")
                .isTrue();
    }
}
