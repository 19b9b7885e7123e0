# shellcheck shell=bash
# What each script that runs in the VM starts with; see vm in helpers.bash.
set -euo pipefail

[[ -d /run/vm ]] || { echo 'This is no VM: nothing is loaded here.' >&2; exit 2; }
root=$(cd "${BASH_SOURCE[0]%/*}/../../.." && pwd)
bin=/run/e2e/bin
PATH=$bin:$PATH
module=$root/build/module-$(</proc/sys/kernel/osrelease)/pprof.ko

# Runs a command that must be refused: an exit code, one sentence on standard
# error that has the words, and nothing left in the current folder.
refused() { # WORDS COMMAND...
	local code=0
	"${@:2}" >/run/e2e/refused.out 2>/run/e2e/refused.err || code=$?
	cat /run/e2e/refused.err
	[[ $code -ne 0 && $code -lt 126 && ! -s /run/e2e/refused.out &&
		$(</run/e2e/refused.err) = "pprof-collect: "*"$1"* &&
		$(wc -l </run/e2e/refused.err) -eq 1 && -z $(ls -A) ]] && return
	echo "exit code $code, expected: $1; left: $(ls -A)"
	return 1
}

# Runs the command that doctor prints in quotes behind "run" for a check, and expects that
# the check is ok then. Prints what doctor says before and after.
follow_advice() { # MARK CHECK; $AS is what doctor is run by
	local command
	${AS-} pprof-collect doctor >before || true
	command=$(sed -nE "s/^$1 +$2 .*run '([^']*)'.*/\1/p" before)
	cat before
	[[ $command ]] || { echo "no advice of $2"; return 1; }
	eval "$command"
	${AS-} pprof-collect doctor >after || true
	cat after
	grep -qE "^ok +$2 " after
}

# Runs a command as a user who is nobody, but for these capabilities.
holder() { # CAPABILITY[,CAPABILITY]... COMMAND...
	as-nobody --inh-caps "$1" --ambient-caps "$1" "${@:2}"
}

# An empty folder that anybody may write to.
enter_empty() {
	rm -rf /run/e2e/empty
	mkdir -m 777 /run/e2e/empty
	cd /run/e2e/empty
}

# Runs a command that must fail: errexit does not look at what comes after a `!`.
fails() { # COMMAND...
	if "$@"; then
		echo "did not fail: $*" >&2
		return 1
	fi
}

# Waits for each of these jobs; `wait` alone tells of the last one, or of none.
all_well() { # JOB...
	local job
	for job in "$@"; do
		wait "$job"
	done
}

# Waits until a shell condition holds, 90 s at most, E2E_WIDER times as long.
await() { # CONDITION
	local end=$((SECONDS + 90 * E2E_WIDER))
	until eval "$1"; do
		[[ $SECONDS -lt $end ]] || { echo "in vain: $1" >&2; return 1; }
		sleep 0.05
	done
}

# The number of open sessions.
sessions() {
	local all
	all=$(pprof-collect status) || { echo -1; return; }
	grep -c '^session ' <<<"$all" || true
}

# So many sessions are open, and each has a part that runs. One look tells both: under
# emulation the collector is slow to start.
all_run() { # NUMBER
	local all
	all=$(pprof-collect status) || return
	[[ $(grep -c '^session ' <<<"$all") -eq $1 && $all != *'none running'* ]]
}

# Waits until a session runs, so that what happens next is seen by it.
await_session() { # [NUMBER]
	await "all_run ${1-1}"
}

# How often, or for how many seconds: STRESS=full for the figures of doc/testing.md.
rounds() { # SHORT FULL
	if [[ $STRESS = full ]]; then echo "$2"; else echo "$1"; fi
}

# How often a class was produced so far, and how often that was lost, in all sessions.
produced() { # CLASS
	pprof-collect status | awk -v class="$1" '$1 == class && $2 == "all" { n += $3 } END { print n + 0 }'
}

lost() { # CLASS
	pprof-collect status | awk -v class="$1" '$1 == class && $2 == "all" { n += $4 } END { print n + 0 }'
}

# Profiles for 0.2 s, and again if the host stopped the VM meanwhile: then nearly all of
# the run would be one tick.
short_profile() { # OPTIONS; $AS is what it is run by
	local end=$((SECONDS + 90 * E2E_WIDER))
	until rm -f pprof.*.pb.gz && ${AS-} pprof-collect --seconds 0.2 "$@" 2>summary &&
		grep -q ' in 0\.[2-6] s, ' summary; do
		[[ $SECONDS -lt $end ]] || { cat summary; return 1; }
	done
}

# Starts a program, as $pid, that prints something when it is ready, and waits for that.
start_ready() { # COMMAND...
	local ready
	ready=$(mktemp)
	"$@" <&0 >"$ready" &
	pid=$!
	await "[[ -s $ready ]]"
}

# Waits until a process sleeps because it wants to: what it was before it executed
# the program that does has ended by then, which a name and a link in /proc don't tell.
await_sleep() { # PID
	await "grep -qE '^(35|230) ' /proc/$1/syscall"	# nanosleep() or clock_nanosleep()
}

# Random bytes without end. When all of the first ones, but for a pipe's 64 KiB, have
# been read it says so in a file. (/proc/PID/io would tell, but the debug kernel has none.)
feed() {
	head -c 200000 /dev/urandom
	echo up >/run/e2e/up
	exec cat /dev/urandom
}

# Waits until so many of a process's threads read standard input.
await_readers() { # PID NUMBER
	await "[[ \$(grep -l '^0 0x0 ' /proc/$1/task/*/syscall | wc -l) -eq $2 ]]"
}

# Starts parked, as $pid, until the script ends, and waits until all are in their places:
# the first thread reads when it has told that the others are.
start_parked() { # ARGUMENTS
	start_ready parked "$@" < <(exec sleep 1000)
	trap 'kill $pid 2>/dev/null || true' EXIT
	await_readers $pid 1
}

# Starts a program, as $pid, that does nothing but call the C library's malloc() and
# free(), and waits until it has that library.
start_pairs() {
	allocs pairs 1000000000000 &
	pid=$!
	await 'grep -q /libc.so /proc/$pid/maps'
}

# Profiles `roles kinds` until all of its threads have done what they do: then they read.
roles_kinds() { # OPTIONS
	local collector program
	rm -f /run/e2e/gate /run/e2e/told
	mkfifo /run/e2e/gate /run/e2e/told
	exec 8<>/run/e2e/told 9<>/run/e2e/gate
	pprof-collect -q "$@" -- roles kinds </run/e2e/gate >/run/e2e/told 8>&- 9>&- &
	collector=$!
	read -r _ <&8
	read -r program </proc/$collector/task/$collector/children || [[ $program ]]
	await_readers "$program" 3
	kill -INT $collector
	wait $collector
	rm -f /run/e2e/gate /run/e2e/told
}

# Starts a shell script, as $pid, that waits for release before its first line.
# When this returns sh waits there: it opens the gate, as openat() without a flag. Before
# that ld.so opens libraries, with O_CLOEXEC.
hold() { # SCRIPT [PREFIX...]
	rm -f /run/e2e/gate
	mkfifo -m 666 /run/e2e/gate
	"${@:2}" sh -c "read -r _ </run/e2e/gate; $1" &
	pid=$!
	await '[[ $(</proc/$pid/comm) = sh ]] && grep -q "^257 0xf*9c 0x[^ ]* 0x0 " /proc/$pid/syscall'
}

release() {
	echo >/run/e2e/gate
}
