#!/bin/bash
# Converts profiles, and lets the readers of each format read them: the Firefox Profiler,
# speedscope's schema, the official messages of OTLP, and go tool pprof. What is not there is
# skipped. Prints TAP.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=tests/profiles/lib.bash
. tests/profiles/lib.bash

convert() { # KIND FORMAT [OPTION...]: writes $work/KIND.FORMAT
	collect convert "$work/$1.pb.gz" --to "$2" -o "$work/$1.$2" "${@:3}"
}

# The tests of a reader that cannot be installed are skipped.
ok_with_readers() { # NAME COMMAND...
	if [[ -d $readers ]]; then
		ok "$@"
	else
		number=$((number + 1))
		echo "ok $number - $1 # SKIP tests/profiles/readers cannot install the readers"
	fi
}

# The sums of heap.pb.gz by sample type. The text that was written with it has them, too:
# "heap profile: OBJECTS: BYTES [OBJECTS: BYTES] @ heap/2", the ones in use first.
heap_sums() {
	sed -En '1s/.*: ([0-9]+): ([0-9]+) \[([0-9]+): ([0-9]+)\].*/alloc_objects \3\nalloc_space \4\ninuse_objects \1\ninuse_space \2/p' \
		"$work/heap.txt"
}

folded_has_the_sum() { # TYPE
	convert heap folded --type "$1"
	diff <(heap_sums | grep "^$1 ") <(awk -v type="$1" '{ sum += $NF } END { print type, sum }' \
		"$work/heap.folded")
}

speedscope_takes() {
	convert heap speedscope
	diff <(heap_sums) <(node tests/profiles/speedscope.js "$readers" "$work/heap.speedscope")
}

shows_the_type_first() {
	convert heap speedscope --type alloc_space
	grep -q '"activeProfileIndex":1,' "$work/heap.speedscope"
}

firefox_takes() {
	convert heap firefox --type inuse_space
	tests/profiles/firefox "$readers" "$work/heap.firefox" >"$work/firefox"
	diff <(heap_sums | sed -n 's/^inuse_space/sum/p'; echo thread 0 forms; echo thread 77 forms) \
		"$work/firefox"
}

otlp_takes() { # KIND
	convert "$1" otlp
	"$readers/python/bin/python" tests/profiles/otlp.py "$work/$1.otlp" >"$work/otlp"
	case $1 in
	heap) diff <(heap_sums) "$work/otlp" ;;
	cpu) diff <(sed -En '1s/.* total /samples /p' "$work/cpu.txt") <(grep samples "$work/otlp") ;;
	esac
}

# Functions and their values. Without code, a name is in brackets in a text.
top() { # TYPE FILE
	"$pprof" -top -unit minimum -nodefraction 0 -sample_index "$1" "$2" 2>"$work/complaints" |
		awk '/flat%/ { found = 1; next } found { print $1, $4, $6, $7, $8 }' |
		tr '_' ' ' | sed 's/[][]//g; s/ *$//' | sort
}

go_reads_text() { # KIND TYPE
	convert "$1" text --type "$2"
	top "$2" "$work/$1.text" >"$work/text"
	top "$2" "$work/$1.pb.gz" >"$work/proto"
	[[ -s $work/proto ]] && diff "$work/proto" "$work/text"
}

keeps_pprof() {
	convert heap pprof
	collect merge "$work/heap.pb.gz" -o "$work/merged.pb.gz"
	cmp "$work/heap.pprof" "$work/merged.pb.gz"
}

converts_a_difference() {
	collect convert "$work/cpu.pb.gz" --diff-base "$work/half.pb.gz" --to folded --type samples \
		-o "$work/difference"
	[[ $(wc -l <"$work/difference") -gt 0 ]] && ! grep -Evq ' [0-9]+ [0-9]+$' "$work/difference"
}

uses_a_pipe() {
	convert cpu folded
	collect convert - --to folded -o - <"$work/cpu.pb.gz" | cmp - "$work/cpu.folded"
}

readers=build/readers
mkdir -p build/e2e
flock build/e2e/lock tests/profiles/readers "$readers" || readers=/nowhere
collect merge "$work/cpu.pb.gz" "$work/cpu.pb.gz" -o "$work/half.pb.gz"

plan 22
for type in alloc_objects alloc_space inuse_objects inuse_space; do
	ok "folded: the sum of $type" folded_has_the_sum "$type"
done
ok 'folded: a difference has two values' converts_a_difference
ok 'folded: standard input and a pipe' uses_a_pipe
ok_with_readers 'speedscope: the schema and the sums' speedscope_takes
ok 'speedscope: a sample type is shown first' shows_the_type_first
ok_with_readers 'firefox: the sum and the threads' firefox_takes
ok_with_readers 'otlp: heap' otlp_takes heap
ok_with_readers 'otlp: cpu' otlp_takes cpu
ok_if go 'text: heap' go_reads_text heap inuse_space
ok_if go 'text: contentions' go_reads_text mutex delay
ok_if go 'text: growth' go_reads_text growth space
ok_if go 'text: a count' go_reads_text cpu samples
ok 'pprof: the profile, merged' keeps_pprof
for format in speedscope text; do
	ok "$format: no negative values" refuses 1 negative convert "$work/cpu.pb.gz" \
		--base "$work/half.pb.gz" --to "$format" -o "$work/out/x"
done
ok 'an unknown format' refuses 2 speedscope convert "$work/cpu.pb.gz" --to svg -o "$work/out/x"
ok 'no format' refuses 2 '--to FORMAT' convert "$work/cpu.pb.gz" -o "$work/out/x"
ok 'a file without samples' refuses 1 'no samples' convert "$work/empty.pb.gz" --to otlp -o "$work/out/x"
ok 'a truncated file' refuses 1 cut.pb.gz convert "$work/cut.pb.gz" --to otlp -o "$work/out/x"
