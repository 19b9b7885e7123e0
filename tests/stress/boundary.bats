#!/usr/bin/env bats
# All that user space may call, called in all wrong ways: as root and as nobody.

load ../e2e/lib/helpers

# The seed is another one each time, and in the log; SEED=N repeats a run.
@test "calls of any kind by root" {
	fuzz
}

@test "calls of any kind by nobody" {
	fuzz as-nobody
}

# The seed is told first: a kernel that hangs or ends tells no more.
fuzz() { # [AS]
	local seed=${SEED:-$RANDOM} calls=5000
	[[ ${STRESS-} != full ]] || calls=500000
	echo "# seed $seed" >&3
	LIMIT=40000 figures vm "$@" boundary "$seed" "$calls"
}
