# Class-data archives, which halve the start-up time; muster reads this file. From Java 25 on, that of the daemon is a cache with the
# profile of a daemon that has made changes, so that the compiler need not wait for one. They are made on first use and found by a name
# that covers the Java binary and every jar (path, inode, mtime, size): the JVM ignores an archive that does not match, silently. An archive
# that another user could have written is not used. Without archives, all commands work, but start more slowly.
# shellcheck shell=sh
# shellcheck disable=SC2154 # muster sets the variables: java, key, class_path, shared_cache and the options

# Sets $release to the feature version of Java. Called only if no archive was made with this Java, because starting a JVM costs too much.
require_java_17() {
    release=
    real=$(readlink -f -- "$java")
    if [ -r "${real%/bin/java}/release" ]; then
        while IFS='="' read -r name _ value _; do
            if [ "$name" = JAVA_VERSION ]; then
                release=$value
            fi
        done <"${real%/bin/java}/release"
    fi
    if [ -z "$release" ]; then
        release=$("$java" -version 2>&1 | sed -n 's/.* version "\([^"]*\)".*/\1/p')
    fi
    full=$release
    release=${release#1.}
    release=${release%%[!0-9]*}
    [ "${release:-0}" -ge 17 ] || fail "$java is Java ${full:-of an unknown version}: 17 or newer is needed (install it, or set JAVA_HOME)"
}

# Succeeds if only root and this user can have created files in directory $1, or changed file $2 in it: the JVM executes the code in an
# archive. The directories above are checked as well. A group with the number of a user is taken for the private group of this user.
trusted() {
    path=$(cd -- "$1" 2>/dev/null && pwd -P) || return 1
    file=${2:+$path/$2}
    set -- "$path"
    while [ -n "$path" ]; do
        path=${path%/*}
        set -- "$@" "$path/"
    done
    stat -L -c '%u %g %a' -- /proc/self ${file:+"$file"} "$@" 2>/dev/null | {
        read -r me _ # the owner of /proc/self is the user who runs this command
        while read -r owner group mode; do
            case $owner in
                0 | "$me") ;;
                *) exit 1 ;;
            esac
            case $mode in
                1???) ;; # a sticky directory, as /tmp
                *[2367]) exit 1 ;;
                *[2367]?) [ "$group" = "$owner" ] || exit 1 ;;
            esac
        done
    }
}

# Sets $user_cache to the directory for archives of this user. For root, it is below the home of root's account, whatever HOME and
# XDG_CACHE_HOME are: below the home of another user, root would write where that user's links lead.
set_user_cache() {
    user_cache=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}/muster
    # shellcheck disable=SC3067 # every shell in use as sh has -O
    if [ -O / ]; then
        user_cache=~root/.cache/muster
    fi
    case $user_cache in
        /muster | [!/]*) user_cache= ;;
    esac
}

# Sets $archive to the option of the JVM with the file for $1 (client or daemon) if there is one, and adds to $options.
find_archive() {
    archive=
    [ "${MUSTER_CACHE:-}" != off ] || return 0
    set_user_cache
    for cache in "${MUSTER_CACHE:-}" "$shared_cache" "$user_cache"; do
        [ -n "$cache" ] || continue
        if [ -r "$cache/$1-$key.aot" ] && trusted "$cache" "$1-$key.aot"; then
            archive=-XX:AOTCache=$cache/$1-$key.aot
            options="$options -Xlog:aot=off:stderr"
            return 0
        fi
        if [ -r "$cache/$1-$key.jsa" ] && trusted "$cache" "$1-$key.jsa"; then
            archive=-XX:SharedArchiveFile=$cache/$1-$key.jsa
            return 0
        fi
    done
}

# Sets $cache to the first directory that no other user can write to, and in which making archives has not failed already.
choose_cache() {
    set_user_cache
    for cache in "${MUSTER_CACHE:-}" "$shared_cache" "$user_cache"; do
        case $cache in
            '') continue ;;
            /var/cache/muster) [ -d "$cache" ] || continue ;; # only the package creates it
        esac
        if (umask 022 && mkdir -p -- "$cache") 2>/dev/null && [ -w "$cache" ] && trusted "$cache"; then
            # Archives may have failed because the machine was busy: this user's next command after a day tries again.
            find "$cache" -maxdepth 1 -name 'failed-*' -mmin +1440 -exec rm -f {} + 2>/dev/null
            [ ! -e "$cache/failed-$key" ]
            return
        fi
    done
    return 1
}

# Makes both archives, in a directory of their own and renamed into place. Other commands that start meanwhile run without archives. The
# training and its commands run in the background: a shell handles a signal while it waits, but not before a command in the foreground has
# ended.
make_archives() {
    [ "${MUSTER_CACHE:-}" != off ] && choose_cache || return 0
    find "$cache" -maxdepth 1 -name lock -mmin +10 -exec rmdir {} + 2>/dev/null
    find "$cache" -maxdepth 1 \( -name '*.jsa.*' -o -name '*.aot.*' \) -mmin +10 -exec rm -f {} + 2>/dev/null
    require_java_17
    marker=$cache/failed-$key
    work=${TMPDIR:-/tmp}
    trusted "$work" || work=/tmp # in a directory of another user, that user could replace the files
    work=$(mktemp -d "$work/muster.XXXXXX") || return 0
    trap '' INT TERM HUP
    if mkdir "$cache/lock" 2>/dev/null; then
        trap 'abandon INT' INT
        trap 'abandon TERM' TERM
        trap 'abandon HUP' HUP
        note "preparing faster starts in $cache (once, a few seconds)"
        (umask 022 && train) >"$work/log" 2>&1 &
        if ! wait $!; then
            cp "$work/log" "$marker" 2>/dev/null
        fi
        # shellcheck disable=SC2012 # the names are our own, and find cannot sort by time
        ls -t "$cache"/*.jsa "$cache"/*.aot 2>/dev/null | tail -n +9 | while read -r old; do rm -f "$old"; done
        rmdir "$cache/lock"
    fi
    rm -rf "$work"
    trap - INT TERM HUP
}

# Ends the training, removes unfinished files, and ends as signal $1 would have ended this shell.
abandon() {
    trap '' INT TERM HUP
    kill ${!:-} 2>/dev/null
    wait
    rm -rf "$work" "$cache"/*.jsa.$$ "$cache"/*.aot.$$
    rmdir "$cache/lock" 2>/dev/null
    trap - "$1"
    kill -"$1" $$
}

# Kills what the training started: its data are not needed afterwards. Two signals can arrive at once, for example a HUP for the whole
# process group and the TERM of abandon. The second one interrupts the handler of the first, so each handler does all of the work.
end_training() {
    # shellcheck disable=SC2086 # empty if nothing runs
    kill -KILL $daemon ${!:-} 2>/dev/null
    wait
}

# Trains, in a subshell in the background: runs a separate daemon, on a private socket and a private state directory, and the common verbs
# with this daemon.
train() {
    daemon=''
    trap end_training EXIT
    trap 'end_training; exit 1' TERM HUP
    unset MUSTER_URI FLUX_URI MUSTER_JAVA_OPTS NOTIFY_SOCKET
    printf '[[resource.config]]\nhosts = "a[0-63]"\ncores = "0-3"\n[muster]\nsocket = "%s"\nstate-dir = "%s"\nmetrics = "127.0.0.1:0"\n' \
        "$work/sock" "$work/state" >"$work/muster.toml"
    client_class_path
    clients=$class_path
    client_archive=$cache/client-$key.jsa
    daemon_class_path
    profile=
    [ "$release" -lt 25 ] || profile="-XX:AOTMode=record -XX:AOTConfiguration=$work/profile"
    train_daemon "-XX:DumpLoadedClassList=$work/daemon.1.classes" && stop_daemon &&
        train_daemon "${profile:--XX:DumpLoadedClassList=$work/daemon.2.classes}" || return 1
    [ -z "$profile" ] || sleep 2 # the daemon makes changes by itself for a second
    train_client && stop_daemon && dump "$client_options" "$clients" "$client_archive" "$work"/client.*.classes || return 1
    if [ -n "$profile" ]; then
        archive "$daemon_options" "$class_path" "$cache/daemon-$key.aot" \
            -XX:AOTMode=create -XX:AOTConfiguration="$work/profile" -XX:AOTCache="$work/archive"
    else
        dump "$daemon_options" "$class_path" "$cache/daemon-$key.jsa" "$work"/daemon.*.classes
    fi
}

# Starts a daemon with one more option, or two.
train_daemon() {
    rm -f "$work/sock"
    # shellcheck disable=SC2086 # the options are words
    "$java" $daemon_options $1 -cp "$class_path" io.muster.cli.Muster serve -c "$work/muster.toml" &
    daemon=$!
    tries=300
    until [ -S "$work/sock" ]; do
        tries=$((tries - 1))
        kill -0 "$daemon" && [ "$tries" -gt 0 ] || return 1
        sleep 0.1
    done
}

stop_daemon() {
    kill "$daemon"
    wait "$daemon"
    daemon=
}

train_client() {
    number=0
    while read -r line; do
        number=$((number + 1))
        # shellcheck disable=SC2086 # the options and the line are words
        MUSTER_URI=local://$work/sock "$java" $client_options -XX:DumpLoadedClassList="$work/client.$number.classes" -cp "$clients" \
            io.muster.cli.Muster $line </dev/null &
        wait $!
    done <<END
drain a3 training run
status
drain
list
why a3
undrain a3
status --json
check $work/muster.toml
help
END
    return 0
}

# Makes a static archive, since a dynamic one refuses picocli's Java 5 classes on JDK 17.
dump() {
    options=$1 path=$2 target=$3
    shift 3
    # Newer JVMs number the classes of a list, differently in each list.
    cat "$@" | awk '!/^[@#]/ { sub(/ id: .*/, "") } !seen[$0]++' >"$work/classes"
    link=
    [ "$release" -lt 24 ] || link=-XX:+AOTClassLinking
    archive "$options" "$path" "$target" $link -Xshare:dump -XX:SharedClassListFile="$work/classes" -XX:SharedArchiveFile="$work/archive"
}

# Runs a JVM with the options $1 and the class path $2, which makes an archive as the words after $3 say, and gives it the name $3
# when it is complete.
archive() {
    options=$1 path=$2 target=$3
    shift 3
    # shellcheck disable=SC2086 # the options are words
    "$java" $options -XX:-UseSerialGC -XX:+UseG1GC "$@" -cp "$path" &
    wait $! && cp "$work/archive" "$target.$$" && mv -f "$target.$$" "$target"
}

# Sets $class_path and $archive for $1 (client or daemon). If there is no archive, makes it, but not under a service manager, which waits
# for READY and must not wait for archives too, nor if MUSTER_BUILD is "no". $2 is the first word of the command line: --make-cache makes
# the archive in any case.
use_archive() {
    "$1_class_path"
    find_archive "$1"
    [ -z "$archive" ] || return 0
    if [ "$2" = --make-cache ]; then
        make_archives
        return 0
    fi
    if [ -z "${NOTIFY_SOCKET:-}" ] && [ "${MUSTER_BUILD:-}" != no ]; then
        make_archives
        "$1_class_path"
        find_archive "$1"
    fi
    [ -n "$archive" ] || require_java_17
}
