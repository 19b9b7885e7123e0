#!/bin/bash
# Adds and subtracts profiles by the commands, beside go tool pprof where Go is. Prints TAP.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=tests/profiles/lib.bash
. tests/profiles/lib.bash

# What Go prints of a profile that it merged itself, and of ours. Newer versions of pprof store
# the sample type that they would print, as the default one ("[dflt]").
as_go() { # PPROF-OPTION... -- ARGUMENT...: the arguments of pprof-collect
	local options=()
	while [[ $1 != -- ]]; do options+=("$1"); shift; done
	"$pprof" -proto "${options[@]}" >"$work/go.pb.gz" 2>"$work/complaints"
	collect "${@:2}" -o "$work/ours.pb.gz"
	diff <("$pprof" -raw "$work/go.pb.gz" | sed 's/\[dflt]$//') <("$pprof" -raw "$work/ours.pb.gz")
}

writes_to_a_pipe() {
	cp "$work/cpu.pb.gz" "$work/copy.pb.gz"
	collect merge - "$work/cpu.pb.gz" <"$work/copy.pb.gz" | cmp - "$work/twice.pb.gz"
	collect merge "$work/cpu.pb.gz" "$work/cpu.pb.gz" -o - | cmp - "$work/twice.pb.gz"
}

keeps_a_terminal_clean() {
	local message
	message=$(script -qec "./pprof-collect merge $work/cpu.pb.gz" /dev/null </dev/null) && return 1
	[[ $message = *'give --output FILE'* ]]
}

draws_a_difference() {
	collect diff "$work/cpu.pb.gz" "$work/twice.pb.gz" flame -o "$work/x.html"
	grep -q '<!DOCTYPE html>' "$work/x.html"
}

# Large files are read by threads, and pipes are not. One of the profiles is truncated.
reads_large_files() {
	local large=("$work"/large.{0,1,2}.pb.gz)
	collect merge "${large[@]}" -o "$work/files.pb.gz"
	collect merge <(cat "${large[0]}") <(cat "${large[1]}") <(cat "${large[2]}") -o - |
		cmp - "$work/files.pb.gz"
	head -c 500000 "${large[1]}" >"$work/large.cut.pb.gz"
	refuses 1 'large.cut.pb.gz: byte ' merge "${large[0]}" "$work/large.cut.pb.gz" \
		"${large[2]}" -o "$work/out/x.pb.gz"
	refuses 1 'heap.pb.gz: expected' merge "${large[0]}" "$work/heap.pb.gz" \
		"${large[1]}" -o "$work/out/x.pb.gz"
}

# One profile at a time is in memory, and the sum. All 2000 profiles have the same stacks.
streams() {
	local files=() two many
	for _ in {1..2000}; do files+=("$work/cpu.pb.gz"); done
	two=$(peak_kib ./pprof-collect merge "$work/cpu.pb.gz" "$work/cpu.pb.gz" -o "$work/two.pb.gz")
	many=$(peak_kib ./pprof-collect merge "${files[@]}" -o "$work/many.pb.gz")
	echo "two files: $two KiB, 2000 files: $many KiB"
	[[ $many -lt $((two + 8192)) ]]
}

plan 23
build/profiles/large_profiles "$work" 3 15000 10
ok 'two profiles' collect merge "$work/cpu.pb.gz" "$work/cpu.pb.gz" -o "$work/twice.pb.gz"
ok 'a profile that was merged is valid' collect check "$work/twice.pb.gz"
ok 'standard input and a pipe' writes_to_a_pipe
ok 'large files' reads_large_files
ok 'memory does not grow with the number of files' streams
ok 'a difference as a flame graph' draws_a_difference
ok_if script 'no profile on a terminal' keeps_a_terminal_clean
for kind in block cpu growth heap mutex; do
	ok_if go "as Go: two of $kind" as_go "$work/$kind.pb.gz" "$work/$kind.pb.gz" -- \
		merge "$work/$kind.pb.gz" "$work/$kind.pb.gz"
done
ok_if go 'as Go: block and mutex' as_go "$work/block.pb.gz" "$work/mutex.pb.gz" -- \
	merge "$work/block.pb.gz" "$work/mutex.pb.gz"
ok_if go 'as Go: a difference' as_go -diff_base "$work/cpu.pb.gz" "$work/twice.pb.gz" -- \
	diff "$work/cpu.pb.gz" "$work/twice.pb.gz"
ok_if go 'as Go: a normalized difference' as_go -diff_base "$work/cpu.pb.gz" -normalize \
	"$work/twice.pb.gz" -- diff "$work/cpu.pb.gz" "$work/twice.pb.gz" --normalize
ok 'types that do not fit' refuses 1 'heap.pb.gz: expected period type cpu/' \
	merge "$work/cpu.pb.gz" "$work/heap.pb.gz" -o "$work/out/x.pb.gz"
ok 'a difference of types that do not fit' refuses 1 'cpu.pb.gz: expected period type space/' \
	diff "$work/cpu.pb.gz" "$work/heap.pb.gz" -o "$work/out/x.pb.gz"
ok 'a truncated file' refuses 1 'cut.pb.gz' merge "$work/cut.pb.gz" -o "$work/out/x.pb.gz"
ok 'no profile' refuses 1 'lib.bash' merge tests/profiles/lib.bash -o "$work/out/x.pb.gz"
ok 'an empty file' refuses 1 '/dev/null' merge /dev/null -o "$work/out/x.pb.gz"
ok 'a profile without samples' refuses 1 'has no samples' \
	merge "$work/empty.pb.gz" -o "$work/out/x.pb.gz"
ok 'a folder that is not there' refuses 1 'name another --output' \
	merge "$work/cpu.pb.gz" -o "$work/nowhere/x.pb.gz"
ok 'only one profile to compare' refuses 2 'name two profiles' \
	diff "$work/cpu.pb.gz" -o "$work/out/x.pb.gz"
