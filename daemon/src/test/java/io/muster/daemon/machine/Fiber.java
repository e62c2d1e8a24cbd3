package io.muster.daemon.machine;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A body of code that can be left in its midst and entered again, on the same thread of the operating system. Newer JDKs have this inside,
 * and a switch takes a hundredth of the time that two threads need; it needs {@code --add-exports java.base/jdk.internal.vm=ALL-UNNAMED}.
 */
final class Fiber {
    private static final @Nullable Handles HANDLES = handles();

    private final Object continuation;

    private record Handles(Object scope, MethodHandle make, MethodHandle run, MethodHandle yield) {}

    private Fiber(Object continuation) {
        this.continuation = continuation;
    }

    private static @Nullable Handles handles() {
        try {
            Class<?> type = Class.forName("jdk.internal.vm.Continuation");
            Class<?> scope = Class.forName("jdk.internal.vm.ContinuationScope");
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            return new Handles(
                    scope.getConstructor(String.class).newInstance("simulation"),
                    lookup.findConstructor(type, MethodType.methodType(void.class, scope, Runnable.class)),
                    lookup.findVirtual(type, "run", MethodType.methodType(void.class))
                            .asType(MethodType.methodType(void.class, Object.class)),
                    lookup.findStatic(type, "yield", MethodType.methodType(boolean.class, scope))
                            .asType(MethodType.methodType(boolean.class, Object.class)));
        } catch (ReflectiveOperationException | LinkageError e) {
            return null;
        }
    }

    /** Returns a fiber; null if this JVM has none. */
    static @Nullable Fiber of(Runnable body) {
        try {
            return HANDLES == null ? null : new Fiber(HANDLES.make.invoke(HANDLES.scope, body));
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    private static Handles handle() {
        return Objects.requireNonNull(HANDLES);
    }

    /** Runs the body until it leaves or ends. */
    void enter() {
        try {
            handle().run.invokeExact(continuation);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    /** Called by the body. */
    static void leave() {
        try {
            var unused = (boolean) handle().yield.invokeExact(handle().scope);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }
}
