#!/usr/bin/env bats
# Fuzzes the whole interface of the module (boundary.c): as root, and as the user nobody.

load ../e2e/lib/helpers

# The seed is random, and is printed. SEED=N repeats the calls of a run.
@test "calls of any kind by root" {
	fuzz
}

@test "calls of any kind by nobody" {
	fuzz as-nobody
}

# The seed is printed first: after a crash of the kernel nothing more is printed.
fuzz() { # [AS]
	local seed=${SEED:-$RANDOM} calls=5000
	[[ ${STRESS-} != full ]] || calls=500000
	echo "# seed $seed" >&3
	LIMIT=40000 figures vm "$@" boundary "$seed" "$calls"
}
