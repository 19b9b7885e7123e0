#!/usr/bin/env bats
# Block profiles: where and how long threads blocked, compared with their own clocks.
# shellcheck disable=SC2016 # awk's

load ../lib/helpers

# NS is within 3 % of the time that the program measured: 1 s, and its delay until it ran
# again. The time may be shorter by the part in which it waited for a CPU, preempted. QEMU
# runs the other CPU for 10 ms at a time: once between the scheduler's clock and the
# module's at the begin of a wait, and once at its end.
near() { # NS NAME
	local ns preempted
	ns=$(truth "$2_ns") preempted=$(truth "$2_preempted_ns")
	echo "$1 ns, the program measured $ns, $preempted of them preempted at most"
	within "$1" $(((ns - preempted) * 97 / 100)) $((ns * 103 / 100))
}

# bats test_tags=each
@test "five ways to block, each with its class" {
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

@test "sampled waits stand for all waits" {
	vm pprof-collect -q --profile block --block-rate 1 -o all.pb.gz -- onoff 3 >truth
	vm pprof-collect -q --profile block --block-rate 5000000 -o some.pb.gz -- onoff 3 2000 >truth2
	all=$(count all.pb.gz '$3 ~ /;stay_off;/')
	within "$all" $(($(truth slept) - 2)) $(($(truth slept) + 2))
	# Waits of about 350 us, one sample each 5 ms: a sample stands for about 14 waits.
	some=$(($(count some.pb.gz '$3 ~ /;stay_off;/') / 14))
	echo "$all waits; $(count some.pb.gz '$3 ~ /;stay_off;/') estimated from samples, of $(truth slept truth2)"
	within "$some" 100 1000
	awk -v n="$(count some.pb.gz '$3 ~ /;stay_off;/')" -v true="$(truth slept truth2)" -v some="$some" \
		'BEGIN { off = n / true - 1; exit !(off ^ 2 <= 16 / some) }'
}

@test "a thread that only waits for a CPU does not block" {
	vm pprof-collect -q --profile block --block-rate 1 -o busy.pb.gz -- threads4 1 >truth
	[ "$(count busy.pb.gz '$3 ~ /work_share/')" -eq 0 ]
}
