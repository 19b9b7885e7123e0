# shellcheck shell=bash
# For the tests of commands that read profiles. Sources tests/tap.bash, and makes $work with
# profiles of each form: KIND.pb.gz and KIND.txt; a truncated one and one without samples.
# shellcheck source=tests/tap.bash
. tests/tap.bash

# The program that "go tool pprof" starts. To start it by "go tool" takes 20 times as long.
# shellcheck disable=SC2034 # for the tests
pprof=$(go tool -n pprof 2>/dev/null) || true

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

collect() { ./pprof-collect "$@"; }

plan() { echo "1..$1"; }

skip() { # NAME REASON
	number=$((number + 1))
	echo "ok $number - $1 # SKIP $2"
}

# A test that needs a program. Without it the test is skipped.
ok_if() { # PROGRAM NAME COMMAND...
	if command -v "$1" >/dev/null; then
		ok "${@:2}"
	else
		skip "$2" "there is no $1"
	fi
}

# The exit code and the message; nothing may be left in $work/out.
refuses() { # CODE MESSAGE ARGUMENT...
	local code=0 message
	mkdir "$work/out"
	message=$(collect "${@:3}" 2>&1) || code=$?
	[[ $code -eq $1 && $message = *"$2"* && $message != *$'\n'*$'\n'* ]] ||
		echo "exit code $code: $message"
	rmdir "$work/out"
	[[ $code -eq $1 && $message = *"$2"* ]]
}

# Go 1.19, of Debian 12, prints no columns in raw and other totals in tags.
pprof_is_old() {
	! "$pprof" -raw "$work/cpu.pb.gz" 2>/dev/null | grep -qE ':-?[0-9]+:[0-9]+ s='
}

peak_kib() { # COMMAND...: prints the largest memory of the command
	python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$@"
}

build/text/forms "$work"
head -c 300 "$work/cpu.pb.gz" >"$work/cut.pb.gz"
# String table "", "cpu", "nanoseconds"; one sample type; no sample.
printf '\x0a\x04\x08\x01\x10\x02\x32\x00\x32\x03cpu\x32\x0bnanoseconds' | gzip >"$work/empty.pb.gz"
