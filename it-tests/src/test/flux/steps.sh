# shellcheck shell=bash
# The steps of .ci/flux, which sources this file. A function in_NAME runs inside an instance of two brokers, node0 and node1, whose
# leader has the bridge, while Muster runs. A function on_NAME starts instances by itself. Each step has a directory of its own, $dir.

STEPS=(check boot job verbs users couple verify drain kill excluded waits rival restart epilog nobody hang slow full change renamed released
    lost_broker bridge_killed clocks reload nested shutdown back restarts rate scale memory fluxion marks queues audit sharness
    transcript)

export MUSTER=${MUSTER:-$top/muster}
PATIENCE=${PATIENCE:-30} # the longest time in seconds that a step waits for one condition on a busy machine

result() { printf 'RESULT: %s\n' "$*"; }
fail() {
    printf 'WRONG: %s (line %s)\n' "$*" "${BASH_LINENO[1]}"
    exit 1
}
expect() { # WHAT WANTED FOUND
    [ "$2" = "$3" ] || fail "$1: expected \"$2\", found \"$3\""
}
eventually() { # COMMAND... succeeds in the end
    local end=$((SECONDS + PATIENCE))
    until "$@" >/dev/null 2>&1; do
        [ "$SECONDS" -lt "$end" ] || fail "not within $PATIENCE s: $*; $(timeout 5 flux resource list 2>&1)"
        sleep 0.1
    done
}

# ---- users

TO_OWNER=""
# If root runs this script, root runs Muster too, and the user OWNER owns the instances. So a right that docs/flux.md does not grant is
# missing in the steps. The functions in_NAME run as OWNER, with the capabilities to become root and to kill Muster. If another user runs
# this script, all belongs to that user, and a missing right is not seen.
if [ "$(id -u)" = 0 ]; then
    export OWNER=${OWNER:-daemon} TO_ROOT="setpriv --reuid=0 --regid=0 --clear-groups"
    TO_OWNER="setpriv --reuid=$OWNER --regid=$(id -g "$OWNER") --init-groups"
    TO_OWNER+=" --inh-caps=+kill,+setuid,+setgid --ambient-caps=+kill,+setuid,+setgid"
elif [ -z "${TO_ROOT:-}" ]; then
    export OWNER TO_ROOT=""
    OWNER=$(id -un)
fi
as_root() { # COMMAND...
    $TO_ROOT "$@"
}
as_owner() { # COMMAND...: the files of the step, which are all but Muster's, belong to OWNER too
    [ -z "$TO_OWNER" ] || find "$dir" -maxdepth 1 ! -name state ! -type s -exec chown "$OWNER" {} +
    HOME=$dir $TO_OWNER "$@"
}

# ---- Muster

muster() { as_root "$MUSTER" "$@"; }

# Writes the configuration of Muster, with the grant of docs/flux.md that has the given indentation, and of the broker.
configure() { # HOSTS [INDENTATION]
    export MUSTER_URI=$dir/sock
    cat >"$dir/muster.toml" <<END
[muster]
socket = "$dir/sock"
state-dir = "$dir/state"
metrics = "off"
initial = "offline"
$(sed -n "/^${2:-}\[\[grant]]/,/rights/p" "$top/docs/flux.md" | sed "s/\"flux\"/\"$OWNER\"/")
[[resource.config]]
hosts = "$1"
cores = "0-1"
END
    # The hosts' names are made up, so the followers must not compare them.
    printf '[muster]\nsocket = "%s"\ngrace = %s\n[resource]\nnoverify = true\n' "$dir/sock" "${GRACE:-20.0}" >"$dir/flux.toml"
}
serve() { # [PREFIX...] starts Muster and waits until it answers
    $TO_ROOT "$@" "$MUSTER" serve -c "$dir/muster.toml" >>"$dir/log" 2>&1 & # not as_root, so that $! is Muster
    printf '%s\n' $! >"$dir/pid"
    local end=$((SECONDS + PATIENCE))
    until muster status >/dev/null 2>&1; do
        kill -0 "$(pid)" && [ "$SECONDS" -lt "$end" ] || fail "Muster does not start: $(tail -n 3 "$dir/log")"
        sleep 0.1
    done
}
pid() { cat "$dir/pid"; }
kill_muster() { # [SIGNAL]
    kill "-${1:-KILL}" "$(pid)"
    eventually eval '! kill -0 "$(pid)"'
}
stop_muster() {
    [ ! -f "$dir/pid" ] || kill -KILL "$(pid)" 2>/dev/null
    true
}

# ---- an instance

instance() { # [OPTION...] -- PROGRAM...: an instance with the bridge on its leader
    local options=()
    while [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    shift
    MUSTER_BRIDGE=${MODULE:-$BRIDGE} FLUX_MODPROBE_PATH_APPEND=${BRIDGE%/*}:${FLUX_MODPROBE_PATH_APPEND:-} \
        as_owner timeout "${LIMIT:-$((4 * PATIENCE))}" flux start "-s${SIZE:-2}" \
        "--test-hosts=node[0-$((${SIZE:-2} - 1))]" --test-exit-mode=leader --test-exit-timeout=5s "--config-path=$dir/flux.toml" \
        "${options[@]}" "$@"
}
inside() { # NAME [OPTION...]: runs the function in_NAME as the initial program of an instance
    local name=$1
    shift
    instance "$@" -- "$top/.ci/flux" --inside "$name" "$dir"
}
native() { # NAME: runs the function in_NAME as the initial program of an instance with flux's own module
    printf '[resource]\nnoverify = true\n[[resource.config]]\nhosts = "node[0-1]"\ncores = "0-1"\n' >"$dir/native.toml"
    as_owner flux start -s2 '--test-hosts=node[0-1]' "--config-path=$dir/native.toml" "$top/.ci/flux" --inside "$1" "$dir"
}
run_step() {
    if declare -F "on_$1" >/dev/null; then
        "on_$1"
    else
        configure 'node[0-1]'
        serve
        inside "$1" || fail "the instance ended with status $?"
    fi
}
scheduler_has() { # STATE HOSTS: what `flux resource list` prints
    [ "$(flux resource list -n -s "$1" -o '{nodelist}')" = "$2" ]
}
muster_has() { # STATE HOSTS
    [ "$(muster status -n -s "$1" -o '{nodelist}' "$2")" = "$2" ]
}
ready() { eventually scheduler_has free 'node[0-1]'; }
runs_on() { # HOST...: jobs that require these hosts run
    local host
    for host; do
        timeout "$PATIENCE" flux run "--requires=host:$host" true || fail "no job runs on $host: $(flux resource list)"
    done
}
waits_for() { # HOST: a job that requires it is not started
    local job
    job=$(flux submit "--requires=host:$1" true) || fail "no job can be submitted"
    ! flux job wait-event --timeout=1.5 "$job" alloc >/dev/null 2>&1 || fail "a job runs on $1, which is drained"
    flux cancel "$job"
}
long_job() { # a job on all cores of node0, which must survive the step
    job=$(flux submit --requires=host:node0 -n1 sleep inf)
    flux job wait-event "--timeout=$PATIENCE" "$job" start >/dev/null || fail "the job does not start"
}
still_runs() {
    expect "the job's state" RUN "$(flux jobs -n -o '{state}' "$job")"
    flux cancel "$job"
}
unload_scheduler() { # and sets its modules, in the order of their loading
    local name
    modules=(sched-simple)
    ! flux module list | grep -q sched-fluxion-qmanager || modules=(sched-fluxion-{resource,feasibility,qmanager})
    for name in $(printf '%s\n' "${modules[@]}" | tac); do
        flux module remove "$name" || fail "remove $name"
    done
}
load_scheduler() {
    local name
    for name in "${modules[@]}"; do
        flux module load "$name" || fail "load $name"
    done
}
reload_scheduler() { # the scheduler acquires again
    unload_scheduler
    load_scheduler
}
bridge_has() { # KEY...: these states of the bridge are true
    flux python -c 'import flux, sys
state = flux.Flux().rpc("resource.bridge").get()
sys.exit(not all(state[key] for key in sys.argv[1:]))' "$@"
}
path_of() { flux module list -l | awk -v name="$1" '$1 == name { print $NF }'; }

# ---- the steps, in the order of docs/flux.md

on_check() {
    configure 'node[0-1]'
    serve
    inside check || fail "flux-check found a problem on an instance that works"
    # flux-check reports each fault: no key, Muster away, another host
    kill_muster
    sed -i 's/node\[0-1\]/node[0-2]/; s/offline/online/' "$dir/muster.toml"
    printf '[x]\n' >"$dir/flux.toml"
    local out
    out=$(as_owner flux start -s1 "$MUSTER" flux-check --flux-config "$dir/flux.toml" -c "$dir/muster.toml") && fail "flux-check finds no problem"
    printf '%s\n' "$out"
    for name in rc1.d bridge config socket hosts initial; do
        grep -q "^problem  $name" <<<"$out" || fail "flux-check does not see the problem of $name"
    done
    out+=$'\n'$(FLUX_URI=local://$dir/nothing as_owner "$MUSTER" flux-check --flux-config "$dir/nothing" -c "$dir/muster.toml")
    expect "checks that find a version of flux-core" 2 "$(grep -c '^ok       flux ' <<<"$out")"
    ! grep -E 'Traceback|Error|Errno' <<<"$out" || fail "flux-check prints an exception of Python"
}
in_check() {
    ready
    "$MUSTER" flux-check --flux-config "$dir/flux.toml" -c "$dir/muster.toml"
}

# Other users of the instance: root, who may change things in Muster, and one whom no grant names.
on_users() {
    if [ -z "$TO_ROOT" ]; then
        result "skipped: only root can be several users"
        return
    fi
    configure 'node[0-1]'
    printf '[access]\nallow-guest-user = true\n' >>"$dir/flux.toml"
    serve
    inside users || fail "status $?"
}
in_users() {
    ready
    eventually bridge_has joined speaks following acquired reported
    as_root flux resource drain node1 fan || fail "root may not drain"
    eventually muster_has drain node1
    muster why node1 | grep -q "fan by root.* through $OWNER" || fail "$(muster why node1)"
    local socket=${FLUX_URI#local://}
    chmod o+x "${socket%/*}" || fail "chmod" # as for the socket of the system's instance
    ! ${TO_ROOT//=0/=65534} flux resource undrain node1 2>"$dir/err" || fail "a user without a grant may undrain"
    grep -q "for whom $OWNER sends this request, has no right to it" "$dir/err" || fail "$(cat "$dir/err")"
}

# muster-flux beside flux's own module, with the grant of docs/flux.md for it.
on_couple() {
    configure 'node[0-1]' '   '
    serve
    native couple || fail "status $?"
}
in_couple() {
    ready
    "$MUSTER" flux-check -c "$dir/muster.toml" feed || fail "flux-check finds a problem"
    flux python "$top/flux/muster-flux" feed &
    local coupler=$!
    muster drain node1 fan
    eventually eval 'flux resource drain | grep -q "muster(admin): fan"'
    flux resource drain node0 dimm || fail "drain"
    eventually muster_has drain node0
    kill $coupler
}

in_boot() {
    ready
    expect "the leader's module" "$BRIDGE" "$(path_of resource)"
    [[ $(flux exec -r 1 flux module list -l | awk '$1 == "resource" { print $NF }') = *.so ]] || fail "node1 does not run flux's module"
    expect "R in the KVS" 'node[0-1]' "$(flux kvs get resource.R | flux R decode --nodelist)"
    muster_has avail 'node[0-1]' || fail "Muster: $(muster status)"
}

in_job() {
    ready
    expect "ranks of the tasks" "0 1" "$(flux run -N2 flux getattr rank | sort | paste -sd' ')"
    expect "an affine task's cores" 1 "$(flux run -n1 -c1 -o cpu-affinity=per-task nproc)"
    flux submit --quiet --cc=1-20 --wait true || fail "jobs failed"
    ! timeout "$PATIENCE" flux run -N3 true 2>"$dir/err" || fail "a job of three nodes ran on two"
    grep -q unsatisfiable "$dir/err" || fail "$(cat "$dir/err")"
}

# The commands that users of an instance run.
in_verbs() {
    ready
    flux resource info | grep -q '2 Nodes, 4 Cores' || fail "info: $(flux resource info)"
    flux resource R | flux R decode --nodelist | grep -qx 'node\[0-1\]' || fail "R"
    flux resource status | grep -q 'avail .*node\[0-1\]' || fail "status: $(flux resource status)"
    flux resource drain node1 a b || fail "drain"
    flux resource drain | grep -q 'drained.* a b .*node1' || fail "drain list: $(flux resource drain)"
    flux resource eventlog | grep -q 'drain.*a b' || fail "eventlog"
    flux kvs eventlog get resource.eventlog | grep -q 'drain.*a b' || fail "eventlog in the KVS"
    flux resource undrain node1 || fail "undrain"
    flux resource acquire-mute || fail "acquire-mute"
    reload_scheduler
    flux python -c 'import flux; flux.Flux().rpc("resource.monitor-waitup", {"up": 2}).get()' || fail "monitor-waitup"
    flux python -c 'import flux; assert flux.Flux().rpc("resource.topo-get").get_str().startswith("<?xml")' || fail "topo-get"
    flux top --test-exit </dev/null >/dev/null 2>"$dir/top" || ! grep -q resource "$dir/top" || fail "top: $(cat "$dir/top")"
    flux module stats resource >/dev/null || fail "module stats"
    flux jobs -a >/dev/null || fail "jobs"
    runs_on node0 node1
}

# The followers' own modules compare what they find with R, and drain a node that lacks something.
on_verify() {
    configure 'node[0-1]'
    sed -i /noverify/d "$dir/flux.toml"
    serve
    inside verify || fail "status $?"
}
in_verify() {
    eventually muster_has drain node1
    muster why node1 | grep -q "expected 'node1'" || fail "$(muster why node1)"
    waits_for node1
}

in_drain() {
    ready
    flux resource drain node1 bad dimm || fail "drain by flux"
    eventually muster_has drain node1
    muster why node1 | grep -q 'bad dimm' || fail "Muster has no reason: $(muster why node1)"
    waits_for node1
    flux resource undrain node1 || fail "undrain by flux"
    runs_on node1
    muster drain node0 fan
    scheduler_has down node0 || fail "the scheduler has not heard of a drain that was answered: $(flux resource list)"
    flux resource drain | grep -q fan || fail "drain: $(flux resource drain)"
    waits_for node0
    ! flux resource drain node0 again 2>"$dir/err" || fail "a second drain was accepted"
    grep -q 'already drained' "$dir/err" || fail "$(cat "$dir/err")"
    muster undrain node0
    runs_on node0
    flux resource drain node0 both
    muster undrain node0 || fail "Muster does not end a drain of flux"
    runs_on node0
    muster exclude node1
    waits_for node1
    flux resource status -s exclude | grep -q node1 || fail "status: $(flux resource status)"
    muster include node1
    runs_on node1
}

# kill -9 of Muster, a drain by flux meanwhile, restart.
in_kill() {
    ready
    long_job
    kill_muster
    runs_on node1
    timeout 5 flux resource drain node1 epilog failed || fail "the drain was not answered within 5 s"
    waits_for node1
    flux resource list >/dev/null && flux resource drain | grep -q "epilog failed" || fail "without Muster: $(flux resource drain)"
    serve
    eventually muster_has drain node1
    muster why node1 | grep -q 'epilog failed' || fail "the reason is lost"
    waits_for node1
    flux resource undrain node1
    runs_on node1
    still_runs
}

# A host is excluded when Muster starts again, and another one when the scheduler is loaded.
in_excluded() {
    ready
    muster exclude node1
    eventually scheduler_has free node0
    kill_muster
    serve
    eventually bridge_has joined following acquired
    muster include node1
    runs_on node1
    ! flux dmesg | grep "R changed" || fail "the bridge takes an exclusion for a change of R"
    muster exclude node1
    reload_scheduler
    eventually scheduler_has free node0
    muster include node1 2>"$dir/err"
    grep -q 'does not know node1 until it acquires again' "$dir/err" || fail "$(cat "$dir/err")"
    muster status 2>&1 | grep -q 'does not know node1' || fail "$(muster status 2>&1)"
    ! timeout 2 flux run --requires=host:node1 true 2>"$dir/err" || fail "the scheduler knows node1"
    reload_scheduler
    ready
    ! muster status 2>&1 | grep 'does not know' || fail "the scheduler has acquired again"
}

# Requests that need Muster wait for it, and fail with a sentence after the grace.
on_waits() {
    GRACE=60.0 configure 'node[0-1]'
    serve
    inside waits || fail "status $?"
    GRACE=3.0 configure 'node[0-1]'
    inside refuses || fail "status $?"
}
in_waits() {
    ready
    flux resource drain node1 x
    kill_muster
    flux resource undrain node1 &
    local waiting=$!
    serve
    wait $waiting || fail "an undrain did not wait for Muster"
    runs_on node1
}
in_refuses() {
    ready
    flux resource drain node1 x
    kill_muster
    ! flux resource undrain node1 2>"$dir/err" || fail "an undrain succeeded without Muster"
    grep -qi muster "$dir/err" || fail "the refusal does not name Muster: $(cat "$dir/err")"
    waits_for node1
}

# Another scheduler tries to acquire while the connection is lost.
in_rival() {
    ready
    long_job
    kill_muster
    (until timeout 30 "$MUSTER" acquire --timeout=5 >>"$dir/rival" 2>&1; do :; done) &
    local rival=$!
    serve
    sleep 3
    kill $rival
    grep -q '^{"resources"' "$dir/rival" && fail "somebody else acquired: $(tail -n 3 "$dir/rival")"
    muster drain node1 bad dimm
    eventually scheduler_has down node1
    waits_for node1
    still_runs
}

# The instance is restarted, and Muster is not.
on_restart() {
    configure 'node[0-1]'
    serve
    inside restart_1 "-Sstatedir=$dir" || fail "the first run ended with $?"
    muster why node0 | grep -qi unknown || fail "the hosts are not unknown: $(muster why node0)"
    muster drain node0 meanwhile
    inside restart_2 "-Sstatedir=$dir" || fail "the second run ended with $?"
}
in_restart_1() {
    ready
    flux resource drain node1 before || fail "drain"
    eventually muster_has drain node1
}
in_restart_2() {
    eventually scheduler_has down 'node[0-1]'
    flux resource drain | grep -q meanwhile || fail "the instance has not heard of a drain: $(flux resource drain)"
    waits_for node0
    waits_for node1
    muster undrain node0
    flux resource undrain node1
    runs_on node0 node1
}

# An epilog drains while Muster is away for longer than the grace, and the broker restarts meanwhile.
on_epilog() {
    GRACE=2.0 configure 'node[0-1]'
    serve
    inside epilog_1 "-Sstatedir=$dir" || fail "the first run ended with $?"
    inside epilog_2 "-Sstatedir=$dir" || fail "the second run ended with $?"
}
in_epilog_1() {
    ready
    kill_muster
    flux resource drain node1 epilog failed || fail "the drain was refused"
    sleep 4
    waits_for node1
}
in_epilog_2() {
    eventually scheduler_has free node0
    runs_on node0
    waits_for node1
    serve
    eventually muster_has drain node1
    muster why node1 | grep -q 'epilog failed' || fail "the reason is lost"
    waits_for node1
    flux resource undrain node1
    runs_on node1
}

# Muster was never started, so the instance has no R to start with.
on_nobody() {
    configure 'node[0-1]'
    ! instance -- true >"$dir/out" 2>&1 || fail "an instance started without R"
    cat "$dir/out"
    grep -qi 'muster' "$dir/out" || fail "the refusal does not name Muster"
}

# Muster does not answer, with its socket open.
in_hang() {
    ready
    long_job
    kill -STOP "$(pid)"
    timeout 10 flux resource drain node1 bad fan || fail "no answer to a drain within 10 s"
    waits_for node1
    timeout 10 flux resource list >/dev/null || fail "flux resource list hangs"
    timeout 15 flux resource status >/dev/null || fail "flux resource status hangs"
    runs_on node0
    kill -CONT "$(pid)"
    eventually muster_has drain node1
    still_runs
}

# Muster does not answer for nine tenths of the time.
in_slow() {
    ready
    long_job
    (while sleep 0.05 && kill -STOP "$(pid)"; do sleep 0.45; kill -CONT "$(pid)"; done) 2>/dev/null &
    local brake=$!
    for _ in 1 2 3; do
        timeout "$PATIENCE" flux resource drain node1 slow || fail "drain"
        waits_for node1
        timeout "$PATIENCE" flux resource undrain node1 || fail "undrain"
        runs_on node1
    done
    kill $brake
    kill -CONT "$(pid)"
    still_runs
}

# Muster cannot write to its disk.
in_full() {
    ready
    long_job
    as_root prlimit --pid "$(pid)" --fsize=1:unlimited
    ! muster drain node0 x 2>"$dir/err" || fail "Muster accepted a change that it cannot write"
    cat "$dir/err"
    timeout "$PATIENCE" flux resource drain node1 epilog failed
    waits_for node1
    runs_on node0
    as_root prlimit --pid "$(pid)" --fsize=unlimited:unlimited
    eventually muster_has drain node1
    flux resource undrain node1
    runs_on node1
    still_runs
}

# R changes while a scheduler holds it.
in_change() {
    ready
    printf 'properties = ["new"]\n' >>"$dir/muster.toml"
    kill -HUP "$(pid)"
    eventually eval 'flux resource list -n -o "{properties}" | grep -q new'
    long_job
    sed -i 's/node\[0-1\]/node0/' "$dir/muster.toml"
    kill -HUP "$(pid)"
    eventually eval 'muster status 2>&1 | grep -q "acquired an older R"'
    runs_on node1
    still_runs
    reload_scheduler
    eventually scheduler_has free node0
    ! timeout "$PATIENCE" flux run --requires=host:node1 true 2>"$dir/err" || fail "a job runs on a host that R does not have"
    eventually muster_has avail node0
}

# Rank 1 of the new R is another host, for which there is no broker. The scheduler keeps the hosts that it acquired until it is loaded again.
in_renamed() {
    ready
    long_job
    kill_muster
    sed -i 's/node\[0-1\]/node[0,7]/' "$dir/muster.toml"
    serve
    eventually eval 'muster status 2>&1 | grep -q "acquired an older R"'
    runs_on node1
    runs_on node0
    still_runs
    reload_scheduler
    eventually scheduler_has free node0
    scheduler_has down node7 || fail "$(flux resource list)"
}

# The acquisition is released by hand, so that a new R is in force although the scheduler has an older one.
in_released() {
    ready
    sed -i 's/node\[0-1\]/node[0,7]/' "$dir/muster.toml"
    kill -HUP "$(pid)"
    eventually eval 'muster status 2>&1 | grep -q "acquired an older R"'
    muster acquire release || fail "acquire release"
    eventually eval 'flux dmesg | grep -q "node1 stay down until it is loaded again"' # the bridge acquires again after a second
    waits_for node1
    runs_on node0
    reload_scheduler
    eventually scheduler_has free node0
    scheduler_has down node7 || fail "$(flux resource list)"
}

# A follower ends, and the leader reports that its host is offline.
on_lost_broker() {
    configure 'node[0-2]'
    serve
    SIZE=3 inside lost_broker -Stbon.topo=kary:0 || fail "status $?"
}
in_lost_broker() {
    eventually scheduler_has free 'node[0-2]'
    kill -KILL "$(flux exec -r 2 flux getattr broker.pid)"
    eventually scheduler_has down node2
    eventually muster_has offline node2
    muster why node2
    kill_muster
    kill -KILL "$(flux exec -r 1 flux getattr broker.pid)"
    eventually scheduler_has down 'node[1-2]'
    serve
    eventually muster_has offline 'node[1-2]'
    runs_on node0
}

# The end of the bridge ends the instance, with a message.
on_bridge_killed() {
    configure 'node[0-1]'
    serve
    inside bridge_killed >"$dir/out" 2>&1 && fail "the instance ended with 0"
    result "$(grep -o 'broker.crit.*' "$dir/out" | head -n 1)"
    grep -q '^still here' "$dir/out" && fail "the instance goes on without its resource module"
    grep -qi 'resource' "$dir/out" || fail "nobody says why: $(cat "$dir/out")"
    eventually eval 'muster why node0 | grep -qi unknown'
}
in_bridge_killed() {
    ready
    pkill -KILL -P "$(flux getattr broker.pid)" -f "module-python-exec.*$BRIDGE" || fail "no process of the bridge"
    sleep 10
    echo "still here"
}

# The clock of the brokers is two minutes ahead of Muster's, then two minutes behind.
on_clocks() {
    if ! type -P faketime >/dev/null; then
        result "skipped: there is no command faketime"
        return
    fi
    configure 'node[0-1]'
    serve
    local shift
    for shift in +120s -120s; do
        FAKETIME_DONT_FAKE_MONOTONIC=1 faketime -f "$shift" "$top/.ci/flux" --instance clocks "$dir" || fail "$shift: status $?"
    done
}
in_clocks() {
    unset LD_PRELOAD # a JVM does not run with the library of faketime
    ready
    long_job
    flux resource drain node1 apart || fail "drain"
    eventually muster_has drain node1
    waits_for node1
    kill_muster
    flux resource drain node0 meanwhile || fail "drain while Muster is away"
    serve
    eventually muster_has drain node0
    muster_has drain node1 || fail "$(muster status)"
    muster drain -o '{nodelist} {timestamp}'
    flux resource undrain 'node[0-1]' || fail "undrain"
    runs_on node1
    still_runs
}

in_reload() {
    ready
    flux resource drain node1 x
    reload_scheduler
    eventually scheduler_has free node0
    waits_for node1
    unload_scheduler
    flux module remove resource || fail "remove the bridge"
    flux module load --name=resource "$BRIDGE" || fail "load the bridge again"
    load_scheduler
    eventually scheduler_has free node0
    expect "the leader's module" "$BRIDGE" "$(path_of resource)"
    waits_for node1
    flux resource undrain node1
    runs_on node1
}

in_nested() {
    ready
    [[ $(flux alloc -N2 flux module list -l | awk '$1 == "resource" { print $NF }') = *.so ]] || fail "a nested instance has the bridge"
    expect "jobs in a nested instance" 2 "$(flux alloc -N2 flux run -N2 flux getattr rank | wc -l)"
    eventually muster_has avail 'node[0-1]' # and not allocated any more
}

on_shutdown() {
    configure 'node[0-1]'
    serve
    inside shutdown || [ $? = 129 ] || fail "status $?" # 129: SIGHUP ended the initial program
    grep -qi ' ERROR ' "$dir/log" && fail "Muster: $(grep ' ERROR ' "$dir/log")"
    muster why node0 | grep -qi unknown || fail "the hosts are not unknown: $(muster why node0)"
}
in_shutdown() {
    ready
    flux shutdown --quiet --background
    sleep 60
    fail "the instance goes on"
}

# Back to flux's own module, with the same R, and forth again.
on_back() {
    configure 'node[0-1]'
    serve
    inside back_1 "-Sstatedir=$dir" || fail "with the bridge: status $?"
    mv "$dir/flux.toml" "$dir/with-muster.toml"
    printf '[resource]\nnoverify = true\n' >"$dir/flux.toml"
    inside back_2 "-Sstatedir=$dir" || fail "with flux's module: status $?"
    mv "$dir/with-muster.toml" "$dir/flux.toml"
    inside back_3 "-Sstatedir=$dir" || fail "with the bridge again: status $?"
}
in_back_1() {
    ready
    flux resource drain node1 before
    runs_on node0
}
in_back_2() {
    eventually scheduler_has free node0
    [[ $(path_of resource) = *.so ]] || fail "$(path_of resource)"
    flux resource drain | grep -q before || fail "flux's module has lost the drain: $(flux resource drain)"
    runs_on node0
    waits_for node1
}
in_back_3() {
    eventually scheduler_has free node0
    flux resource undrain node1
    runs_on node0 node1
}

# Muster is killed and started again, many times, under running and ending jobs.
on_restarts() {
    configure 'node[0-1]'
    serve
    LIMIT=$((PATIENCE * ${RESTARTS:-100})) inside restarts || fail "status $?"
}
in_restarts() {
    ready
    long_job
    local i all=()
    for ((i = 1; i <= ${RESTARTS:-100}; i++)); do
        all+=("$(flux submit --requires=host:node0 sleep 0.1)")
        kill_muster
        if ((i % 2)); then
            flux resource drain node1 "number $i" || fail "drain $i"
        fi
        serve
        if ((i % 2)); then
            eventually eval "muster why node1 | grep -q 'number $i'"
            ((i % 10 != 1)) || waits_for node1
        else
            flux resource undrain node1 || fail "undrain $i"
            ((i % 10 != 0)) || runs_on node1
        fi
    done
    for i in "${all[@]}"; do
        timeout "$PATIENCE" flux job status "$i" || fail "job $i was lost"
    done
    still_runs
    result "${RESTARTS:-100} restarts, $((${#all[@]} + 1)) jobs, none lost"
}

# Jobs each second of sched-simple, with the bridge and with flux's module, in turn.
on_rate() {
    configure 'node[0-1]'
    serve
    local turn
    for turn in 1 2 3; do
        inside rate >"$dir/rate-bridge-$turn" || fail "status $?"
        native rate >"$dir/rate-native-$turn" || fail "native: status $?"
    done
    result "jobs/s with the bridge $(cat "$dir"/rate-bridge-? | paste -sd' '), native $(cat "$dir"/rate-native-? | paste -sd' ')"
    sort -n "$dir"/rate-bridge-? | tail -n 1 | awk -v native="$(sort -n "$dir"/rate-native-? | tail -n 1)" '{ exit $1 < 0.95 * native }' ||
        fail "the bridge is slower"
}
in_rate() {
    ready
    flux submit --quiet --cc=1-20 --wait true || fail "jobs"
    local begun=$EPOCHREALTIME
    flux submit --quiet "--cc=1-${JOBS:-200}" --wait true || fail "jobs"
    awk -v begun="$begun" -v ended="$EPOCHREALTIME" -v jobs="${JOBS:-200}" 'BEGIN { printf "%.1f\n", jobs / (ended - begun) }'
}

# The time until the scheduler receives a drain, and the time of `flux resource status`, at 16,384 ranks without real hosts.
on_scale() {
    FLUX=$(type -P flux) "$top/it-tests/src/test/flux/peer.py" --peers flux-core,bridge --only steady,command --ranks 16384 --warm 100 \
        >"$dir/table" || fail "peer.py"
    cat "$dir/table"
    # The command's own work is 99 % of its time and the same for both, so it may be slower by chance.
    awk -F'|' '/told|status/ { sub(/, .*/, "", $3); sub(/, .*/, "", $4); most = $3 * ($2 ~ /^ flux/ ? 1.1 : 1)
        printf "RESULT: %s native %s ms, bridge %s ms\n", $2, $3, $4; if (!($4 + 0 > 0 && $4 + 0 < most)) slow = 1; rows++ }
        END { exit slow || rows != 3 }' "$dir/table" || fail "the bridge is slower"
}

# Memory of the bridge beside the bytes of R, which has a graph for Fluxion, and how long its callbacks take.
on_memory() {
    configure 'node[0-1]'
    "$top/it-tests/src/test/flux/graph.py" "${GRAPH_NODES:-4000}" >"$dir/R.json"
    R_from_file
    export TURNS=$dir/turns
    serve
    MODULE=$top/it-tests/src/test/flux/timed.py LIMIT=600 inside memory || fail "status $?"
}
in_memory() {
    eventually scheduler_has free 'node[0-1]'
    reload_scheduler
    eventually scheduler_has free 'node[0-1]'
    kill_muster
    serve
    flux resource drain node1 x || fail "drain"
    eventually muster_has drain node1
    expect "the hosts of R" "${GRAPH_NODES:-4000}" "$(flux resource R | flux R decode --count=node)"
    sleep 3 # the bridge reads R again
    local module bytes
    module=$(pgrep -P "$(flux getattr broker.pid)" -f "module-python-exec.*timed.py") || fail "no process of the bridge"
    bytes=$(stat -c %s "$dir/R.json")
    awk -v bytes="$bytes" -v turn="$(tail -n 1 "$TURNS")" '/^Vm(RSS|HWM)/ { kb[$1] = $2 }
        END { beyond = kb["VmRSS:"] / 1024 - bytes / 1048576
        printf "RESULT: R has %.0f MB, the module %.0f MB (at most %.0f MB), its longest turn took %s ms\n", bytes / 1048576,
            kb["VmRSS:"] / 1024, kb["VmHWM:"] / 1024, turn
        exit beyond > 60 || turn > 50 }' "/proc/$module/status" || fail "more than 60 MB beyond the bytes of R, or than 50 ms"
}

use_fluxion() { # where FLUXION names it
    if [ -n "${FLUXION:-}" ]; then # installed elsewhere than flux-core
        export FLUX_MODULE_PATH_PREPEND=$FLUXION/lib/flux/modules FLUX_EXEC_PATH_PREPEND=$FLUXION/libexec/flux/cmd
        FLUX_PYTHONPATH_PREPEND=$(dirname "$FLUXION"/lib/flux/python*/fluxion)
        export FLUX_PYTHONPATH_PREPEND FLUX_MODPROBE_PATH_APPEND=$FLUXION/etc/flux/modprobe
    fi
}

# Fluxion in place of sched-simple, with R that holds its graph.
on_fluxion() {
    use_fluxion
    if ! flux env printenv FLUX_MODULE_PATH | tr : '\n' | xargs -I{} find {} -name sched-fluxion-resource.so | grep -q .; then
        result "skipped: there is no sched-fluxion-resource; install flux-sched, or set FLUXION to the prefix where it is installed"
        return
    fi
    configure 'node[0-1]'
    flux R encode -r 0-1 -c 0-1 -H 'node[0-1]' | flux ion-R encode | sed 's/cluster0/graph0/g' >"$dir/R.json" || fail "flux ion-R"
    R_from_file
    serve
    inside fluxion || fail "status $?"
    kill_muster
    rm -r "$dir/state"
    "$top/it-tests/src/test/flux/graph.py" "${GRAPH_NODES:-4000}" >"$dir/R.json"
    serve
    LIMIT=$((20 * PATIENCE)) inside fluxion_large || fail "with ${GRAPH_NODES:-4000} nodes: status $?"
}
R_from_file() {
    sed -i '/resource.config/,$d' "$dir/muster.toml"
    printf '[resource]\npath = "%s/R.json"\n' "$dir" >>"$dir/muster.toml"
}
in_fluxion() {
    ready
    [ "$(flux module list | grep -c 'sched-fluxion-resource\|sched-fluxion-qmanager\|sched-simple')" = 2 ] || fail "$(flux module list)"
    flux ion-resource find --format=jgf status=up | grep -q '"/graph0/node1/core1"' || fail "the graph is not that of R"
    expect "ranks of the tasks" "0 1" "$(flux run -N2 flux getattr rank | sort | paste -sd' ')"
    flux submit --quiet --cc=1-20 --wait true || fail "jobs failed"
    ! timeout "$PATIENCE" flux run -N3 true 2>"$dir/err" || fail "a job of three nodes ran on two"
    grep -qi unsatisfiable "$dir/err" || fail "$(cat "$dir/err")"
    muster mark /cluster0/node1/core1 down hot # named along the edges of the graph, which gives the vertex another path
    eventually eval 'flux ion-resource find --format=jgf status=down | grep -q \"/graph0/node1/core1\"'
    muster mark /cluster0/node1/core1 none
    eventually eval '! flux ion-resource find --format=jgf status=down | grep -q /graph0/node1/core1'
    in_drain
    in_kill
    reload_scheduler
    ready
    runs_on node0 node1
    result "$(flux ion-resource stats | sed -n 's/Num. of Vertices: */vertices: /p')"
}
in_fluxion_large() {
    PATIENCE=$((PATIENCE * 5)) # Fluxion may need more than 30 s for its first job with 388,001 vertices
    ready
    runs_on node0 node1
    muster drain node1 fan
    waits_for node1
    muster undrain node1
    in_kill
    result "$(flux ion-resource stats | sed -n 's/Num. of Vertices: */vertices: /p; s/Graph Load Time: */load time: /p' | paste -sd' ')"
}

# 16 GPUs, of which 3 are marked. No job starts on a marked one: before and after Fluxion is loaded again, Muster is killed, and the
# instance is started again. Another scheduler is sent nothing, and `muster why` says so.
on_marks() {
    use_fluxion
    configure 'node[0-1]'
    sed -i 's/^cores = .*/cores = "0-7"\ngpus = "0-7"/' "$dir/muster.toml"
    serve
    inside marks_1 "-Sstatedir=$dir" || fail "the first run ended with $?"
    kill_muster
    inside marks_2 "-Sstatedir=$dir" || fail "the second run ended with $?"
}
in_marks_1() {
    MARKED=(node0/gpu0 node0/gpu5 node1/gpu3)
    local gpu jobs job
    ready
    for gpu in "${MARKED[@]}"; do
        muster mark "/cluster0/$gpu" down xid 79
    done
    if ! flux module list | grep -q sched-fluxion-resource; then
        eventually eval 'muster why node1 | grep -q "takes no marks: jobs may use the vertex"'
        muster status 2>&1 | grep -q 'the scheduler takes no marks' || fail "$(muster status 2>&1)"
        "$MUSTER" flux-check --flux-config "$dir/flux.toml" -c "$dir/muster.toml" | grep -q 'takes no marks' || fail "flux-check"
        flux submit --quiet --cc=1-20 -n1 -g1 --wait true || fail "jobs failed"
        ! flux dmesg | grep -E '\.(err|crit)\[.*mark' || fail "the bridge logs a scheduler that takes no marks"
        result "no Fluxion: the scheduler is sent nothing"
        return
    fi
    "$MUSTER" flux-check --flux-config "$dir/flux.toml" -c "$dir/muster.toml" | grep -q 'the scheduler takes marks' || fail "flux-check"
    eventually has_marks 3
    eventually eval 'muster why node1 | grep -q "has the mark: no new job uses the vertex"'
    jobs_avoid_marks
    # A job that runs keeps a GPU that is marked, also when Fluxion is loaded again.
    job=$(flux submit --requires=host:node0 -n1 -g1 sleep inf)
    flux job wait-event "--timeout=$PATIENCE" "$job" start >/dev/null || fail "the job does not start"
    gpu=node0/gpu$(flux job info "$job" R | sed -n 's/.*"gpu": *"\([0-9]*\)".*/\1/p')
    muster mark "/cluster0/$gpu" down in use
    MARKED+=("$gpu")
    eventually has_marks 4
    # These jobs wait for the scheduler, which has no time to start one before it has the marks.
    unload_scheduler
    jobs=$(flux submit --cc=1-200 -n1 -g1 true) || fail "jobs cannot be submitted"
    load_scheduler
    jobs_avoid_marks "$jobs"
    still_runs
    muster mark "/cluster0/$gpu" none
    # The marks change while the bridge does not hear it, or hears it late.
    kill_muster
    serve
    muster mark /cluster0/node0/gpu0 none
    muster mark /cluster0/node1/gpu7 down xid 48
    MARKED=(node1/gpu7 node0/gpu5 node1/gpu3)
    eventually has_marks 3
    jobs_avoid_marks
    # A drain and its end leave the marks.
    muster drain node1 fan
    eventually scheduler_has down node1
    muster undrain node1
    eventually scheduler_has down ''
    jobs_avoid_marks
    # Fluxion does not know the path, so the mark has no effect, and is shown.
    cp "$dir/muster.toml" "$dir/muster.toml.old"
    printf '[[graph]]\ntype = "socket"\nin = "node"\ncount = 2\nholds = ["core", "gpu"]\n' >>"$dir/muster.toml"
    kill -HUP "$(pid)"
    eventually muster mark /cluster0/node0/socket0 down hot
    eventually muster mark /cluster0/node1/socket1/gpu6 down xid 74
    eventually has_marks 4 # Fluxion has this GPU below the node
    eventually eval 'muster status 2>&1 | grep -q "refused the marks on node0/socket0"'
    muster why node0 | grep -q 'refused the mark' || fail "$(muster why node0)"
    runs_on node0 node1
    muster mark /cluster0/node0/socket0 none
    muster mark /cluster0/node1/socket1/gpu6 none
    mv "$dir/muster.toml.old" "$dir/muster.toml"
    kill -HUP "$(pid)"
    eventually muster mark /cluster0/node0/gpu5 down xid 79
    # A job that waits for a GPU starts when the mark goes.
    job=$(flux submit -N1 -n8 -g1 true)
    ! flux job wait-event --timeout=1.5 "$job" alloc >/dev/null 2>&1 || fail "a job uses 8 GPUs of one host"
    muster mark /cluster0/node0/gpu5 none
    flux job wait-event "--timeout=$PATIENCE" "$job" start >/dev/null || fail "the job does not start when the mark goes"
    muster mark /cluster0/node0/gpu5 down xid 79
    eventually eval 'flux kvs get resource.muster.state | grep -q node0/gpu5' # for a start without Muster
}
in_marks_2() { # Muster is away
    flux module list | grep -q sched-fluxion-resource || { runs_on node0; return; }
    MARKED=(node1/gpu7 node0/gpu5 node1/gpu3)
    jobs=$(flux submit --cc=1-200 -n1 -g1 true) || fail "jobs cannot be submitted"
    jobs_avoid_marks "$jobs"
    result "1,000 jobs, none on a marked GPU"
}
has_marks() { # NUMBER: so many vertices are down according to Fluxion
    [ "$(flux ion-resource find --format=jgf -q status=down | tail -n 1 | grep -o '"containment"' | wc -l)" -ge "$1" ]
}
jobs_avoid_marks() { # [JOBS]: these jobs, or 200 new ones, run on other GPUs than MARKED
    local jobs=${1:-$(flux submit --cc=1-200 -n1 -g1 true)}
    timeout "$((4 * PATIENCE))" flux python "$top/it-tests/src/test/flux/gpus.py" "${MARKED[@]}" <<<"$jobs" ||
        fail "a job used a marked GPU, or none"
}

# 1,000 of 4,000 hosts move from one queue to another, under a job that runs on one of them and jobs that wait. Two hosts have a broker.
# Another scheduler is sent nothing, and `muster status` says what waits.
on_queues() {
    use_fluxion
    configure 'node[0-3999]'
    sed -i 's/^cores = .*/cores = "0-3"/' "$dir/muster.toml"
    cat >>"$dir/muster.toml" <<END
[[resource.config]]
hosts = "node[0,2-2999]"
properties = ["+a"]
[[resource.config]]
hosts = "node[1,3000-3999]"
properties = ["+b"]
[flux]
properties = "live"
END
    printf '[queues.a]\nrequires = ["+a"]\n[queues.b]\nrequires = ["+b"]\n' >>"$dir/flux.toml"
    serve
    LIMIT=$((20 * PATIENCE)) inside queues || fail "status $?"
}
in_queues() {
    local moved='node[0,2-1000]' jobs job more seconds
    eventually scheduler_has free 'node[0-1]'
    flux queue start --quiet --all
    if ! flux module list | grep -q sched-fluxion-resource; then
        muster property add +b "$moved" || fail "property add"
        eventually eval 'muster status 2>&1 | grep -q "changes of properties wait: +b on 1,000 hosts: the scheduler takes no properties"'
        eventually eval '[ "$(flux resource list -q b -n -s all -o "{nnodes}")" = 2001 ]'
        flux run -q a -n1 true || fail "a job"
        ! flux dmesg | grep -E '\.(err|crit)\[.*propert' || fail "the bridge logs a scheduler that takes no properties"
        result "no Fluxion: the scheduler is sent nothing"
        return
    fi
    "$MUSTER" flux-check --flux-config "$dir/flux.toml" -c "$dir/muster.toml" | grep -q 'takes properties while it runs' || fail "flux-check"
    job=$(flux submit -q a -n1 sleep inf)
    flux job wait-event "--timeout=$PATIENCE" "$job" start >/dev/null || fail "the job does not start"
    jobs=$(flux submit -q a --cc=1-20 -n4 true) # none starts beside the other job
    more=$(flux submit -q b -n7 true)           # starts when the queue has node0
    muster property add +b "$moved" && muster property remove +a "$moved" || fail "property"
    seconds=$(flux python "$top/it-tests/src/test/flux/properties.py" wait "$(date +%s.%N)" +b node0 yes +b node1000 yes +a node0 no +a node1000 no +a node1001 yes) || fail "$seconds"
    result "the queues are right $seconds s after Muster's answer"
    [ "${seconds%.*}" -lt "$PATIENCE" ] || fail "the queues are right $seconds s after Muster's answer"
    flux job wait-event "--timeout=$PATIENCE" "$more" start >/dev/null || fail "a job does not start in the queue that has more hosts"
    expect "the waiting jobs of the other queue" 20 "$(flux jobs -n -o '{state}' $jobs | grep -c SCHED)"
    expect "the running job" RUN "$(flux jobs -n -o '{state}' "$job")"
    eventually eval '[ "$(flux resource list -q b -n -s all -o "{nnodes}")" = 2001 ]'
    eventually eval 'flux queue list -n -o "{queue} {limits.range.nnodes}" | grep -q "^b 0-"'
    expect "the property in the KVS" 'node[0-1000,3000-3999]' \
        "$(flux kvs get resource.R | flux R decode --properties=+b --nodelist 2>/dev/null || flux kvs get resource.R |
            flux python -c 'import sys; from flux.resource import ResourceSet; print(ResourceSet(sys.stdin.read()).copy_constraint({"properties": ["+b"]}).nodelist)')"
    eventually muster audit
    # Muster is killed, and Fluxion is loaded again: both have the properties as they are now.
    kill_muster
    serve
    eventually bridge_has joined acquired
    reload_scheduler
    eventually scheduler_has free 'node[0-1]'
    flux python "$top/it-tests/src/test/flux/properties.py" wait "$(date +%s.%N)" +b node1000 yes +a node1000 no >/dev/null || fail "after the reload"
    expect "the waiting jobs after the reload" 20 "$(flux jobs -n -o '{state}' $jobs | grep -c SCHED)"
    # Hosts go back; the jobs of the queue run when its other job has ended.
    muster property add +a "$moved" && muster property remove +b "$moved" || fail "property"
    flux cancel "$job"
    flux job attach "$more" || fail "the job of the other queue"
    for job in $jobs; do
        flux job attach "$job" || fail "a job was lost"
    done
    # A queue that loses hosts ends the jobs that have too few hosts then, and Muster says how many.
    job=$(flux submit -q b --requires=host:node1 -N1 -n1 sleep inf)
    flux job wait-event "--timeout=$PATIENCE" "$job" start >/dev/null || fail "the job does not start"
    more=$(flux submit -q b --requires=host:node1 -N1 -n4 true)
    muster property remove --dry-run +b node1 | grep -q 'Flux ends at least 1 waiting job' || fail "$(muster property remove --dry-run +b node1)"
    muster property remove +b node1 2>&1 | grep -q 'Flux ends at least 1 waiting job' || fail "property remove does not say it"
    flux job wait-event "--timeout=$PATIENCE" "$more" exception >/dev/null || fail "the job does not end"
    still_runs
    muster property add +b node1
    ! muster property add a=b node1 2>"$dir/err" || fail "a name with = is accepted"
    grep -q 'has a =' "$dir/err" || fail "$(cat "$dir/err")"
    ! flux dmesg | grep -E '\.(err|crit)\[.*propert' || fail "the bridge has logged an error"
    result "set_property and remove_property for 4,000 hosts: $(flux python "$top/it-tests/src/test/flux/properties.py" measure 4000)"
}

# Differences that are planted behind Muster's back are found by the audit, and no others in quiet rounds. 64 hosts, of which two have a broker.
on_audit() {
    use_fluxion
    configure 'node[0-63]'
    sed -i 's/^cores = .*/cores = "0-3"\ngpus = "0-3"\nproperties = ["blue"]/' "$dir/muster.toml"
    printf '[flux]\naudit = "0"\n' >>"$dir/muster.toml"
    serve
    inside audit || fail "status $?"
}
in_audit() {
    eventually bridge_has joined speaks following acquired reported
    unload_scheduler # the bridge is loaded again as if all 64 hosts had brokers
    flux module remove resource || fail "remove"
    flux module load --name=resource "$BRIDGE" monitor-force-up || fail "load"
    load_scheduler
    eventually scheduler_has free 'node[0-63]'
    muster mark /cluster0/node1/gpu1 down xid 79
    muster drain node[1,40] fan
    local round begun=$SECONDS
    for round in $(seq "${ROUNDS:-100}"); do
        muster audit >"$dir/audit" || fail "a quiet round: $(cat "$dir/audit")"
        case $((round % 3)) in # changes on their way are no differences
            0) muster drain node0 work >/dev/null & ;;
            1) muster undrain node0 2>/dev/null & ;;
            2) muster mark /cluster0/node0/gpu2 down ecc >/dev/null; muster mark /cluster0/node0/gpu2 none & ;;
        esac
    done
    wait
    muster undrain node0 2>/dev/null
    grep -q 'no difference' "$dir/audit" || fail "$(cat "$dir/audit")"
    result "${ROUNDS:-100} quiet rounds in $((SECONDS - begun)) s, $(sed -n 's/.*and the answer took \(.*\) of its time.*/the last one took \1 of the scheduler/p' "$dir/audit")"
    flux module list | grep -q sched-fluxion-resource || {
        ! flux dmesg | grep -E '\.(err|crit)\[.*(audit|find)' || fail "the bridge logs a question"
        return 0
    }
    # 100 differences in Fluxion: hosts that are down there, marks, properties
    flux python "$top/it-tests/src/test/flux/differences.py" plant || fail "the differences cannot be planted"
    ! muster audit --json >"$dir/audit.json" || fail "no difference is found"
    flux python "$top/it-tests/src/test/flux/differences.py" check <"$dir/audit.json" || fail "$(muster audit)"
    muster audit | grep -q 'node40: it has the host up, and was sent that it is down' || fail "$(muster audit)"
    grep -q 'audit: .* differs from what it was sent about' "$dir/log" || fail "the log has no line"
    # Fluxion is loaded again and has what it was sent
    reload_scheduler
    eventually muster audit
    runs_on node0
    result "100 differences found, none else"
}

# flux-core's own tests of its resource module. sharness/known.md lists those that fail, with the reasons; no other may fail, and no fewer.
# Flux prefers a module's .so to a .py, so the tests see a directory of modules in which resource.py takes the place of resource.so.
on_sharness() {
    if [ ! -f "${FLUX_TESTS:-}/sharness.sh" ]; then
        result "skipped: set FLUX_TESTS to the directory t of a flux-core that was built from source"
        return
    fi
    local modules=$FLUX_TESTS/../src/modules/.libs file name wrong=0 failed known passed=0
    cp -r "$modules" "$dir/modules"
    cp -L "$modules/resource.so" "$dir/native.so"
    rm "$dir/modules"/resource.so*
    cp "$top/it-tests/src/test/flux/sharness/resource.py" "$dir/modules/"
    for file in "$FLUX_TESTS"/t231[0-9]-*.t "$FLUX_TESTS"/t235[0-5]-*.t; do
        name=$(basename "$file" .t)
        [[ -z ${ONLY:-} || $name = $ONLY* ]] || continue
        # A job that never ends, because the test expects another answer, is killed after two minutes.
        sed -E 's/^(\t(test_must_fail )?)flux run /\1run_timeout 120 flux run /' "$file" >"$dir/$name.t"
        (cd "$FLUX_TESTS" && SHARNESS_DIRECTORY=$dir timeout 1800 unshare --map-root-user --mount sh -c \
            'mount --bind "$0" "$1" && mount --bind "$2" "$3" && shift 2 && exec sh "$@"' \
            "$dir/modules" "$modules" "$dir/$name.t" "$file" "--root=$dir" >"$dir/$name.out" 2>&1)
        failed=$(sed -n '/# TODO/d; s/^not ok \([0-9]*\) .*/\1/p' "$dir/$name.out" | paste -sd' ')
        grep -q '^1\.\.' "$dir/$name.out" || failed="$failed hangs"
        known=$(sed -n "s/^| $name | \([0-9a-z, ]*\) |.*/\1/p" "$top/it-tests/src/test/flux/sharness/known.md" | tr -d ,)
        printf '%s: %d passed, failed: %s\n' "$name" "$(grep -c '^ok' "$dir/$name.out")" "${failed:-none}"
        passed=$((passed + $(grep -c '^ok' "$dir/$name.out")))
        [ "$failed" = "$known" ] || { printf 'WRONG: known.md lists as failed: %s\n' "${known:-none}" && wrong=1; }
    done
    result "$passed tests passed"
    [ $wrong = 0 ] || fail "other tests fail than known.md lists"
}

# The transcript of docs/flux.md.
on_transcript() {
    configure 'node[0-1]'
    serve 2>/dev/null
    inside transcript || fail "status $?"
}
in_transcript() {
    show() {
        printf '$ %s\n' "$*"
        eval "$*"
    }
    ready
    show "flux module list -l | awk '\$1 == \"resource\" { print \$NF }'" | sed "s#$BRIDGE#/usr/lib/muster/flux/muster_bridge.py#"
    show flux run -N2 hostname
    show "job=\$(flux submit -N2 sleep inf)"
    show flux resource drain node1 bad dimm
    show muster status
    show muster drain node0 fan
    show flux resource list
    show muster undrain 'node[0-1]'
    eventually scheduler_has down ''
    printf '$ systemctl kill -s KILL muster\n'
    kill_muster
    show flux resource drain node1 epilog failed
    show flux resource list
    show muster status
    printf '$ systemctl start muster\n'
    serve
    eventually muster_has drain node1
    show muster status
    show flux resource list
    show flux resource drain
    show "flux jobs -n -o '{name} {state}' \$job"
    flux cancel "$job"
    show flux resource undrain node1
    show flux run -N2 hostname
}
