package io.muster.daemon.journal;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * Builds the states of a {@link MemoryDisk} that a power loss can leave. The model: everything forced is kept. Of the writes and
 * truncations of a file since its last force, any subset is kept; of the last write in the subset, any beginning or end is kept, with zeros
 * or nothing for the rest, or everything except a hole of zeros. Of the creations, renames and deletions since the last force of the
 * directory, any consistent subset is kept. The process may also end between two operations without a power loss: then everything is kept.
 *
 * <p>The number of states is bounded. For more than {@link #ALL_SUBSETS} writes, these subsets are tried: every prefix, all except each
 * single write, and a sample of the others. While one file takes all its possible contents, the other files have none or all of their
 * writes; combinations of several files are sampled. Samples are the same in each run.
 */
final class PowerLoss {
    private static final int ALL_SUBSETS = 5;
    private static final int SAMPLE = 32;

    private final List<MemoryDisk.Op> ops;
    private final int stride;
    private final Random random = new Random(1);

    interface Check {
        /**
         * Called for each distinct state.
         *
         * @param acknowledged the last seq that was answered before the crash
         * @param submitted the last seq that was submitted to the journal
         */
        void check(MemoryDisk left, long acknowledged, long submitted, String how) throws IOException;
    }

    /** @param stride the distance in bytes between the positions at which writes are torn */
    PowerLoss(MemoryDisk disk, int stride) {
        this.ops = List.copyOf(disk.ops);
        this.stride = stride;
    }

    /** The disk after the last force of each file and directory, and the operations since then. */
    private static final class Partial {
        final MemoryDisk forced = new MemoryDisk();
        /** Writes and truncations since the last force of their inode, by inode. */
        final Map<Integer, List<MemoryDisk.Op>> data = new HashMap<>();

        final List<MemoryDisk.Op> directory = new ArrayList<>();
        long acknowledged;
        long submitted;

        void apply(MemoryDisk.Op op) {
            if (op instanceof MemoryDisk.Written write) {
                pending(write.inode()).add(op);
            } else if (op instanceof MemoryDisk.Truncated truncation) {
                pending(truncation.inode()).add(op);
            } else if (op instanceof MemoryDisk.Forced force) {
                pending(force.inode()).forEach(o -> applyData(forced, o));
                pending(force.inode()).clear();
            } else if (op instanceof MemoryDisk.DirectoryForced force) {
                directory.removeIf(o -> {
                    boolean covered = directoryOf(o).equals(force.name());
                    if (covered) {
                        applyName(forced, o);
                    }
                    return covered;
                });
            } else if (op instanceof MemoryDisk.Mark mark) {
                if (mark.text().equals("acknowledged")) {
                    acknowledged = mark.seq();
                } else {
                    submitted = mark.seq();
                }
            } else {
                if (op instanceof MemoryDisk.Named named) {
                    while (forced.inodes.size() <= named.inode()) {
                        forced.inodes.add(new byte[0]);
                    }
                }
                directory.add(op);
            }
        }

        private List<MemoryDisk.Op> pending(int inode) {
            return data.computeIfAbsent(inode, i -> new ArrayList<>());
        }
    }

    private static String directoryOf(MemoryDisk.Op op) {
        String name = op instanceof MemoryDisk.Named named
                ? named.name()
                : op instanceof MemoryDisk.Renamed renamed ? renamed.to() : ((MemoryDisk.Deleted) op).name();
        return name.contains("/") ? name.substring(0, name.indexOf('/')) : "";
    }

    private static void applyData(MemoryDisk disk, MemoryDisk.Op op) {
        if (op instanceof MemoryDisk.Written write) {
            disk.write(write.inode(), write.at(), write.bytes().array());
        } else if (op instanceof MemoryDisk.Truncated truncation) {
            disk.truncate(truncation.inode(), truncation.size());
        }
    }

    private static void applyName(MemoryDisk disk, MemoryDisk.Op op) {
        if (op instanceof MemoryDisk.Named named) {
            disk.names.put(named.name(), named.inode());
        } else if (op instanceof MemoryDisk.Renamed renamed) {
            Integer inode = disk.names.remove(renamed.from());
            if (inode != null) {
                disk.names.put(renamed.to(), inode);
            }
        } else if (op instanceof MemoryDisk.Deleted deleted) {
            disk.names.remove(deleted.name());
        }
    }

    /** @return the number of distinct states checked */
    int run(Check check) throws IOException {
        Partial partial = new Partial();
        Set<String> seen = new HashSet<>();
        int states = 0;
        for (int i = 0; i <= ops.size(); i++) {
            for (MemoryDisk names : namings(partial)) {
                states += contents(partial, names, seen, check, "after operation " + i);
            }
            if (i < ops.size()) {
                partial.apply(ops.get(i));
            }
        }
        return states;
    }

    /** Returns a disk for every subset of the pending directory operations, with only the forced contents of files. */
    private static List<MemoryDisk> namings(Partial partial) {
        List<MemoryDisk> result = new ArrayList<>();
        int count = partial.directory.size();
        if (count > 10) {
            throw new AssertionError("too many directory operations without a force: " + partial.directory);
        }
        for (int subset = 0; subset < 1 << count; subset++) {
            MemoryDisk disk = partial.forced.copy();
            for (int i = 0; i < count; i++) {
                if ((subset & 1 << i) != 0) {
                    applyName(disk, partial.directory.get(i));
                }
            }
            result.add(disk);
        }
        return result;
    }

    private int contents(Partial partial, MemoryDisk base, Set<String> seen, Check check, String when)
            throws IOException {
        List<Integer> files = partial.data.entrySet().stream()
                .filter(file -> !file.getValue().isEmpty() && base.names.containsValue(file.getKey()))
                .map(Map.Entry::getKey)
                .toList();
        int[] states = {check(base.copy(), partial, seen, check, when)};
        for (int file : files) {
            for (MemoryDisk others : others(partial, base, file, files)) {
                each(base.inodes.get(file), partial.pending(file), content -> {
                    MemoryDisk left = others.copy();
                    left.inodes.set(file, content);
                    states[0] += check(left, partial, seen, check, when);
                });
            }
        }
        for (int i = 0; i < SAMPLE && files.size() > 1; i++) {
            MemoryDisk left = base.copy();
            for (int file : files) {
                left.inodes.set(file, any(base.inodes.get(file), partial.pending(file)));
            }
            states[0] += check(left, partial, seen, check, when);
        }
        return states[0];
    }

    /** Returns the disk with none or all of the writes to each of the other files. */
    private static List<MemoryDisk> others(Partial partial, MemoryDisk base, int file, List<Integer> files) {
        List<MemoryDisk> result = new ArrayList<>(List.of(base));
        for (int other : files) {
            if (other != file) {
                for (MemoryDisk without : List.copyOf(result)) {
                    MemoryDisk with = without.copy();
                    partial.pending(other).forEach(op -> applyData(with, op));
                    result.add(with);
                }
            }
        }
        return result;
    }

    private int check(MemoryDisk left, Partial partial, Set<String> seen, Check check, String when) throws IOException {
        StringBuilder key = new StringBuilder();
        left.names.forEach((name, inode) ->
                key.append(name).append(Arrays.hashCode(left.inodes.get(inode))).append(' '));
        key.append(partial.acknowledged).append(' ').append(partial.submitted);
        if (!seen.add(key.toString())) {
            return 0;
        }
        check.check(left, partial.acknowledged, partial.submitted, when);
        return 1;
    }

    private interface Contents {
        void content(byte[] content) throws IOException;
    }

    /** Calls back with every possible content of one file. */
    private void each(byte[] forced, List<MemoryDisk.Op> pending, Contents contents) throws IOException {
        for (long subset : subsets(pending.size())) {
            for (byte[] content : contents(forced, pending, subset)) {
                contents.content(content);
            }
        }
    }

    private Set<Long> subsets(int count) {
        Set<Long> subsets = new LinkedHashSet<>();
        long all = (1L << count) - 1;
        if (count <= ALL_SUBSETS) {
            for (long subset = 0; subset <= all; subset++) {
                subsets.add(subset);
            }
            return subsets;
        }
        for (int i = 0; i <= count; i++) {
            subsets.add((1L << i) - 1);
            subsets.add(all & ~(1L << i));
        }
        for (int i = 0; i < SAMPLE; i++) {
            subsets.add(random.nextLong() & all);
        }
        return subsets;
    }

    /** Returns a random possible content of one file. */
    private byte[] any(byte[] forced, List<MemoryDisk.Op> pending) {
        List<byte[]> contents = contents(forced, pending, random.nextLong() & (1L << pending.size()) - 1);
        return contents.get(random.nextInt(contents.size()));
    }

    /** Returns the contents after a subset of writes, of which the last is whole or torn at each position. */
    private List<byte[]> contents(byte[] forced, List<MemoryDisk.Op> pending, long subset) {
        List<byte[]> result = new ArrayList<>();
        MemoryDisk disk = new MemoryDisk();
        disk.inodes.add(forced);
        for (int i = 0; i < pending.size(); i++) {
            MemoryDisk.Op op = pending.get(i);
            if ((subset & 1L << i) != 0) {
                boolean last = subset >>> i == 1;
                if (last && op instanceof MemoryDisk.Written write) {
                    torn(
                            result,
                            disk.inodes.get(0),
                            (int) write.at(),
                            write.bytes().array());
                }
                applyData(disk, moved(op));
            }
        }
        result.add(disk.inodes.get(0));
        return result;
    }

    private void torn(List<byte[]> result, byte[] before, int at, byte[] bytes) {
        for (int cut = 0; cut < bytes.length; cut += stride) {
            result.add(merge(before, at, bytes, 0, cut, at + cut));
            result.add(merge(before, at, bytes, 0, cut, at + bytes.length));
            result.add(merge(before, at, bytes, cut, bytes.length, at + bytes.length));
            int until = Math.min(bytes.length, cut + Math.max(2, bytes.length / 3));
            byte[] holed = merge(before, at, bytes, 0, cut, at + bytes.length);
            System.arraycopy(bytes, until, holed, at + until, bytes.length - until);
            result.add(holed);
        }
    }

    /** Returns the old content with bytes {@code from} to {@code to} of a write inserted, and zeros up to a length. */
    private static byte[] merge(byte[] before, int at, byte[] bytes, int from, int to, int length) {
        byte[] content = Arrays.copyOf(before, Math.max(before.length, length));
        System.arraycopy(bytes, from, content, at + from, to - from);
        return content;
    }

    private static MemoryDisk.Op moved(MemoryDisk.Op op) {
        return op instanceof MemoryDisk.Written write
                ? new MemoryDisk.Written(0, write.at(), write.bytes())
                : new MemoryDisk.Truncated(0, ((MemoryDisk.Truncated) op).size());
    }
}
