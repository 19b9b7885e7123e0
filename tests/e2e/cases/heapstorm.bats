#!/usr/bin/env bats
# Breakpoints that come and go, time and again, whoever is killed meanwhile.
# shellcheck disable=SC2016 # the VM's

# bats file_tags=rt,heap
load ../lib/helpers

# In s, of what runs in the VM: the debug kernel is slow.
export LIMIT=1000

@test "killed at any moment, nothing stays" {
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

# get_user_pages_remote() refuses to work for who was killed.
@test "killed as it starts and stops, no breakpoint stays" {
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

@test "started and stopped, while threads allocate and others fork and end" {
	vm <<-'END'
		start_pairs
		(while allocs fork >/dev/null; do :; done) & loop=$!
		for target in $pid $loop; do
			heaps cycle $(rounds 5 200) $target >sums || { cat sums; exit 1; }
			grep -q '^[1-9].* told$' sums
		done
		kill $pid $loop
	END
}

@test "started while the target bears children: they have breakpoints" {
	vm <<-'END'
		brood $(rounds 2 100)
	END
}
