#!/usr/bin/env bats
# Breakpoints are placed and removed many times, while collectors and targets are killed.
# shellcheck disable=SC2016 # the VM's

# bats file_tags=rt,heap
load ../lib/helpers

# The time limit in seconds for a script in the VM: the debug kernel is slow.
export LIMIT=1000

@test "a collector that is killed leaves no breakpoint and no session" {
	vm <<-'END'
		for i in 1 3 5; do
			start_pairs
			pprof-collect -q --profile heap --pid $pid & collector=$!
			await_session
			sleep 0.$i
			kill -9 $collector
			wait $collector || true
			await '[[ $(sessions) -eq 0 ]]'
			await 'heaps text $pid >/dev/null'
			kill -9 $pid
			wait $pid || true
		done
		rmmod pprof
		insmod $module
	END
}

# get_user_pages_remote() fails in a task that was killed, so a worker removes the breakpoints.
@test "a session that is killed as it starts or stops leaves no breakpoint" {
	vm <<-'END'
		start_pairs
		heaps text $pid
		for ((i = 0; i < $(rounds 4 200); i++)); do
			heaps storm $pid & one=$!
			heaps storm $pid & other=$!
			sleep 0.$((RANDOM % 2))$((RANDOM % 10))$((RANDOM % 10))
			kill -9 $one $other
			wait $one $other || true
			await '[[ $(sessions) -eq 0 ]]'
			heaps text $pid >/run/text || { cat /run/text; exit 1; }
		done
		kill -0 $pid
		kill -9 $pid
	END
}

@test "starts and stops, while threads allocate and other processes fork and end" {
	vm <<-'END'
		start_pairs
		(while allocs fork >/dev/null; do :; done) & loop=$!
		for target in $pid $loop; do
			heaps cycle $(rounds 5 200) $target >sums || { cat sums; exit 1; }
			grep -q '^[1-9].* produced$' sums
		done
		kill $pid $loop
	END
}

@test "children that are forked during a start have all breakpoints" {
	vm <<-'END'
		brood $(rounds 2 100)
	END
}
