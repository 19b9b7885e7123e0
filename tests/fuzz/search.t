#!/bin/bash
# Lets the fuzz targets of unwinding search for a minute each, or 250,000 runs,
# as TAP. What they find stays in build/fuzz/. The seed is always the same, so that
# no change fails for what was there before it; make fuzz searches anew each time.
set -euo pipefail
cd "$(dirname "$0")/../.."

targets=(table compile)
echo "1..${#targets[@]}"
number=0
for target in "${targets[@]}"; do
	number=$((number + 1))
	mkdir -p "build/fuzz/found/$target"
	if output=$("build/fuzz/$target" -seed=1 -runs=250000 -max_total_time=60 \
		-artifact_prefix=build/fuzz/crash- "build/fuzz/found/$target" \
		"tests/fuzz/corpus/$target" 2>&1); then
		echo "ok $number - a search by $target: $(grep -o '^Done .*' <<<"$output")"
	else
		echo "not ok $number - a search by $target"
		echo "# $(tail -n 40 <<<"$output" | sed '2,$s/^/# /')"
	fi
done
