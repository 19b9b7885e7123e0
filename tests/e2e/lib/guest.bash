# shellcheck shell=bash
# Each script that runs in the VM reads this file first; see vm() in helpers.bash.
set -euo pipefail

[[ -d /run/vm ]] || { echo 'This is not the VM: run tests/e2e/suite.' >&2; exit 2; }
root=$(cd "${BASH_SOURCE[0]%/*}/../../.." && pwd)
bin=/run/e2e/bin
PATH=$bin:$PATH
module=$root/build/module-$(</proc/sys/kernel/osrelease)/pprof.ko

# Runs a command that must be refused: it exits with an error code, prints one sentence
# with the words on standard error, and leaves no file in the current folder.
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

# Runs the command that doctor prints in quotes after "run" for a check. The check must be
# ok then. Prints the output of doctor before and after.
follow_advice() { # MARK CHECK; $AS is a command that runs doctor, as another user
	local command
	${AS-} pprof-collect doctor >before || true
	command=$(sed -nE "s/^$1 +$2 .*run '([^']*)'.*/\1/p" before)
	cat before
	[[ $command ]] || { echo "doctor has no advice for $2"; return 1; }
	eval "$command"
	${AS-} pprof-collect doctor >after || true
	cat after
	grep -qE "^ok +$2 " after
}

# Runs a command as the user nobody with these capabilities.
holder() { # CAPABILITY[,CAPABILITY]... COMMAND...
	as-nobody --inh-caps "$1" --ambient-caps "$1" "${@:2}"
}

# Changes to an empty folder to which all users may write.
enter_empty() {
	rm -rf /run/e2e/empty
	mkdir -m 777 /run/e2e/empty
	cd /run/e2e/empty
}

# Runs a command that must fail. (errexit ignores the result of a command after `!`.)
fails() { # COMMAND...
	if "$@"; then
		echo "did not fail: $*" >&2
		return 1
	fi
}

# Waits for these jobs, which must all succeed. (`wait` returns the code of the last one only.)
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
		[[ $SECONDS -lt $end ]] || { echo "still false, too late: $1" >&2; return 1; }
		sleep 0.05
	done
}

# The number of open sessions.
sessions() {
	local all
	all=$(pprof-collect status) || { echo -1; return; }
	grep -c '^session ' <<<"$all" || true
}

# True if NUMBER sessions are open, and each has a source that runs. Both come from one call
# of the collector, which is slow to start under emulation.
all_run() { # NUMBER
	local all
	all=$(pprof-collect status) || return
	[[ $(grep -c '^session ' <<<"$all") -eq $1 && $all != *'none running'* ]]
}

# Waits until sessions run, so that they see what happens next.
await_session() { # [NUMBER]
	await "all_run ${1-1}"
}

# A number of rounds or seconds. STRESS=full takes the one of doc/testing.md.
rounds() { # SHORT FULL
	if [[ $STRESS = full ]]; then echo "$2"; else echo "$1"; fi
}

# How many records of a class were produced; and lost, in the next one. Sums of all sessions.
produced() { # CLASS
	pprof-collect status | awk -v class="$1" '$1 == class && $2 == "all" { n += $3 } END { print n + 0 }'
}

lost() { # CLASS
	pprof-collect status | awk -v class="$1" '$1 == class && $2 == "all" { n += $4 } END { print n + 0 }'
}

# Profiles for 0.2 s. It tries again if the host stopped the VM meanwhile: one tick would
# stand for nearly all of the run.
short_profile() { # OPTIONS; $AS is a command that runs the collector, as another user
	local end=$((SECONDS + 90 * E2E_WIDER))
	until rm -f pprof.*.pb.gz && ${AS-} pprof-collect --seconds 0.2 "$@" 2>summary &&
		grep -q ' in 0\.[2-6] s, ' summary; do
		[[ $SECONDS -lt $end ]] || { cat summary; return 1; }
	done
}

# Starts a program, as $pid, and waits until it prints something, which means it is ready.
start_ready() { # COMMAND...
	local ready
	ready=$(mktemp)
	"$@" <&0 >"$ready" &
	pid=$!
	await "[[ -s $ready ]]"
}

# Waits until a process is in nanosleep(): then its exec is complete. The name and the exe
# link in /proc change earlier than that.
await_sleep() { # PID
	await "grep -qE '^(35|230) ' /proc/$1/syscall"	# nanosleep() or clock_nanosleep()
}

# Writes random bytes without end. When the first 200,000 are written, the reader has read
# all of them but the 64 KiB of a pipe. Then it creates /run/e2e/up. (/proc/PID/io would show
# that, too, but the debug kernel has no such file.)
feed() {
	head -c 200000 /dev/urandom
	echo up >/run/e2e/up
	exec cat /dev/urandom
}

# Waits until NUMBER threads of a process are in read() of standard input.
await_readers() { # PID NUMBER
	await "[[ \$(grep -l '^0 0x0 ' /proc/$1/task/*/syscall | wc -l) -eq $2 ]]"
}

# Starts parked, as $pid, until the script ends, and waits until all threads are in their
# places. The first thread reads its input once the others are there.
start_parked() { # ARGUMENTS
	start_ready parked "$@" < <(exec sleep 1000)
	trap 'kill $pid 2>/dev/null || true' EXIT
	await_readers $pid 1
}

# Starts a program, as $pid, that only calls malloc() and free() of the C library, and
# waits until that library is mapped.
start_pairs() {
	allocs pairs 1000000000000 &
	pid=$!
	await 'grep -q /libc.so /proc/$pid/maps'
}

# Profiles `roles kinds` until all of its threads are done: they read standard input then.
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

# Starts a shell script, as $pid, that waits for release() before its first line. When hold()
# returns, sh is in openat() of the gate, without flags. (ld.so also calls openat() before
# that, for libraries, but with O_CLOEXEC.)
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
