package io.muster.daemon.journal.disk;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A directory on this machine. Each operation opens the directory, checks that it is still the same directory (and, while it
 * is locked, that the lock file in it is the one that was locked), and works relative to the open directory. So nothing is
 * ever written to another directory that has taken its place, nor through a link. Files and directories are for their owner
 * only, regardless of the umask. If root creates them, they get the owner of the directory.
 *
 * <p>The files are interruptible channels: a thread that uses them must never be interrupted, for that closes the file.
 */
public final class LocalDisk implements Disk {
    private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> DIRECTORY = PosixFilePermissions.fromString("rwx------");
    private static final int OTHERS_WRITE = 022;
    private static final Path LOCAL = Path.of(".");

    private final Path root;
    private final @Nullable Object key;
    private volatile @Nullable LockFile held;

    private LocalDisk(Path root) throws IOException {
        this.root = root;
        this.key = LockFile.key(root);
    }

    /** Opens a directory that must exist. */
    public static LocalDisk existing(Path stateDir) throws IOException {
        return new LocalDisk(stateDir.toRealPath());
    }

    /** Opens a directory, and creates it with access for its owner only if it does not exist. */
    public static LocalDisk at(Path stateDir) throws IOException {
        make(stateDir.toAbsolutePath());
        return existing(stateDir);
    }

    private static void make(Path directory) throws IOException {
        Path parent = directory.getParent();
        if (!Files.isDirectory(directory) && parent != null) {
            make(parent);
            create(directory);
            Files.setPosixFilePermissions(directory, DIRECTORY);
            force(parent);
        }
    }

    /**
     * Opens the directory that a daemon serves. Root accepts only a directory that no other user can replace or write to.
     *
     * @param uid the daemon's uid
     */
    public static LocalDisk serving(Path stateDir, int uid) throws IOException {
        String danger = uid == 0 ? danger(stateDir) : "";
        if (!danger.isEmpty()) {
            throw new IOException("root does not serve from the state directory " + stateDir + ", " + danger);
        }
        return at(stateDir);
    }

    private static String danger(Path stateDir) throws IOException {
        if (!Files.exists(stateDir, LinkOption.NOFOLLOW_LINKS)) {
            return "";
        }
        if (Files.isSymbolicLink(stateDir)) {
            return "which is a symbolic link that somebody may replace: set muster.state-dir to "
                    + stateDir.toRealPath();
        }
        if (!Files.getAttribute(stateDir, "unix:uid").equals(0)) {
            String owner = Files.getOwner(stateDir).getName();
            return "which belongs to " + owner + ": run the daemon as that user, `runuser -u " + owner
                    + " -- muster serve`";
        }
        int mode = (Integer) Files.getAttribute(stateDir, "unix:mode");
        return (mode & OTHERS_WRITE) == 0
                ? ""
                : "to which users other than root can write: `chmod go-w " + stateDir
                        + "`, or run the daemon as another user, `runuser -u muster -- muster serve`";
    }

    @Override
    public String where() {
        return root.toString();
    }

    // ---- below the directory

    private interface Work<T> {
        T in(SecureDirectoryStream<Path> directory, Path name) throws IOException;
    }

    /** Does {@code work} on a name, in the open directory that contains the name. */
    private <T> T below(String name, Work<T> work) throws IOException {
        try (SecureDirectoryStream<Path> top = top()) {
            return below(top, Path.of(name), work);
        } catch (FileSystemException e) {
            throw withPath(e, root.resolve(name).normalize());
        }
    }

    /** Returns the exception with the whole path; for a file in an open directory, the JDK names only the last part. */
    private static FileSystemException withPath(FileSystemException e, Path path) {
        if (e.getFile().startsWith("/")) {
            return e;
        }
        if (e instanceof NoSuchFileException) {
            return new NoSuchFileException(path.toString());
        }
        return e instanceof AccessDeniedException
                ? new AccessDeniedException(path.toString())
                : new FileSystemException(path.toString(), null, e.getReason());
    }

    private static <T> T below(SecureDirectoryStream<Path> directory, Path name, Work<T> work) throws IOException {
        if (name.getNameCount() == 1) {
            return work.in(directory, name);
        }
        try (SecureDirectoryStream<Path> next = enter(directory, name.getName(0))) {
            return below(next, name.subpath(1, name.getNameCount()), work);
        }
    }

    private static SecureDirectoryStream<Path> enter(SecureDirectoryStream<Path> directory, Path name)
            throws IOException {
        BasicFileAttributes attributes = attributes(directory, name);
        if (attributes != null && !attributes.isDirectory()) {
            throw wrongKind(name, attributes, "a directory");
        }
        return directory.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS);
    }

    private static FileSystemException wrongKind(Path name, BasicFileAttributes found, String wanted) {
        return new FileSystemException(
                name.toString(),
                null,
                found.isSymbolicLink() ? "a symbolic link, which is not followed here" : "not " + wanted);
    }

    /** Returns the directory, opened and checked. The caller closes it. */
    @SuppressWarnings("StreamResourceLeak") // the method returns the stream
    private SecureDirectoryStream<Path> top() throws IOException {
        DirectoryStream<Path> opened;
        try {
            opened = Files.newDirectoryStream(root);
        } catch (FileSystemException e) {
            throw isOurs() ? e : replaced();
        }
        boolean ours = false;
        try {
            if (!(opened instanceof SecureDirectoryStream<Path> top)) {
                throw new IOException(root + ": this system cannot open files below a directory that is open");
            }
            check(top);
            ours = true;
            return top;
        } finally {
            if (!ours) {
                opened.close();
            }
        }
    }

    private void check(SecureDirectoryStream<Path> top) throws IOException {
        Object found = top.getFileAttributeView(BasicFileAttributeView.class)
                .readAttributes()
                .fileKey();
        if (!Objects.equals(found, key)) {
            throw replaced();
        }
        LockFile lock = held;
        if (lock != null) {
            BasicFileAttributes attributes = attributes(top, lock.name());
            if (attributes == null || !Objects.equals(attributes.fileKey(), lock.key())) {
                throw unlocked(lock);
            }
        }
    }

    private boolean isOurs() throws IOException {
        return Objects.equals(key, LockFile.key(root));
    }

    private IOException replaced() {
        return new IOException(
                "the state directory " + root + " is no longer the one that was opened: it was removed or"
                        + " replaced. Put the original back, or restart the daemon");
    }

    private IOException unlocked(LockFile lock) {
        return new IOException(
                "the lock file " + root.resolve(lock.name()) + " was removed or replaced, so another daemon"
                        + " may use the state directory. Make sure that none does, and restart this one");
    }

    /** Returns the attributes of a file; null if the file does not exist. */
    private static @Nullable BasicFileAttributes attributes(SecureDirectoryStream<Path> directory, Path name)
            throws IOException {
        try {
            return directory
                    .getFileAttributeView(name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                    .readAttributes();
        } catch (NoSuchFileException none) {
            return null;
        }
    }

    /** Sets the permissions, which the umask may have reduced, and the owner, which root may have to change. */
    private void own(SecureDirectoryStream<Path> directory, Path name, Set<PosixFilePermission> mode)
            throws IOException {
        PosixFileAttributeView view =
                directory.getFileAttributeView(name, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
        if (!view.readAttributes().permissions().equals(mode)) {
            view.setPermissions(mode);
        }
        if (isRoot() && !Files.getAttribute(root, "unix:uid").equals(0)) {
            PosixFileAttributes owner = Files.readAttributes(root, PosixFileAttributes.class);
            view.setOwner(owner.owner());
            view.setGroup(owner.group());
        }
    }

    private static boolean isRoot() throws IOException {
        return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
    }

    // ---- the operations

    @Override
    public List<Entry> list(String directory) throws IOException {
        try {
            return below(Path.of(directory).resolve(LOCAL).toString(), (open, local) -> entries(open));
        } catch (NoSuchFileException none) {
            return List.of();
        }
    }

    private static List<Entry> entries(SecureDirectoryStream<Path> directory) throws IOException {
        List<Entry> entries = new ArrayList<>();
        for (Path path : directory) {
            Path name = Objects.requireNonNull(path.getFileName());
            // Another process may have deleted or renamed the file since: a running daemon does so while a tool reads
            // its directory.
            BasicFileAttributes attributes = attributes(directory, name);
            if (attributes != null && !attributes.isDirectory()) {
                entries.add(new Entry(
                        name.toString(),
                        attributes.size(),
                        attributes.lastModifiedTime().toInstant()));
            }
        }
        entries.sort(Comparator.comparing(Entry::name));
        return entries;
    }

    @Override
    public File open(String name, Access access) throws IOException {
        FileChannel channel = below(name, (directory, file) -> switch (access) {
            case READ -> open(directory, file, StandardOpenOption.READ);
            case WRITE -> open(directory, file, StandardOpenOption.READ, StandardOpenOption.WRITE);
            case CREATE -> {
                delete(directory, file);
                yield create(directory, file);
            }
        });
        return new LocalFile(root.resolve(name), channel);
    }

    /** Opens a regular file. Anything else is refused before it is opened: opening a pipe would block. */
    private static FileChannel open(SecureDirectoryStream<Path> directory, Path name, OpenOption... options)
            throws IOException {
        BasicFileAttributes attributes = attributes(directory, name);
        if (attributes != null && !attributes.isRegularFile()) {
            throw wrongKind(name, attributes, "a plain file");
        }
        Set<OpenOption> all = new HashSet<>(List.of(options));
        all.add(LinkOption.NOFOLLOW_LINKS);
        return (FileChannel) directory.newByteChannel(name, all);
    }

    private FileChannel create(SecureDirectoryStream<Path> directory, Path name) throws IOException {
        Set<OpenOption> options =
                Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
        FileChannel channel =
                (FileChannel) directory.newByteChannel(name, options, PosixFilePermissions.asFileAttribute(FILE));
        boolean owned = false;
        try {
            own(directory, name, FILE);
            owned = true;
            return channel;
        } finally {
            if (!owned) {
                channel.close();
            }
        }
    }

    private FileChannel openOrCreate(String name) throws IOException {
        return below(name, (directory, file) -> {
            try {
                return create(directory, file);
            } catch (FileAlreadyExistsException exists) {
                return open(directory, file, StandardOpenOption.READ, StandardOpenOption.WRITE);
            }
        });
    }

    @Override
    public void rename(String from, String to) throws IOException {
        below(
                from,
                (source, old) -> below(to, (target, name) -> {
                    source.move(old, target, name);
                    return name;
                }));
    }

    @Override
    public void delete(String name) throws IOException {
        below(name, (directory, file) -> {
            delete(directory, file);
            return file;
        });
    }

    private static void delete(SecureDirectoryStream<Path> directory, Path name) throws IOException {
        try {
            directory.deleteFile(name);
        } catch (NoSuchFileException none) {
            // the usual case
        }
    }

    @Override
    public void makeDirectory(String name) throws IOException {
        Path path = Path.of(name);
        if (path.getParent() != null) {
            makeDirectory(path.getParent().toString());
        }
        below(name, (directory, last) -> {
            if (attributes(directory, last) == null) {
                // Java has no mkdirat(2), so the directory is created by its path. The next steps work on the entry of
                // the open directory.
                create(root.resolve(name));
                own(directory, last, DIRECTORY);
            }
            enter(directory, last).close();
            return last;
        });
    }

    private static void create(Path directory) throws IOException {
        try {
            Files.createDirectory(directory, PosixFilePermissions.asFileAttribute(DIRECTORY));
        } catch (FileAlreadyExistsException meanwhile) {
            // also fine: the file is gone
        }
    }

    @Override
    public void forceDirectory(String name) throws IOException {
        below(Path.of(name).resolve(LOCAL).toString(), (directory, local) -> {
            try (FileChannel open = (FileChannel) directory.newByteChannel(local, Set.of(StandardOpenOption.READ))) {
                open.force(true);
            }
            return local;
        });
    }

    private static void force(Path directory) throws IOException {
        try (FileChannel open = FileChannel.open(directory, StandardOpenOption.READ)) {
            open.force(true);
        }
    }

    @Override
    public Lock lock(String name, Instant since) throws IOException {
        LockFile lock = lock(name, "state directory " + root, since);
        held = lock;
        return new Lock() {
            @Override
            public void check() throws IOException {
                if (!lock.linked()) {
                    throw isOurs() ? unlocked(lock) : replaced();
                }
            }

            @Override
            public void close() throws IOException {
                held = null;
                lock.close();
            }
        };
    }

    /** @param what what the file protects, for the error message of the next process that tries */
    public LockFile lock(String name, String what, Instant since) throws IOException {
        return LockFile.take(root.resolve(name), what, since, () -> openOrCreate(name));
    }

    @Override
    public Closeable share(String name) throws IOException {
        return SharedLock.share(
                root.resolve(name),
                () -> below(name, (directory, file) -> open(directory, file, StandardOpenOption.READ)));
    }

    @Override
    public @Nullable Closeable alone(String name) throws IOException {
        return SharedLock.alone(root.resolve(name), () -> openOrCreate(name));
    }
}
