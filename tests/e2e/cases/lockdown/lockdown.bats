#!/usr/bin/env bats
# Kernel lockdown. It cannot be taken back, and then the kernel refuses unsigned modules. So
# these tests need a VM of their own, and run in this order.

load ../../lib/helpers

teardown_file() {
	:
}

lock() { # LEVEL
	vm <<-END
		mountpoint -q /sys/kernel/security || mount -t securityfs none /sys/kernel/security
		echo $1 >/sys/kernel/security/lockdown
		grep -F '[$1]' /sys/kernel/security/lockdown
	END
}

# The rows are root, the user nobody with CAP_PERFMON alone, and nobody. The columns are
# samples of a process of nobody, a session for all, thread creations, the list of sessions.
# Custom profiles must work at any level, as they show only the program itself.
look() {
	vm <<-'END'
		as-nobody blink 50 >/dev/null & pid=$!
		await_sleep $pid
		row() { # NAME COMMAND...
			echo "$1" $("${@:2}" sh -c "look process $pid; look everybody $pid
				look audit; look status")
		}
		row root env
		row perfmon holder +perfmon
		row nobody as-nobody
		as-nobody client errors >&2
	END
}

@test "integrity: nothing is refused" {
	lock integrity
	look >seen
	compare <<-'END'
		root     data  data   data   data
		perfmon  data  data   EPERM  EPERM
		nobody   data  EPERM  EPERM  EPERM
	END
	vm <<-'END'
		start_pairs
		pprof-collect -q --profile heap --heap-rate 1 --pid $pid --seconds 1 -o heap.pb.gz
		kill $pid
	END
	at_least "$(count heap.pb.gz)" 1
}

@test "confidentiality: no user may profile, not even root" {
	lock confidentiality
	look >seen
	compare <<-'END'
		root     EPERM  EPERM  EPERM  data
		perfmon  EPERM  EPERM  EPERM  EPERM
		nobody   EPERM  EPERM  EPERM  EPERM
	END
	vm <<-'END'
		enter_empty
		refused 'lockdown' pprof-collect --all --seconds 1
		start_pairs
		refused 'lockdown' pprof-collect --profile heap --pid $pid --seconds 1
		kill $pid
	END
	run vm pprof-collect doctor
	[ "$status" -eq 1 ]
	grep '^problem  lockdown   confidentiality' <<<"$output"
}
