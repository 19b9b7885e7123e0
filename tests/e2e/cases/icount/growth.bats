#!/usr/bin/env bats
# The cost of a growth profile, in a VM where an instruction takes a nanosecond.
# shellcheck disable=SC2034 # LIMIT, which vm reads

load ../../lib/helpers

export LIMIT=0

# The CPU time of NAME above that of "alone", in percent.
slowdown() { # NAME
	awk -v with="$(truth cpu_ns "$1")" -v alone="$(truth cpu_ns alone)" 'BEGIN {
		printf "%.2f\n", 100 * (with - alone) / alone }'
}

check_slowdown() { # NAME PERCENT
	figures echo "$1: $(slowdown "$1") % slower, $2 % at most"
	within "$(slowdown "$1")" 0 "$2"
}

@test "the slowdown of a program that only touches memory" {
	vm <<-'END'
		grow small 4 >alone	# a first run puts its file into the page cache
		grow small 4 >alone
		pprof-collect -q --profile growth -o growth.pb.gz -- grow small 4 >profiled
		pprof-collect -q --profile growth --growth-rate 4096 --buffer-pages 4096 -o all.pb.gz \
			-- grow small 4 >each_page
		sleep 1000 & pid=$!
		pprof-collect -q --profile growth --pid $pid -o other.pb.gz & profiler=$!
		await_session
		grow small 4 >not_profiled
		kill $profiler
		wait $profiler
		kill $pid
	END
	check_slowdown profiled 4
	check_slowdown each_page 10
	check_slowdown not_profiled 2
}
