#!/bin/bash
# Draws profiles by the command, and reads its messages. Prints TAP.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=tests/tap.bash
. tests/tap.bash

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

flame() { ./pprof-collect flame "$@"; }

draws() { # OUTPUT WORD: the output begins with the word
	flame "$work/cpu.pb.gz" -o "$work/$1" && [[ $(head -c "${#2}" "$work/$1") = "$2" ]]
}

draws_standard_input() {
	flame - -o - <"$work/cpu.pb.gz" >"$work/stdout.html"
	diff <(sed s/cpu.pb.gz/-/ "$work/cpu.html") "$work/stdout.html"
}

# The total is the first title of a picture.
total() { # FILE
	grep -o '<title>all: [^,]*' "$1" | sed -n '1s/.* \([0-9.]* [a-z]*\)$/\1/p'
}

adds_up() {
	flame "$work/cpu.pb.gz" -o "$work/once.svg" --type samples
	flame "$work/cpu.pb.gz" "$work/cpu.pb.gz" -o "$work/twice.svg" --type samples
	[[ $(($(total "$work/once.svg" | cut -d ' ' -f 1) * 2)) -eq \
		$(total "$work/twice.svg" | cut -d ' ' -f 1) ]]
}

# The exit code, the message and a folder without new files.
refuses() { # CODE MESSAGE ARGUMENT...
	local code=0 message
	mkdir "$work/out"
	message=$(flame "${@:3}" 2>&1) || code=$?
	[[ $code -eq $1 && $message = *"$2"* ]] || echo "exit code $code: $message"
	rmdir "$work/out"
	[[ $code -eq $1 && $message = *"$2"* ]]
}

keeps_the_old_file() {
	echo old >"$work/old.html"
	! flame /dev/null -o "$work/old.html" 2>/dev/null && [[ $(cat "$work/old.html") = old ]]
}

build/text/forms "$work"
echo 1..11
ok 'a page' draws cpu.html '<!DOCTYPE html>'
ok 'a picture' draws cpu.svg '<svg xmlns='
ok 'standard input and output' draws_standard_input
ok 'a sample type' flame "$work/heap.pb.gz" -o "$work/heap.html" --type alloc_space
ok 'two profiles are added up' adds_up
ok 'two profiles of other types' refuses 1 heap.pb.gz \
	"$work/cpu.pb.gz" "$work/heap.pb.gz" -o "$work/out/x.html"
ok 'an unknown sample type: the known ones' refuses 1 inuse_space \
	"$work/heap.pb.gz" -o "$work/out/x.html" --type none
ok 'no profile' refuses 1 /etc/passwd /etc/passwd -o "$work/out/x.html"
ok 'a file that is not there' refuses 1 nowhere "$work/nowhere" -o "$work/out/x.html"
ok 'a folder that is not there' refuses 1 'name another --output' \
	"$work/cpu.pb.gz" -o "$work/nowhere/x.html"
ok 'an error keeps the old file' keeps_the_old_file
