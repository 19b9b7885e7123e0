#!/usr/bin/env bats
# Frames of the kernel, with --kernel. check-profile sees that each such frame is at the leaf, and
# that the outermost one is where user space enters the kernel.
# shellcheck disable=SC2016 # awk's

load ../lib/helpers

# A system call, from the user's function to one of the kernel.
in_call() { # USER_FUNCTION KERNEL_FUNCTIONS
	echo "\$3 ~ /;$1;.*;entry_SYSCALL_64_after_hwframe;do_syscall_64;(.*;)?$2/"
}

# bats test_tags=each
@test "cpu time in two system calls" {
	vm pprof-collect -q --kernel --hz 1000 -o calls.pb.gz -- incalls 300
	reads=$(count calls.pb.gz '$3 ~ /;read_zeros;/')
	randoms=$(count calls.pb.gz '$3 ~ /;ask_random;/')
	in_read=$(count calls.pb.gz "$(in_call read_zeros 'ksys_read;vfs_read;')")
	in_random=$(count calls.pb.gz "$(in_call ask_random '[^;]*getrandom')")
	figures echo "$in_read of $reads samples in vfs_read(), $in_random of $randoms in getrandom()"
	at_least "$reads" 100
	at_least "$randoms" 100
	[ $((10 * in_read)) -ge $((6 * reads)) ]
	[ $((10 * in_random)) -ge $((6 * randoms)) ]
	# The unwinder has no rule for the thunks of retpolines, which some CPUs need.
	[ $((50 * $(count calls.pb.gz '$3 ~ /truncated: kernel stack/'))) -le $((reads + randoms)) ]
	show mapping calls.pb.gz | grep -E '^\[kernel\.kallsyms\].[0-9a-f]{40}.true$'
}

# bats test_tags=each
@test "block: each wait with the kernel's way to it" {
	vm pprof-collect -q --kernel --profile block -o block.pb.gz -- blocker 100 >truth
	for place in "sleep .*nanosleep;(.*;)?do_nanosleep;" "futex .*futex;(.*;)?futex_wait" \
		"read ksys_read;vfs_read;.*pipe_read;" "poll .*poll;.*do_sys_poll;" "wait .*wait4;.*do_wait;"; do
		ns=$(amount block.pb.gz "$(in_call "block_in_${place%% *}" "${place#* }")")
		all=$(amount block.pb.gz "\$3 ~ /;block_in_${place%% *};/")
		echo "$place: $ns of $all ns"
		# The rest waits for a page.
		within "$ns" $((all * 85 / 100)) "$all"
	done
	[ "$(count block.pb.gz '$3 !~ /;schedule;__schedule$/')" -eq 0 ]
}

# bats test_tags=each
@test "wall: running, coming back, and asleep until the end" {
	vm <<-'END'
		blink 1000 >/dev/null & pid=$!
		await_sleep $pid
		sleep 1000 & asleep=$!
		await_sleep $asleep
		pprof-collect -q --kernel --profile wall --seconds 1 --pid $pid,$asleep --labels comm -o wall.pb.gz
		kill $pid $asleep
	END
	asleep=$(count wall.pb.gz '$2 == "comm=sleep"')
	at_least "$asleep" 50
	found=$(count wall.pb.gz '$2 == "comm=sleep" && $3 ~ /;do_syscall_64;(.*;)?do_nanosleep;schedule;__schedule$/')
	# Before 5.18 the stack of a thread that sleeps until the end is not safe to read.
	[[ $(vm uname -r) != 5.10.* ]] || asleep=0
	[ "$found" -eq "$asleep" ]
}

# bats test_tags=each
@test "growth and threadcreate" {
	vm pprof-collect -q --kernel --profile growth -o growth.pb.gz -- grow small >truth
	faults=$(count growth.pb.gz '$3 ~ /;fill;(.*;)?asm_exc_page_fault;.*alloc[^;]*$/')
	at_least "$faults" 10000
	[ "$faults" -eq "$(count growth.pb.gz '$3 ~ /;fill;/')" ]
	[ "$(count growth.pb.gz '$3 ~ /__traceiter/')" -eq 0 ]
	vm pprof-collect -q --kernel --profile threadcreate -o create.pb.gz -- threads4 1 >truth
	[ "$(count create.pb.gz)" -eq 4 ]
	# The user part may be truncated: the threads are created before the tables of libc are there.
	[ "$(count create.pb.gz '$3 ~ /;do_syscall_64;.*;copy_process[^;]*$/')" -eq 4 ]
}

# exec, fork and exit have no user stack.
@test "a shell's children: the kernel's part says what has no user stack" {
	vm pprof-collect -q --kernel --hz 1000 -o sh.pb.gz -- \
		sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do busybox true; done'
	bare=$(count sh.pb.gz '$3 ~ /^\[truncated: no user stack\]/')
	told=$(count sh.pb.gz '$3 ~ /^\[truncated: no user stack\];(entry_|asm_|ret_from_fork)/')
	figures echo "$told of $bare samples without a user stack, of $(count sh.pb.gz)"
	at_least "$bare" 5
	[ $((10 * told)) -ge $((9 * bare)) ]
}

# The stacks that ftrace takes at each call of pprof_record_sample(), as often as the sample
# counts: the part behind the interrupt of the timer. An interrupted program has none. A tick
# that is due when the thread leaves its CPU comes from __schedule().
ftrace_stacks() { # FILE
	awk '
		function flush() {
			while (weight-- > 0)
				print stack
		}
		match($0, /weight=/) { flush(); weight = substr($0, RSTART + 7); behind = 0; stack = "" }
		/^ => / && behind { stack = $2 ";" stack }
		/^ => asm_(sysvec|common)/ { behind = 1 }
		/^ => __schedule$/ && !behind { behind = 1; stack = "__schedule;" }
		END { flush() }' "$1"
}

# The same of a profile.
our_stacks() { # PROFILE
	show sample "$1" | awk -F'\t' '{
		stack = ""
		if (match($3, /;(entry_|asm_|ret_from_fork)/))
			stack = substr($3, RSTART + 1) ";"
		else if (match($3, /\[truncated: kernel stack\];/))
			stack = substr($3, RSTART + RLENGTH) ";"
		for (i = 0; i < $1; i++)
			print stack
	}'
}

# bats test_tags=each
@test "the frames are those of ftrace at the same moment" {
	vm <<-'END'
		mount -t tracefs none /sys/kernel/tracing 2>/dev/null || true
		cd /sys/kernel/tracing
		echo 20000 >buffer_size_kb
		echo 'p:ours pprof:pprof_record_sample weight=+8($arg2):u64' >kprobe_events
		echo stacktrace >events/kprobes/ours/trigger
		echo 1 >events/kprobes/ours/enable
		cd - >/dev/null
		pprof-collect -q --kernel --hz 1000 -o calls.pb.gz -- incalls 1000
		cd /sys/kernel/tracing
		echo 0 >events/kprobes/ours/enable
		echo '!stacktrace' >events/kprobes/ours/trigger
		cd - >/dev/null
		cat /sys/kernel/tracing/trace >trace
		echo >/sys/kernel/tracing/kprobe_events
	END
	ftrace_stacks trace | sort >theirs
	our_stacks calls.pb.gz | sort >ours
	# ftrace also sees the samples that do not count: those of the child before its exec.
	figures echo "$(comm -12 ours theirs | wc -l) of $(wc -l <ours) stacks are those of ftrace," \
		"in $(grep -c weight= trace) samples"
	at_least "$(wc -l <ours)" 1000
	at_least "$(grep -c weight= trace)" 50
	comm -23 ours theirs | uniq -c
	[ $(($(comm -23 ours theirs | wc -l) * 200)) -le "$(wc -l <ours)" ]
}

# bats test_tags=once
@test "who may see the kernel's frames" {
	vm <<-'END'
		trap 'echo 0 >/proc/sys/kernel/kptr_restrict' EXIT
		echo 1 >/sys/module/pprof/parameters/users
		enter_empty
		refused '--kernel needs CAP_PERFMON' as-nobody pprof-collect --kernel -- true
		for restrict in 0 1 2; do
			echo $restrict >/proc/sys/kernel/kptr_restrict
			refused 'which kernel.kptr_restrict hides' \
				holder +perfmon,+sys_ptrace pprof-collect --kernel -- true
		done
		refused 'which kernel.kptr_restrict hides' pprof-collect --kernel -- true
		echo 1 >/proc/sys/kernel/kptr_restrict
		holder +perfmon,+sys_ptrace,+syslog pprof-collect -q --kernel --hz 1000 -o - -- \
			busybox true >holder.pb.gz
		rm *
	END
}
