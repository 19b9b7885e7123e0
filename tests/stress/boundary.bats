#!/usr/bin/env bats
# All that user space may call, called in all wrong ways: as root and as nobody.

load ../e2e/helpers

# The seed is another one each time, and in the log; SEED=N repeats a run.
@test "calls of any kind by root" {
	LIMIT=40000 figures vm boundary "${SEED:-$RANDOM}" "$(calls)"
}

@test "calls of any kind by nobody" {
	LIMIT=40000 figures vm as-nobody boundary "${SEED:-$RANDOM}" "$(calls)"
}

calls() {
	if [[ ${STRESS-} = full ]]; then echo 500000; else echo 5000; fi
}
