#!/bin/bash
# Runs each fuzz target over its corpus once, as TAP. `make fuzz` searches on.
set -euo pipefail
cd "$(dirname "$0")/../.."

targets=(tests/fuzz/*.c)
echo "1..${#targets[@]}"
number=0
for source in "${targets[@]}"; do
	target=$(basename "$source" .c)
	number=$((number + 1))
	if output=$(REPLAY=1 "build/fuzz/$target" -runs=0 "tests/fuzz/corpus/$target" 2>&1); then
		echo "ok $number - the corpus of $target"
	else
		echo "not ok $number - the corpus of $target"
		echo "# ${output//$'\n'/$'\n'# }"
	fi
done
