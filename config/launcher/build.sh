# Builds Muster in its source tree; muster reads this file there.
# shellcheck shell=sh
# shellcheck disable=SC2154 # muster sets the variables: home, main, lib; archives.sh sets real

require_jdk() {
    require_java_17
    [ -x "${real%/java}/javac" ] || fail "building needs a JDK, and there is no javac beside $real (Debian: openjdk-17-jdk-headless)"
}

# Only serve looks at every source file; the other verbs only notice a missing jar.
build_if_needed() {
    needs_build "$1" || return 0
    if [ "${MUSTER_BUILD:-}" = no ]; then # set by completion scripts, which must neither wait for a build nor disturb one
        built || fail "Muster is not built, and MUSTER_BUILD is \"no\""
        return 0
    fi
    require_jdk
    command -v mvn >/dev/null || fail "building needs Maven: there is no mvn on PATH (Debian: maven)"
    mkdir -p "$main" || fail "cannot write to $main"
    # Commands that are started at the same time build once: the others wait for the first one.
    # In a subshell first: if exec cannot open a file, it ends the shell.
    (: >"$main/build.lock") 2>/dev/null || fail "cannot write to $main"
    exec 9>"$main/build.lock"
    ! command -v flock >/dev/null || flock 9
    ! needs_build "$1" || build
    exec 9>&-
}

# Sets $reason.
needs_build() {
    if built; then
        reason="the sources are newer than the build"
        [ "$1" = serve ] && changed
    else
        reason="first use"
    fi
}

build() {
    note "building in $home ($reason); this takes two minutes"
    rm -rf "$lib" "$main"/muster-daemon-[0-9]*[0-9].jar # Maven would keep the jar of an earlier version
    if ! (cd "$home" && JAVA_HOME=${real%/bin/java} mvn -q -B -Dmaven.test.skip -Pquick -pl daemon -am package) >"$main/build.log" 2>&1; then
        cat "$main/build.log" >&2
        fail "the build failed"
    fi
    : >"$main/built"
}

built() {
    [ -f "$lib/client.classpath" ] || return 1
    for jar in "$main"/muster-daemon-[0-9]*[0-9].jar; do
        [ -f "$jar" ] && return 0
    done
    return 1
}

changed() {
    # shellcheck disable=SC3013 # every shell in use as sh has -nt
    [ "$main/built" -nt "$jar" ] && jar=$main/built
    [ -w "$main" ] && [ -n "$(cd "$home" && find pom.xml inventory/pom.xml inventory/src/main protocol/pom.xml protocol/src/main \
        daemon/pom.xml daemon/src/main -newer "$jar" -type f -print -quit 2>/dev/null)" ]
}

# Adds the measurements of `muster bench` to $class_path, and compiles them if they or the daemon have changed since.
add_measurements() {
    for word; do
        case $word in
            -h | --help) return 0 ;; # the help needs no measurements
        esac
    done
    sources=$home/it-tests/src/test/java/io/muster/measure
    services=$home/it-tests/src/test/resources/META-INF
    classes=$home/it-tests/target/measure
    if [ ! -e "$classes/built" ] ||
        [ -n "$(find "$sources" "$services" "$main"/muster-daemon-[0-9]*[0-9].jar -newer "$classes/built" -type f -print -quit)" ]; then
        require_jdk
        note "compiling the measurements in $classes"
        rm -rf "$classes"
        { mkdir -p "$classes" && cp -R "$services" "$classes"; } || fail "cannot write to $classes"
        find "$sources" -name '*.java' ! -name '*Test.java' -exec "${real%/java}/javac" -nowarn -proc:none -encoding UTF-8 \
            --release 17 -d "$classes" -cp "$class_path" {} + >&2 || fail "the measurements cannot be compiled"
        : >"$classes/built"
    fi
    class_path=$class_path:$classes
    launcher=$home/muster # bench starts the daemons that it measures with this launcher
}
