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
	[ $((10 * in_read)) -ge $((8 * reads)) ]
	[ $((10 * in_random)) -ge $((8 * randoms)) ]
	# The unwinder has no rule for the thunks of retpolines, which some CPUs need.
	[ $((50 * $(count calls.pb.gz '$3 ~ /truncated: kernel stack/'))) -le $((reads + randoms)) ]
	show mapping calls.pb.gz | grep -E '^\[kernel\.kallsyms\].[0-9a-f]{40}.true$'
}

@test "block: each wait with the kernel's way to it" {
	vm pprof-collect -q --kernel --profile block -o block.pb.gz -- blocker 100 >truth
	for place in "sleep .*nanosleep;(.*;)?do_nanosleep;" "futex .*futex;(.*;)?futex_wait" \
		"read ksys_read;vfs_read;.*pipe_read;" "poll .*poll;.*do_sys_poll;" "wait .*wait4;.*do_wait;"; do
		ns=$(amount block.pb.gz "$(in_call "block_in_${place%% *}" "${place#* }")")
		echo "$place: $ns ns of $(truth "${place%% *}_ns")"
		within "$ns" $(($(truth "${place%% *}_ns") * 97 / 100)) $(($(truth "${place%% *}_ns") * 103 / 100))
	done
	[ "$(count block.pb.gz '$3 !~ /;schedule;__schedule$/')" -eq 0 ]
}

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

@test "growth and threadcreate" {
	vm pprof-collect -q --kernel --profile growth -o growth.pb.gz -- grow small >truth
	faults=$(count growth.pb.gz '$3 ~ /;fill;(.*;)?asm_exc_page_fault;.*alloc[^;]*$/')
	at_least "$faults" 10000
	[ "$faults" -eq "$(count growth.pb.gz '$3 ~ /;fill;/')" ]
	[ "$(count growth.pb.gz '$3 ~ /__traceiter/')" -eq 0 ]
	vm pprof-collect -q --kernel --profile threadcreate -o create.pb.gz -- threads4 1 >truth
	[ "$(count create.pb.gz)" -eq 4 ]
	[ "$(count create.pb.gz '$3 ~ /;pthread_create;.*;do_syscall_64;.*;copy_process[^;]*$/')" -eq 4 ]
}
