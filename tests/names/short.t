#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Names of functions in C and C++, of each kind of debug info, compared with those of other tools,
# as TAP. `make names` goes on to more languages and linkers.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=tests/tap.bash
. tests/tap.bash

out=build/names/short
rm -rf "$out"
skipped=$(tests/names/build --short "$out" 2>&1)

is_empty() { # TEXT
	echo "$1"
	[[ -z $1 ]]
}

# What the test sees: an address that belongs to another program.
sees_another_program() {
	mkdir -p "$out/wrong"
	cp "$out/gcc-lto/program" "$out/wrong/program"
	cp "$out/gcc/program" "$out/wrong/twin"
	! tests/names/compare -n 200 "$out/wrong" >/dev/null
}

ok 'all programs were built' is_empty "$skipped"
for folder in "$out"/*/; do
	ok "names of $(basename "$folder")" tests/names/compare -n 400 "$folder"
done
ok 'wrong names are seen' sees_another_program
echo "1..$number"
