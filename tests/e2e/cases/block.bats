#!/usr/bin/env bats
# Where and how long threads blocked, against what the program measured.
# shellcheck disable=SC2016 # awk's

load ../lib/helpers

# Within 1 % of what the program measured, which is 1 s and how late it ran again, but for
# what it waited for a CPU that was taken from it.
near() { # NS PLACE
	local ns preempted
	ns=$(truth "$2_ns") preempted=$(truth "$2_preempted_ns")
	echo "$1 ns, the program measured $ns, $preempted of them preempted at most"
	within "$1" $(((ns - preempted) * 99 / 100)) $((ns * 101 / 100))
}

# bats test_tags=each
@test "five places, each with its class" {
	vm pprof-collect -q --profile block -o block.pb.gz -- blocker 1000 >truth
	near "$(amount block.pb.gz '$2 == "class=futex" && $3 ~ /;block_in_futex;/')" futex
	near "$(amount block.pb.gz '$2 == "class=io" && $3 ~ /;block_in_read;/')" read
	near "$(amount block.pb.gz '$2 == "class=poll" && $3 ~ /;block_in_poll;/')" poll
	near "$(amount block.pb.gz '$2 == "class=sleep" && $3 ~ /;block_in_sleep;/')" sleep
	near "$(amount block.pb.gz '$2 == "class=other" && $3 ~ /;block_in_wait;/')" wait
	for place in futex poll sleep; do
		[ "$(count block.pb.gz "\$3 ~ /;block_in_$place;/")" -eq 1 ]
	done
	[ "$(show comment block.pb.gz | head -n 1)" = 'lost: 0' ]
}

@test "sampled waits stand for all of them" {
	vm pprof-collect -q --profile block --block-rate 1 -o all.pb.gz -- onoff 3 >truth
	vm pprof-collect -q --profile block --block-rate 5000000 -o some.pb.gz -- onoff 3 2000 >truth2
	all=$(count all.pb.gz '$3 ~ /;stay_off;/')
	within "$all" $(($(truth slept) - 2)) $(($(truth slept) + 2))
	# The mean is that of waits of some 350 us, so each stands for about 14.
	some=$(($(count some.pb.gz '$3 ~ /;stay_off;/') / 14))
	echo "$all waits; $(count some.pb.gz '$3 ~ /;stay_off;/') told from a sample, of $(truth slept truth2)"
	within "$some" 100 1000
	awk -v n="$(count some.pb.gz '$3 ~ /;stay_off;/')" -v true="$(truth slept truth2)" -v some="$some" \
		'BEGIN { off = n / true - 1; exit !(off ^ 2 <= 16 / some) }'
}

@test "a thread that only waits for a CPU does not block" {
	vm pprof-collect -q --profile block --block-rate 1 -o busy.pb.gz -- threads4 1 >truth
	[ "$(count busy.pb.gz '$3 ~ /work_share/')" -eq 0 ]
}
