#!/usr/bin/env bats
# A reader that polls is woken, whatever the CPU that took the sample is doing.

# bats file_tags=rt,collector
load ../lib/helpers

# The target has a real-time priority. On PREEMPT_RT the kernel's threads of that CPU cannot
# run meanwhile. Nor can the work that a session awaits at its start and end, so the priority
# is raised only in between.
@test "samples of a target that keeps its CPU by priority" {
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

# A wake-up that is pending when a CPU goes offline must not be lost.
@test "CPUs that go offline and come back" {
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

# The next sample may be larger than the free part of the ring. Then no record ever reaches the
# watermark, and the full ring itself must wake the reader.
@test "a full ring, with a watermark that is never reached" {
	vm <<-'END'
		burn 60 >/dev/null & burn=$!
		poller $burn 9 late >said || { cat said; exit 1; }
		kill -KILL $burn
	END
	figures cat said
}

# Until the attach is refused, at its last step, the process counts as a target.
@test "the end of the last target, while other processes are attached" {
	LIMIT=200 vm <<-'END'
		trials $(rounds 50 500) >said || { cat said; exit 1; }
	END
	figures cat said
}
