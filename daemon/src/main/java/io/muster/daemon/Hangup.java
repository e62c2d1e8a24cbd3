package io.muster.daemon;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Catches SIGHUP from the very start, because the default action ends the process. A signal that arrives before the daemon can reload is
 * remembered and served once it can.
 */
final class Hangup {
    private static final Logger log = LoggerFactory.getLogger("muster");

    private @Nullable Runnable action;
    private boolean due;

    private Hangup() {}

    /**
     * Installs the handler. The JDK offers signals only through a class that the compiler warns about, so this looks the class up by name.
     */
    static Hangup listen() {
        Hangup hangup = new Hangup();
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            InvocationHandler onSignal = (proxy, method, arguments) -> {
                if (method.getName().equals("handle")) {
                    hangup.came();
                }
                return null;
            };
            Object listener = Proxy.newProxyInstance(handler.getClassLoader(), new Class<?>[] {handler}, onSignal);
            Object hup = signal.getConstructor(String.class).newInstance("HUP");
            Object before = signal.getMethod("handle", signal, handler).invoke(null, hup, listener);
            if (handler.getField("SIG_IGN").get(null).equals(before)) {
                log.warn(
                        "SIGHUP is ignored, because nohup started the daemon: restart the daemon to change its configuration");
            }
        } catch (ReflectiveOperationException e) {
            log.warn("this JVM handles no signals: restart the daemon to change its configuration");
        }
        return hangup;
    }

    /** Sets the action for every later signal, and runs it at once if a signal has arrived already. */
    synchronized void then(Runnable task) {
        action = task;
        if (due) {
            due = false;
            task.run();
        }
    }

    private synchronized void came() {
        Runnable task = action;
        if (task == null) {
            due = true;
        } else {
            task.run();
        }
    }
}
