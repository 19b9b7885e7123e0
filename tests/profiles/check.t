#!/bin/bash
# Checks profiles by the command. Prints TAP.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=tests/profiles/lib.bash
. tests/profiles/lib.bash

prints() { # CODE LINES ARGUMENT...: the lines, with W as the folder and N as an offset
	local code=0 lines
	lines=$(collect check "${@:3}" 2>&1) || code=$?
	diff <(echo "$2") <(sed -E "s|$work|W|; s/byte [0-9]+/byte N/" <<<"$lines")
	[[ $code -eq $1 ]]
}

plan 6
ok 'a valid profile' prints 0 'ok       W/cpu.pb.gz' "$work/cpu.pb.gz"
ok 'standard input' prints 0 'ok       -' - <"$work/cpu.pb.gz"
ok 'a file with a fault among others' prints 1 'ok       W/cpu.pb.gz
problem  W/cut.pb.gz: byte N: expected gzip data, found its end too early: get the file again
ok       W/heap.pb.gz' "$work/cpu.pb.gz" "$work/cut.pb.gz" "$work/heap.pb.gz"
ok 'what a reader leaves out is a warning' prints 0 \
	"warning  W/cpu.pb.gz: only the sample type 'cpu' is shown, of 2: convert the others" \
	--for speedscope "$work/cpu.pb.gz"
collect diff "$work/cpu.pb.gz" "$work/cpu.pb.gz" -o "$work/diff.pb.gz"
ok 'what a reader refuses is a problem' prints 1 \
	"problem  W/diff.pb.gz: a value is negative: use flame for a difference
warning  W/diff.pb.gz: only the sample type 'cpu' is shown, of 2: convert the others" \
	--for speedscope "$work/diff.pb.gz"
ok 'an unknown reader' refuses 2 'must be parca' check --for go "$work/cpu.pb.gz"
