#!/usr/bin/env bats
# Where sampling takes too much of a CPU, its rate falls.
# shellcheck disable=SC2016 # awk's

# bats file_tags=collector
load ../lib/helpers

@test "rates fall, and the counts stay true" {
	run --separate-stderr vm <<-'END'
		percent=/sys/module/pprof/parameters/overload_percent
		cat $percent
		echo 1 >$percent
		deep --depth 120 & pid=$!
		await '[[ $(</proc/$pid/comm) = deep ]]'
		for i in 1 2 3 4; do
			pprof-collect --hz 10000 --pid $pid -o $i.pb.gz &
		done
		await_session 4
		await 'pprof-collect status | tee status | grep overload'
		await '[[ $(produced cpu) -ge 120000 ]]'
		kill $pid
		all_well %2 %3 %4 %5
		echo 25 >$percent
	END
	echo "$stderr"
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = 25 ]
	grep -E 'cpu at 10000 Hz \(overload: [0-9.]+ Hz\)' status
	[[ $stderr = *"pprof-collect: sampling took too much of a CPU, and the rate fell from 10000 to "* ]]
	# The module halves the rate of one profile after the other. At least one must be slow, and
	# say so.
	slow=0
	for file in {1..4}.pb.gz; do
		# A sample at a lower rate counts for more ticks, so the sum stays that of the time.
		ticks=$(($(show duration "$file") / 100000))
		within "$(count "$file")" $((ticks * 60 / 100)) $((ticks * 115 / 100))
		[ "$(count "$file" '$3 ~ /;descend;spin$/')" -ge $((ticks / 2)) ]
		[ "$(show period "$file")" -ge 200000 ] || continue
		show comment "$file" | grep -q '^overload: the rate fell from 10000 to '
		slow=$((slow + 1))
	done
	[ $slow -ge 1 ]
}

@test "overload_percent takes 1 to 100 alone" {
	run --separate-stderr vm <<-'END'
		percent=/sys/module/pprof/parameters/overload_percent
		for bad in 0 101 -1 x ''; do
			fails bash -c 'echo "$0" >"$1"' "$bad" $percent 2>/dev/null
			cat $percent
		done
	END
	[ "$output" = "$(printf '25\n%.0s' 1 2 3 4 5)" ]
}
