#!/usr/bin/env bats
# --live: the threads that are alive, by their creators, and the lifetimes of the others.
# shellcheck disable=SC2016 # awk's

# bats file_tags=collector
load ../lib/helpers

# The sum of a column of the samples that match: COUNT LABELS STACK LIVE LIFETIME.
sum() { # COLUMN PROFILE [AWK_PATTERN]
	show sample "$2" | awk -F'\t' "BEGIN { n = 0 } ${3-} { n += \$$1 } END { printf \"%.0f\\n\", n }"
}

@test "one thread in ten is leaked: its creator, and the lifetime of the others" {
	vm <<-'END'
		hold 'exec leaks 500 >truth'
		pprof-collect --profile threadcreate --live --pid $pid -o leaks.pb.gz 2>summary &
		collector=$!
		await_session
		release
		await '[[ -s truth ]]'
		kill -INT $collector
		wait $collector
		kill $pid
	END
	[ "$(truth leaked)" -eq 50 ]
	[ "$(sum 1 leaks.pb.gz)" -eq 500 ]
	[ "$(sum 1 leaks.pb.gz '$3 ~ /;site_leak;/')" -eq 50 ]
	[ "$(sum 4 leaks.pb.gz '$3 ~ /;site_leak;/')" -eq 50 ]
	[ "$(sum 5 leaks.pb.gz '$3 ~ /;site_leak;/')" -eq 0 ]
	[ "$(sum 4 leaks.pb.gz '$3 ~ /;site_done;/')" -eq 0 ]
	within "$(sum 5 leaks.pb.gz '$3 ~ /;site_done;/')" 450000000 "$(truth lived_ns)"
	grep -E '^ +0 +0% +[0-9.]+% +50 +100%  .*site_leak' summary
}

# At the end of a run its sources stop one after the other. A thread that ends meanwhile counts
# as alive. Of each of the twenty there are two while it creates its successor, and three if
# that one is late as well.
@test "always twenty threads, of which none lives long" {
	vm <<-'END'
		relay 20 50 & pid=$!
		await '[[ $(ls /proc/$pid/task | wc -l) -ge 21 ]]'
		for i in {1..3}; do
			pprof-collect -q --live --pid $pid --profile threadcreate -o one$i.pb.gz & one=$!
			pprof-collect -q --live --pid $pid --profile cpu,threadcreate,block & many=$!
			await_session 2
			await '[[ $(produced threadcreate) -ge 400 ]]'
			kill -INT $one $many
			all_well $one $many
			mv pprof.relay.*.threadcreate.pb.gz many$i.pb.gz
		done
		kill $pid
	END
	for name in one many; do
		for i in {1..3}; do
			at_least "$(sum 1 "$name$i.pb.gz")" 100
			sum 4 "$name$i.pb.gz"
		done >$name
		figures echo "live: $(sort -n $name | xargs)"
		within "$(sort -n $name | sed -n 2p)" 16 60
	done
}

@test "a process that has ended has no threads alive" {
	vm pprof-collect -q --profile threadcreate --live -o over.pb.gz -- clones --raw 3000
	[ "$(sum 1 over.pb.gz)" -eq 3000 ]
	[ "$(sum 4 over.pb.gz)" -eq 0 ]
}

# The thread that executes becomes the leader of the process; all other threads end.
@test "after an exec no thread of the old program is alive" {
	vm <<-'END'
		hold 'exec threadexec sleep 1000'
		pprof-collect -q --profile threadcreate --live --pid $pid -o exec.pb.gz &
		collector=$!
		await_session
		release
		await_sleep $pid
		kill -INT $collector
		wait $collector
		kill $pid
	END
	[ "$(sum 1 exec.pb.gz)" -eq 11 ]
	[ "$(sum 4 exec.pb.gz)" -eq 0 ]
}

@test "threads from before the run, and tids that are used again" {
	vm <<-'END'
		echo 800 >/proc/sys/kernel/pid_max
		trap 'echo 32768 >/proc/sys/kernel/pid_max' EXIT
		leaks 100 >before &
		early=$!
		await '[[ -s before ]]'
		hold 'exec leaks 1000 >truth'
		pprof-collect -q --profile threadcreate --live --pid $early,$pid -o again.pb.gz &
		collector=$!
		await_session
		kill $early
		release
		await '[[ -s truth ]]'
		kill -INT $collector
		wait $collector
		kill $pid
	END
	[ "$(sum 1 again.pb.gz)" -eq 1000 ]
	[ "$(sum 4 again.pb.gz '$3 ~ /;site_leak;/')" -eq 100 ]
	[ "$(sum 4 again.pb.gz)" -eq 100 ]
}

@test "--live is refused with another profile type" {
	vm <<-'END'
		enter_empty
		refused '--live adds to the threadcreate profile' pprof-collect --live --pid $$
	END
}
