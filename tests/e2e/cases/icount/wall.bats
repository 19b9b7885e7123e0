#!/usr/bin/env bats
# The cost of sleeping threads for running ones, in a VM where an instruction takes a nanosecond.
# shellcheck disable=SC2016,SC2034 # awk's and the VM's, and LIMIT, which vm reads

load ../../lib/helpers

export LIMIT=0

PERIOD_NS=100000

# The instructions that a tick takes from the program, beside THREADS sleeping threads.
a_tick() { # THREADS
	awk -v with="$(truth elapsed_ns "$1")" -v alone="$(truth elapsed_ns alone)" -v period=$PERIOD_NS \
		'BEGIN { printf "%.0f\n", (with - alone) / (with / period) }'
}

# The samples of the sleeping threads. Each has at least the ticks of both passes of burn, and
# at most those of the run, which also has the wait at the start.
check_sleepers() { # THREADS
	local least most each
	least=$((2 * $(truth elapsed_ns "$1") / PERIOD_NS))
	most=$(($(show duration "$1.pb.gz") / PERIOD_NS))
	each=$(($(count "$1.pb.gz" '$3 ~ /;park_in_/') / $1))
	within "$each" $((least * 98 / 100)) $((most * 101 / 100))
}

# If a tick walked all threads, it would take a million instructions.
@test "a tick beside 10,000 threads that sleep costs what it costs beside 10" {
	vm <<-'END'
		beside() { # THREADS
			rm -f /run/e2e/end
			mkfifo /run/e2e/end
			parked $1 </run/e2e/end >/run/e2e/ready & parked=$!
			exec 9>/run/e2e/end
			await '[[ -s /run/e2e/ready ]]'
			hold 'exec burn slices 4000 >/run/e2e/burnt'
			pprof-collect -q --profile wall --hz 10000 -o $1.pb.gz --pid $parked,$pid & collector=$!
			await_session
			release
			wait $pid
			cp /run/e2e/burnt $1
			kill -INT $collector
			wait $collector
			exec 9>&-
			wait $parked
		}
		burn slices 4000 >alone
		beside 10
		beside 10000
	END
	figures echo "a tick of wall: $(a_tick 10) instructions beside 10 threads that sleep, $(a_tick 10000) beside 10,000"
	[ "$(a_tick 10)" -gt 0 ]
	within "$(a_tick 10000)" 0 $(($(a_tick 10) * 12 / 10))
	check_sleepers 10
	check_sleepers 10000
}
