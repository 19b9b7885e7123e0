#!/usr/bin/env bats
# Everything that the module must keep apart, at once (races.c). The user nobody must not see a
# mark of another user's process. The kernel log must be clean, and nothing may leak.

load ../e2e/lib/helpers

# The seed is printed first: after a crash of the kernel nothing more is printed.
@test "calls while their arguments, sessions, targets, CPUs and the module go away" {
	local seed=${SEED:-$RANDOM}
	echo "# seed $seed" >&3
	LIMIT=40000 figures vm <<-END
		cp \$module /run/e2e/pprof.ko
		races /run/e2e/pprof.ko $seed \$(rounds 4000 1000000)
	END
}
