#!/usr/bin/env bats
# A kernel that is locked down stays so, and takes no module that is not signed:
# this is for a VM of its own, in this order.

load ../helpers

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

look() {
	vm <<-'END'
		blink 20 >/dev/null & pid=$!
		look process $pid
		look everybody $pid
		look audit
		look status
	END
}

@test "integrity: all is seen" {
	lock integrity
	[ "$(look | xargs)" = 'data data data data' ]
}

@test "confidentiality: nobody sees what programs do, not even root" {
	lock confidentiality
	[ "$(look | xargs)" = 'EPERM EPERM EPERM data' ]
	vm <<-'END'
		enter_empty
		refused 'lockdown' pprof-collect --all --seconds 1
	END
	run vm pprof-collect doctor
	[ "$status" -eq 1 ]
	grep '^problem  lockdown   confidentiality' <<<"$output"
}
