#!/usr/bin/env bats
# Who polls is woken, whatever the CPU is about that has something for him.

# bats file_tags=rt,collector
load ../lib/helpers

# Where the kernel is PREEMPT_RT, its threads of that CPU do not get to run meanwhile;
# what the session waits for at its start and end does not, either.
@test "of what has a CPU to itself by its priority" {
	vm <<-'END'
		taskset -pc 0 $$ >/dev/null
		taskset -c 1 burn 60 >/dev/null & burn=$!
		poller $burn 9 >said & poller=$!
		await_session
		chrt -f -p 2 $burn
		sleep 6
		chrt -o -p 0 $burn
		wait $poller || { cat said; exit 1; }
		kill -KILL $burn
	END
	figures cat said
}

# What is on its way when a CPU goes is on its way until it has come.
@test "while CPUs go and come" {
	LIMIT=200 vm <<-'END'
		cpu=/sys/devices/system/cpu/cpu1/online
		threads4 100 >/dev/null & threads=$!
		stormer 100 >/dev/null & stormer=$!
		poller all $(rounds 8 60) >said & poller=$!
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

# Each sample that was to come may be larger than what is free there.
@test "of a ring that is full, where it asked to be woken later" {
	vm <<-'END'
		burn 60 >/dev/null & burn=$!
		poller $burn 9 late >said || { cat said; exit 1; }
		kill -KILL $burn
	END
	figures cat said
}

# Refused at the last moment, they were targets for as long as that took.
@test "for the end, while others are attached" {
	LIMIT=200 vm <<-'END'
		trials $(rounds 50 500) >said || { cat said; exit 1; }
	END
	figures cat said
}
