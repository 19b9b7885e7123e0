#!/bin/bash
# Records with the perf of this machine, reads the output of perf script by pprof-collect, and
# compares the sums of each leaf with those that awk counts. Prints TAP.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=tests/profiles/lib.bash
. tests/profiles/lib.bash

skip() { echo "1..0 # SKIP $1"; exit; }

# Some work, in the kernel and in two programs.
# shellcheck disable=SC2016 # for the inner shell
program='for i in {1..40}; do printf -v x %05d $i; cat /proc/self/maps >/dev/null; done'

record() { # NAME OPTION...
	perf record -q -o "$work/$1.data" "${@:2}" -- bash -c "$program" >/dev/null 2>&1
}

command -v perf >/dev/null || skip 'there is no perf'
command -v go >/dev/null || skip 'there is no go'
[[ -d /usr/share/gocode/src/github.com/google/pprof ]] || skip "there is no source of Go's pprof"
record try -e cpu-clock || skip 'perf may not record here'
GO111MODULE=off GOPATH=/usr/share/gocode GOFLAGS='' \
	go build -o "$work/dump" tests/profiles/dump.go

# Lines "SUM ADDRESS FILE" of the first frame of each sample, by awk. Samples are paragraphs.
by_awk() { # NAME
	perf script -i "$work/$1.data" -F comm,tid,time,period,event,ip,sym,dso 2>/dev/null |
		awk '
/^[^ \t]/ { match($0, /[0-9.]+: *[0-9]+ [^ ]*: *$/); split(substr($0, RSTART), part, " ")
	period = part[2] }
/^[ \t]/ && period { file = $0; sub(/.* \(/, "", file); sub(/\)$/, "", file)
	if (file == "[unknown]") file = ""
	sum[$1 " " file] += period; period = 0 }
END { for (leaf in sum) printf("%.0f %s\n", sum[leaf], leaf) }' | sort
}

# The same by us. A frame of no file has a name in its place.
by_us() { # NAME
	perf script -i "$work/$1.data" 2>/dev/null | collect merge - -o "$work/$1.pb.gz"
	"$work/dump" "$work/$1.pb.gz" | awk '
/^\[/ { sub(/^\[[0-9]+ /, ""); sub(/\]/, ""); period = $1; split($2, part, "|")
	file = $3; sum[part[1] " " file] += period }
END { for (leaf in sum) printf("%.0f %s\n", sum[leaf], leaf) }' | sort
}

compare() { # NAME OPTION...
	record "$@"
	by_awk "$1" >"$work/awk"
	by_us "$1" >"$work/us"
	[[ -s $work/awk ]] && diff "$work/awk" "$work/us"
}

types() { # NAME TYPE...
	diff <("$work/dump" "$work/$1.pb.gz" | sed -n 's/^type //p') <(printf '%s\n' "${@:2}")
}

events_are_types() {
	record many -e cpu-clock -e page-faults -e context-switches -F 1000 -g
	perf script -i "$work/many.data" 2>/dev/null | collect merge - -o "$work/many.pb.gz"
	[[ $("$work/dump" "$work/many.pb.gz" | grep -c '^type [a-z-]*/') -ge 2 ]]
}

plan 5
ok 'stacks' compare stacks -e cpu-clock -F 5000 -g
ok 'its types' types stacks samples/count cpu-clock/nanoseconds
ok 'user space alone' compare user -e task-clock:u -c 100000 -g
ok 'its types' types user samples/count task-clock:u/nanoseconds
ok 'several events' events_are_types
