#!/bin/bash
# Text profiles beside Go's own, as TAP: both are checked by the same rules, and
# what pprof reads back from ours is what is in the profile that is no text.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=tests/tap.bash
. tests/tap.bash
export GO111MODULE=off

mkdir -p build/e2e
flock build/e2e/lock tests/e2e/lib/tools build/tools
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

refuses() { # FILE SED-SCRIPT
	sed -E "$2" "$1" >"$work/changed"
	! cmp -s "$1" "$work/changed" && ! "$work/checktext" "$work/changed" >/dev/null
}

# Values and names, without their units' spelling; names that stand for no
# code are in brackets in text.
top() { # INDEX FILE [PPROF...]
	"${@:3}" -top -unit minimum -nodefraction 0 -sample_index "$1" "$2" 2>"$work/complaints" |
		awk '/flat%/ { found = 1; next } found { print $1, $4, $6, $7, $8, $9 }' |
		tr '_' ' ' | sed 's/[][]//g; s/ *$//' | sort
	[[ ! -s $work/complaints ]] || sed 1d "$work/complaints" >&2
}

reads_back() { # KIND TEXT-INDEX PROTO-INDEX READER...
	top "$2" "$work/$1.txt" "${@:4}" >"$work/text"
	top "$3" "$work/$1.pb.gz" "${@:4}" >"$work/proto"
	[[ $(wc -l <"$work/text") -eq 5 ]] && diff "$work/text" "$work/proto"
}

takes_patterns() {
	"$work/patterns" 20000 | "$work/checkpatterns"
}

for program in goprofiles checktext checkpatterns; do
	go build -o "$work/$program" "tests/text-forms/$program.go"
done
"$work/goprofiles" "$work"
build/text/forms "$work"
cp build/text/patterns "$work"

echo 1..36
for kind in threadcreate goroutine block mutex heap allocs values; do
	ok "Go's own $kind" "$work/checktext" -go "$work/go.$kind.txt"
done
for kind in cpu block mutex heap growth; do
	ok "ours: $kind" "$work/checktext" "$work/$kind.txt"
done
ok "what we take as a pattern, Go takes" takes_patterns
ok 'a tab too few is seen' refuses "$work/cpu.txt" '4s/\t\t/\t/'
ok 'a wrong total is seen' refuses "$work/cpu.txt" '1s/$/0/'
ok 'a wrong order is seen' refuses "$work/block.txt" '3s/^60/10/'
ok 'a frame of another address is seen' refuses "$work/heap.txt" '2s/ (0x[0-9a-f]*)$/ \10/'
ok 'a missing frame is seen' refuses "$work/heap.txt" '5d'
for reader in 'go tool pprof' build/tools/pprof; do
	read -ra command <<<"$reader"
	ok "$reader reads cpu" reads_back cpu cpu samples "${command[@]}"
	for index in contentions delay; do
		for kind in block mutex; do
			ok "$reader reads $kind, $index" \
				reads_back "$kind" "$index" "$index" "${command[@]}"
		done
	done
	ok "$reader reads heap" reads_back heap inuse_space inuse_space "${command[@]}"
	ok "$reader reads growth, objects" reads_back growth objects faults "${command[@]}"
	ok "$reader reads growth, space" reads_back growth space space "${command[@]}"
	ok "$reader reads allocs" reads_back heap alloc_objects alloc_objects "${command[@]}"
done
