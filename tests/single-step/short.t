#!/bin/bash
# Compares stacks at each instruction boundary of small programs, which have frames of every kind.
# Prints TAP. It takes about half a minute. `make single-step` goes on to large programs.
set -euo pipefail
cd "$(dirname "$0")/../.."

cases=(frames.static lazy signals.static "signals.static alt" create.static threads.static
	children.static throw.static frames.lld)
echo "1..$((${#cases[@]} + 4))"
number=0

compare() { # WHAT WANTED-EXIT-CODE ARGUMENT...
	local code=0 output
	number=$((number + 1))
	output=$(build/single-step/steps "${@:3}" 2>&1) || code=$?
	[[ $code -eq $2 ]] || printf 'not '
	echo "ok $number - $1"
	echo "# ${output//$'\n'/$'\n'# }"
}

for case in "${cases[@]}"; do
	read -ra command <<<"build/single-step/$case"
	compare "the stacks of $case" 0 --show 1 "${command[@]}"
done
# Debian's musl has no unwind information.
compare 'the stacks of threads.musl-static' 0 --least 2 --missing 1 --show 1 --places 1 \
	build/single-step/threads.musl-static
# The start of a Go program, whose runtime switches stacks.
export GODEBUG=asyncpreemptoff=1
compare 'the stacks of goroutines' 0 --every 5 --stacks 40000 --switches --least 10 --show 1 \
	--places 3 build/single-step/goroutines
compare 'the stacks of goroutines.stripped' 0 --every 5 --stacks 40000 --switches --least 10 \
	--show 1 --places 3 build/single-step/goroutines.stripped
# Stock code keeps no frame pointers: hardly a stack is right by them.
compare 'wrong stacks are noticed' 1 --fp --places 0 build/single-step/frames.static
