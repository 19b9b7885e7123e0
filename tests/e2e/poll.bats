#!/usr/bin/env bats
# Who polls is woken, whatever the CPU is about that has something for him.

load helpers

# Where the kernel is PREEMPT_RT, so that its own threads do not get to run there.
@test "of what has a CPU to itself by its priority" {
	vm <<-'END'
		taskset -pc 0 $$ >/dev/null
		taskset -c 1 chrt -f 50 burn 12 >/dev/null & pid=$!
		await 'chrt -p $pid | grep -q SCHED_FIFO'
		poller $pid 6 >said || { cat said; exit 1; }
		kill -KILL $pid
	END
	figures cat said
}

# What is on its way when a CPU goes is on its way until it has come.
@test "while CPUs go and come" {
	LIMIT=200 vm <<-'END'
		cpu=/sys/devices/system/cpu/cpu1/online
		threads4 60 >/dev/null & threads=$!
		stormer 60 >/dev/null & stormer=$!
		poller all 20 >said & poller=$!
		while kill -0 $poller 2>/dev/null; do
			echo 0 >$cpu
			sleep 0.05
			echo 1 >$cpu
			sleep 0.05
		done
		kill -KILL $threads $stormer
		wait $poller || { cat said; exit 1; }
	END
	figures cat said
}
