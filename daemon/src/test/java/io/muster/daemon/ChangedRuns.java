package io.muster.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Closeable;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;

/** Runs the simulator over changed classes: only classes of the JDK are the same on both sides of the class loader. */
final class ChangedRuns implements Closeable {
    private final Closeable runs;

    /** @param directory an empty directory */
    ChangedRuns(PlantedBug.Compiled classes, Path directory) throws ReflectiveOperationException {
        Class<?> type = new PlantedBug.Loader(classes).loadClass(SimRun.class.getName());
        runs = (Closeable) type.getConstructor(Path.class).newInstance(directory);
    }

    /** Returns what {@link SimRun#outcome} returns. */
    @SuppressWarnings("unchecked")
    Map.Entry<Integer, String> outcome(String mix, long seed, int faults) {
        return (Map.Entry<Integer, String>) call("outcome", mix, seed, faults);
    }

    /** @param test names the test in the line that repeats a failure */
    void pass(String test, String mix, long seed, int faults) {
        assertThat((String) call("described", test, mix, seed, faults)).isEmpty();
    }

    long pieces() {
        return (long) call("pieces");
    }

    private Object call(String name, Object... arguments) {
        try {
            Method method = Stream.of(runs.getClass().getMethods())
                    .filter(each -> each.getName().equals(name))
                    .findFirst()
                    .orElseThrow();
            return method.invoke(runs, arguments);
        } catch (InvocationTargetException e) {
            throw new AssertionError("the simulator failed", e.getCause());
        } catch (IllegalAccessException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }

    @Override
    public void close() throws IOException {
        runs.close();
    }
}
