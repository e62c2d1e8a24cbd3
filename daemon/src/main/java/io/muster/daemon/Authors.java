package io.muster.daemon;

import io.muster.daemon.access.Admission;
import io.muster.daemon.access.Admissions;
import io.muster.daemon.access.Identity;
import io.muster.daemon.access.Rights;
import io.muster.daemon.core.Aside;
import io.muster.daemon.core.Expiry;
import io.muster.daemon.token.Tokens;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.Principal;
import io.muster.protocol.operation.Right;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whether the authors of planned holds may still place them: by the configuration and the tokens that are in force when the
 * holds are to begin.
 */
final class Authors implements Expiry.Authors {
    private static final String TOKEN = "token:";
    private static final String CERTIFICATE = "cert:";

    private final Admissions admissions;
    private final Tokens tokens;
    private final boolean alone;
    private final Aside worker;

    /**
     * @param alone whether no other daemon makes changes; if others do, this one does not know their tokens, and believes that one which
     *     it does not know is in force there
     * @param worker reads the file of tokens, and may ask the name service
     */
    Authors(Admissions admissions, Tokens tokens, boolean alone, Aside worker) {
        this.admissions = admissions;
        this.tokens = tokens;
        this.alone = alone;
        this.worker = worker;
    }

    @Override
    public void check(Set<Hold> plans, Consumer<@Nullable Map<Hold, String>> then) {
        worker.run(
                () -> {
                    tokens.look();
                    Map<Hold, String> objections = new HashMap<>();
                    for (Hold plan : plans) {
                        String lost = lost(plan);
                        if (lost != null) {
                            objections.put(
                                    plan,
                                    plan.by().names() + ", who planned the hold, has no right to " + lost
                                            + " any more");
                        }
                    }
                    return () -> then.accept(objections);
                },
                bug -> then.accept(null));
    }

    /** Returns what the author of a planned hold has no right to; null if the author may place the hold. */
    private @Nullable String lost(Hold plan) {
        String action = plan.purpose().action();
        if (!may(plan.by(), rights -> rights.allow(Right.HOLD) && rights.allowHolder(plan.holder()))) {
            return "drain hosts as " + plan.holder();
        }
        boolean mayAsk = action.isEmpty() || may(plan.by(), rights -> rights.allow(Right.ACTION));
        return mayAsk ? null : "ask for the action " + action;
    }

    private boolean may(Principal by, Predicate<Rights> needed) {
        Principal.Speaker speaker = by.speaker();
        if (by.equals(Principal.DAEMON)) {
            return true;
        }
        if (speaker == null) {
            return may(rights(by), by, needed);
        }
        Principal sender = speaker.author();
        Rights rights = rights(sender);
        boolean speaks = rights != null && rights.allow(Right.SPEAK_FOR) && may(rights, sender, needed);
        boolean forAll = rights != null
                && rights.credentials().isOwner(); // the roles that its message named are not known any more
        return speaks && (forAll || speaker.squashed() || may(rights(by), by, needed));
    }

    private boolean may(@Nullable Rights rights, Principal by, Predicate<Rights> needed) {
        if (rights == null && !alone && by.user().startsWith(TOKEN)) {
            return true;
        }
        return rights != null && needed.test(rights);
    }

    /** Returns the rights that the author would have now; null if none. */
    private @Nullable Rights rights(Principal author) {
        Admission admission = admissions.inForce();
        String name = author.user();
        String maker = Principal.maker(name);
        if (maker != null) { // the token of a page does not last as long as a plan
            var uid = admission.accounts().uid(maker);
            return uid.isEmpty() ? null : ofUser(admission, uid.getAsInt(), maker);
        }
        if (author.uid() != Principal.NO_UID && name.indexOf('/') < 0) {
            return ofUser(admission, author.uid(), name);
        }
        Identity identity = name.startsWith(TOKEN)
                ? tokens.named(name.substring(TOKEN.length()))
                : name.startsWith(CERTIFICATE)
                        ? Identity.ofCertificate(name.substring(CERTIFICATE.length()))
                        : Identity.ofUserElsewhere(name, author.uid());
        return identity == null ? null : admission.admit(identity, name);
    }

    private static @Nullable Rights ofUser(Admission admission, int uid, String name) {
        int gid = admission.accounts().primaryGroup(uid).orElse(-1);
        return admission.admit(Identity.ofKernel(uid, gid, 0), name);
    }
}
