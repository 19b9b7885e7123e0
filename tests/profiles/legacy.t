#!/bin/bash
# Reads profiles in the legacy formats by pprof-collect and by Go's pprof, and compares the heads,
# the addresses, the mappings and the sums of each stack. Prints TAP.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=tests/profiles/lib.bash
. tests/profiles/lib.bash

source=/usr/share/gocode/src/github.com/google/pprof/profile
if ! command -v go >/dev/null || [[ ! -d $source/testdata ]]; then
	echo "1..0 # SKIP there is no go, or no $source: run tests/setup go pprof-source"
	exit
fi
export GO111MODULE=off GOPATH=/usr/share/gocode GOFLAGS=
for program in tests/profiles/dump tests/text-forms/goprofiles; do
	go build -o "$work/${program##*/}" "$program.go"
done

# Both read the file; Go reads what we wrote.
as_go() { # FILE [DUMP-OPTION]
	collect merge "$1" -o "$work/ours.pb.gz" || return
	diff <("$work/dump" "${@:2}" "$1") <("$work/dump" "${@:2}" "$work/ours.pb.gz")
}

map=$'  build=/src
400000-500000 r-xp 00000000 08:01 11 $build/program
500000-600000 rw-p 00100000 08:01 11 $build/program
7f0000001000-7f0000100000 r-xp 00001000 08:01 12 /lib/libc.so.6
7f0000100000-7f0000200000 r-xp 00100000 08:01 12 /lib/libc.so.6
ui.cc:12] 7f0000300000-7f0000400000: [vdso]
0x7f0000500000-0x7f0000600000 /lib/libm.so.6 (@2000) abc123'
addresses='0x401024 0x7f0000000010 0x7f0000100020 0x7f0000300001 0x7f00004ff000 0x1'

write() { # NAME LINE...: a case for each format, with all mappings
	printf '%s\n' "${@:2}" '--- Memory map: ---' "$map" >"$work/case.$1"
}

# perl's template for a word, and the words after the head.
write_cpu() { # NAME TEMPLATE WORD...
	perl -e 'print pack(shift @ARGV, 0, 3, 0, 10000, 0, @ARGV)' "$2*" "${@:3}" >"$work/case.$1"
	echo "$map" >>"$work/case.$1"
}

write heap 'heap profile: 3: 30 [5: 50] @ heap/1048576' "2: 20 [4: 400000] @ $addresses" \
	'1: 10 [1: 10] @' '0: 0 [2: 1000000] @ 0x401024' '-1: -700 [0: 0] @ 0x401025'
write heap_v2 'heap profile:    1:   9216 [   1:   9216] @ heapz_v2/524288' \
	"   1:   9216 [   1:   9216] @ $addresses"
sed -i 's/--- Memory map: ---/MAPPED_LIBRARIES:/' "$work/case.heap_v2"
write heapprofile 'heap profile: 3: 30 [0: 0] @ heapprofile' "3: 30 [0: 0] @ $addresses"
write growth 'heap profile: 1: 10 [1: 10] @ growthz' "1: 10 [1: 10] @ $addresses"
write fragmentation 'heap profile: 1: 10 [1: 10] @ fragmentation' "1: 10 [1: 10] @ $addresses"
write count '# comment' '' 'x/y profile: total 3' "3 @ $addresses" '0 @ 0x401024'
write contention '--- contentionz 1 ---' 'cycles/second = 3201000000' 'sampling period = 100' \
	'ms since reset = 16502830' 'discarded samples = 0' "  19490304  27 @ $addresses" ' 7 1 @ 0x1'
write mutex '--- mutex:' 'sampling period=3' "100 2 @ $addresses"
write threads '--- threadz 1 ---' '' '--- Thread 7f79 (name: main/14748) stack: ---' \
	'  PC:  0x00401024: helper(arg *)' '  0x00401024: helper(arg *)' '  0x00401034: main' \
	'--- Thread 7f7a (name: x/2) stack: ---' '  [same as previous thread]' \
	'--- Thread 7f7b (name: y/3) stack: ---' "  PC: $addresses" '      creator: 0x401051'
words=(2 3 4198436 4198436 4202513 1 2 4198448 5242881 0 1 0)
for template in V N 'Q<' 'Q>'; do
	write_cpu "cpu.$template" "$template" "${words[@]}"
done
printf '%s\n' '--- heapz 1 ---' 'format = java' 'resolution = bytes' '  7048 1 @ 0x3 0x4 0x5 0x6' \
	' 0x3 com.example.f (Source.java:103)' ' 0x4 native (/lib/libx.so)' \
	' 0x5 generated stub/JIT' >"$work/case.java"

files=()
for file in "$source"/testdata/*; do
	[[ $file = *.string ]] || files+=("$file")
done
files+=("$work"/case.* "$work"/*.txt)
mkdir "$work/go"
"$work/goprofiles" "$work/go"
plan $((${#files[@]} + $(printf '%s\n' "$work"/go/*.txt | wc -l)))
for file in "${files[@]}"; do
	ok "${file##*/}" as_go "$file"
done
# Of stacks with names we keep the frames that have a name, as Go does in profile.proto.
# Some versions of Go's pprof do not read the threads that Go 1.19 writes.
for file in "$work"/go/*.txt; do
	if [[ $file = */go.threadcreate.txt ]] && ! "$work/dump" -sums "$file" >/dev/null 2>&1; then
		skip "the sums of ${file##*/}" 'it is malformed for Go'\''s pprof'
	else
		ok "the sums of ${file##*/}" as_go "$file" -sums
	fi
done
