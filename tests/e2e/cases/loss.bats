#!/usr/bin/env bats
# Records that the collector does not get are counted: produced == consumed + lost.
# shellcheck disable=SC2016 # awk's

# bats file_tags=rt,collector
load ../lib/helpers

@test "a collector that is stopped for a while" {
	run --separate-stderr vm <<-'END'
		pprof-collect --hz 10000 --buffer-pages 8 -o loss.pb.gz -- split75 $((5 * E2E_WIDER)) \
			>truth & pid=$!
		await '[[ $(produced cpu) -gt 0 ]]'
		kill -STOP $pid
		await '[[ $(lost cpu) -ge 2000 ]]'
		pprof-collect status >status
		kill -CONT $pid
		wait $pid
	END
	[ "$status" -eq 0 ]
	lost=$(count loss.pb.gz '$3 == "lostProfileEvent"')
	[ "$lost" -ge 1000 ]
	[[ ${stderr_lines[0]} = "cpu: $(count loss.pb.gz) samples in "*" s, $lost lost, "* ]]
	[ "$(show comment loss.pb.gz | head -n 1)" = "lost: $lost" ]

	# Each tick is in the profile: one for each 0.1 ms of the target's CPU time. Ticks also
	# count the interrupts meanwhile, which are not in that CPU time.
	ticks=$(($(truth cpu_ns) / 100000))
	within "$(count loss.pb.gz)" $((ticks * 98 / 100)) $((ticks * 115 / 100))

	# The counters showed the loss while the collector was stopped.
	read -r _ _ produced lost _ < <(grep '^  cpu  *all' status)
	[ "$lost" -ge 1000 ]
	[ "$produced" -gt "$lost" ]
	grep -E '^  cpu +all .* ring full [0-9]+' status
}

@test "threads are counted while the collector is stopped" {
	vm <<-'END'
		hold 'exec clones --raw 10000'
		pprof-collect -q --profile threadcreate --buffer-pages 8 --pid $pid -o loss.pb.gz &
		await_session
		kill -STOP %2
		release
		wait %1
		kill -CONT %2
		wait %2
	END
	[ "$(count loss.pb.gz)" -eq 10000 ]
	at_least "$(count loss.pb.gz '$3 == "lostProfileEvent"')" 1000
}

@test "no loss at 10 kHz with default buffers" {
	vm pprof-collect -q --hz 10000 -o all.pb.gz -- threads4 2
	at_least "$(count all.pb.gz)" 5000
	[ "$(show comment all.pb.gz | head -n 1)" = 'lost: 0' ]
	[ "$(count all.pb.gz '$3 == "lostProfileEvent"')" -eq 0 ]
}

@test "samples beyond --max-stacks are counted under one name" {
	run --separate-stderr vm pprof-collect --hz 1000 --max-stacks 3 -o max.pb.gz -- split75 1
	[ "$status" -eq 0 ]
	over=$(count max.pb.gz '$3 == "[lost: more stacks than --max-stacks]"')
	[ "$over" -ge 1 ]
	[ "$(show sample max.pb.gz | wc -l)" -eq 4 ]
	[[ ${stderr_lines[0]} = "cpu: $(count max.pb.gz) samples in "*", $over over --max-stacks, "* ]]
}

@test "a collector that is killed leaves no session" {
	vm <<-'END'
		burn 1000 & pid=$!
		pprof-collect -q --hz 1000 --profile cpu,threadcreate --pid $pid &
		await_session
		await '[[ $(produced cpu) -gt 0 ]]'
		kill -KILL %2
		wait %2 || true
		[[ $(pprof-collect status) = "no sessions"* ]]
		kill -0 $pid
		rmmod pprof
		insmod $module
		rm .pprof.*
	END
}
