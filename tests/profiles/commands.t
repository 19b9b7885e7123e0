#!/bin/bash
# Prints profiles by the commands, beside go tool pprof where Go is. Prints TAP.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=tests/profiles/lib.bash
. tests/profiles/lib.bash

# What both print with the same options. -peek takes its expression with "=".
as_go() { # REPORT[=REGEX] OPTION... FILE
	local report=${1%%=*} regex=()
	[[ $1 != *=* ]] || regex=("${1#*=}")
	diff <("$pprof" "-$1" "${@:2}" 2>"$work/complaints") <(collect "$report" "${regex[@]}" "${@:2}")
}

as_go_all() { # OPTION...
	local kind report reports=(top tree peek=beta)
	[[ $* =~ -(cum|drop|relative) ]] || reports+=(traces)
	for kind in block cpu growth heap mutex; do
		for report in "${reports[@]}"; do
			as_go "$report" "$@" "$work/$kind.pb.gz" || return
		done
	done
}

as_go_plain() { # REPORT
	local kind
	for kind in block cpu growth heap mutex; do
		as_go "$1" "$work/$kind.pb.gz" || return
	done
}

compares() {
	diff <(collect diff "$work/cpu.pb.gz" "$work/twice.pb.gz" top -cum) \
		<(collect top -cum --diff-base "$work/cpu.pb.gz" "$work/twice.pb.gz")
}

# A filter by a command, and the same filter by another one before it.
filters_first() {
	collect filter --focus beta --tagfocus tid=77 "$work/cpu.pb.gz" -o "$work/part.pb.gz"
	diff <(collect traces --focus beta --tagfocus tid=77 "$work/cpu.pb.gz" | sed 1,/----/d) \
		<(collect traces "$work/part.pb.gz" | sed 1,/----/d)
}

on_terminal() { # WIDTH COMMAND...: prints what a terminal gets
	script -qec "stty cols $1; PAGER=${PAGER-cat} TERM=xterm ${*:2}" /dev/null </dev/null | tr -d '\r'
}

fits_a_terminal() {
	local width
	on_terminal 60 ./pprof-collect top "$work/cpu.pb.gz" >"$work/terminal"
	width=$(sed 's/\x1b\[[0-9]*m//g' "$work/terminal" | wc -L)
	echo "the longest line has $width characters"
	[[ $width -eq 60 ]] && grep -q $'\e\\[31m' "$work/terminal"
}

uses_the_pager() {
	[[ $(PAGER="'sed s/^/pager:/'" on_terminal 80 ./pprof-collect comments "$work/cpu.pb.gz") = pager:lost* ]]
}

# The pager would overwrite what stands on the terminal.
pages_messages() {
	PAGER="'sed s/^/pager:/'" on_terminal 80 ./pprof-collect top --hide nothing "$work/cpu.pb.gz" \
		>"$work/terminal"
	grep -q '^pager:pprof-collect: --hide matches nothing' "$work/terminal" &&
		grep -q '^pager:.* flat ' "$work/terminal"
}

# Each format, and the filters in it.
converts() { # FORMAT WORD: the word is in the output
	collect convert "$work/cpu.pb.gz" --to "$1" -o "$work/converted" &&
		collect convert "$work/cpu.pb.gz" --to "$1" | cmp - "$work/converted" &&
		grep -q "$2" "$work/converted"
}

filters_folded() {
	[[ $(collect convert --to folded --type samples --tagfocus tid=77 "$work/cpu.pb.gz") = \
		'gamma_with_a_long_name;beta 18' ]]
}

is_plain_in_a_pipe() {
	! collect top "$work/cpu.pb.gz" | grep -q $'\e'
}

writes_a_file() {
	collect top "$work/cpu.pb.gz" -o "$work/top.txt"
	collect top "$work/cpu.pb.gz" | diff - "$work/top.txt"
}

warns_of_a_filter() {
	collect top --hide nothing "$work/cpu.pb.gz" 2>&1 >"$work/top.txt" |
		grep -qx 'pprof-collect: --hide matches nothing: use another expression'
	grep -q beta "$work/top.txt"
}

# One sample, whose label "size" has 7 kb and 7 ms.
make_two_units() {
	printf '\n\x04\x08\x01\x10\x02\x12\x12\x10\x01\x1a\x06\x08\x03\x18\x07\x20\x04\x1a\x06\x08\x03\x18\x07\x20\x05'
	printf '2\x002\x03cpu2\x02ns2\x04size2\x02kb2\x02ms'
}

warns_of_units() {
	make_two_units >"$work/units.pb"
	collect tags "$work/units.pb" 2>&1 >"$work/tags.txt" |
		grep -qx "pprof-collect: the label 'size' has numbers in kb and in ms, and all are taken for kb: use one unit in the program that sets it"
	! collect top "$work/units.pb" 2>&1 | grep 'the label'
}

collect merge "$work/cpu.pb.gz" "$work/cpu.pb.gz" -o "$work/twice.pb.gz"
plan 46
for options in '' -cum -lines -addresses -filefunctions -noinlines -mean -unit=us -drop_negative \
	-focus=alpha -ignore=alpha -hide=beta -show=beta -show_from=gamma -tagfocus=tid=77 \
	-tagignore=tid=77 -prune_from=beta -tagroot=tid -relative_percentages\ -focus=alpha; do
	read -ra words <<<"$options"
	ok_if go "as Go: ${options:-no option}" as_go_all "${words[@]}"
done
ok_if go 'as Go: comments' as_go_plain comments
for report in tags raw; do
	if [[ $pprof ]] && pprof_is_old; then
		skip "as Go: $report" "$pprof is too old"
	else
		ok_if go "as Go: $report" as_go_plain "$report"
	fi
done
ok_if go 'as Go: -diff_base' as_go top -diff_base "$work/cpu.pb.gz" "$work/twice.pb.gz"
ok_if go 'as Go: -base' as_go top -base "$work/cpu.pb.gz" "$work/twice.pb.gz"
ok 'diff and --diff-base are the same' compares
ok 'a profile of what the filters leave' filters_first
ok 'a file' writes_a_file
ok 'a filter without effect is a warning' warns_of_a_filter
ok 'a label with two units is a warning' warns_of_units
ok_if script 'a table fits the terminal, and has colours' fits_a_terminal
ok_if script 'a pager' uses_the_pager
ok_if script 'messages go to the pager, too' pages_messages
ok 'no colours in a pipe' is_plain_in_a_pipe
ok 'convert to folded' converts folded '^gamma_with_a_long_name;beta;alpha 60000000$'
ok 'convert to speedscope' converts speedscope '"name":"gamma_with_a_long_name"'
ok 'convert to text' converts text '^60000000 @ 0x'
ok 'convert to firefox' converts firefox '"gamma_with_a_long_name"'
ok 'convert to otlp' converts otlp gamma_with_a_long_name
ok 'convert what filters leave' filters_folded
ok 'an unknown format' refuses 2 '--to' convert --to none "$work/cpu.pb.gz" -o "$work/out/x"
ok 'no format' refuses 2 'give --to FORMAT' convert "$work/cpu.pb.gz" -o "$work/out/x"
ok 'filters that leave nothing' refuses 1 '--focus matches nothing' \
	top --focus nothing "$work/cpu.pb.gz" -o "$work/out/x"
ok 'a wrong expression' refuses 2 '--focus: the regular expression has a (' \
	top --focus '(' "$work/cpu.pb.gz" -o "$work/out/x"
ok 'peek finds nothing' refuses 1 'no function matches' \
	peek nothing "$work/cpu.pb.gz" -o "$work/out/x"
ok 'no samples' refuses 1 'has no samples' top "$work/empty.pb.gz" -o "$work/out/x"
ok 'a base without a difference' refuses 1 'does not differ' \
	top --base "$work/cpu.pb.gz" "$work/cpu.pb.gz" -o "$work/out/x"
