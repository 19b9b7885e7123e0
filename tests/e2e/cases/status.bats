#!/usr/bin/env bats
# pprof-collect status: the sessions and their counters.

load ../lib/helpers

@test "no session" {
	run --separate-stderr vm pprof-collect status
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = 'no sessions' ]
}

@test "a run, while it runs" {
	vm <<-'END'
		burn 1000 & echo "burn=$!" >truth
		pprof-collect -q --hz 2000 --pid $! --buffer-pages 64 -o run.pb.gz & pid=$!
		echo "pid=$pid" >>truth
		await '[[ $(produced cpu) -ge 100 ]]'
		pprof-collect status >early
		before=$(produced cpu)
		await '[[ $(produced cpu) -gt $before ]]'
		pprof-collect status >late
		kill -INT $pid %1
		wait $pid
	END
	cat early
	grep -E "^session [0-9]+: pprof-collect \(pid $(truth pid), uid 0\)$" early
	grep -E '^  target +1 process$' early
	grep -E '^  sources +cpu at 2000 Hz$' early
	grep -E '^  rings +2 of 256 KiB, [0-9]+ bytes pending$' early
	at_least "$(produced cpu early)" 100
	[ "$(produced cpu late)" -gt "$(produced cpu early)" ]
	[ "$(count run.pb.gz)" -ge "$(produced cpu late)" ]
}

produced() { # CLASS FILE
	awk -v class="$1" '$1 == class && $2 == "all" { print $3 }' "$2"
}

# bats test_tags=once
@test "several sessions, each with its sources" {
	vm <<-'END'
		start_ready idle; a=$pid
		start_ready idle; b=$pid
		start_ready as-nobody idle; c=$pid
		pprof-collect -q --pid $a,$b --children --profile cpu,threadcreate &
		pprof-collect -q --all --profile threadcreate -o all.pb.gz &
		as-nobody pprof-collect -q --pid $c -o - >/dev/null &
		await_session 3
		pprof-collect status >status
		kill -INT %4 %5 %6
		all_well %4 %5 %6
	END
	cat status
	[ "$(grep -c '^session ' status)" -eq 3 ]
	[ "$(grep -cE '^  target +2 processes and their children$' status)" -eq 1 ]
	[ "$(grep -cE '^  target +all processes$' status)" -eq 1 ]
	[ "$(grep -cE '^  sources +cpu at 100 Hz, threadcreate$' status)" -eq 1 ]
	[ "$(grep -cE '^  sources +threadcreate$' status)" -eq 1 ]
	[ "$(grep -cE '^session .*, uid 65534\)$' status)" -eq 1 ]
	run vm pprof-collect status
	[ "${lines[0]}" = 'no sessions' ]
}
