#!/usr/bin/env bats
# The number of samples, compared with the CPU time of the target, in a VM where an
# instruction takes a nanosecond and no tick is late.
# shellcheck disable=SC2016,SC2034 # awk's $, and LIMIT, which vm reads

load ../../lib/helpers

# No time limit: while the VM waits for a file of the host, its clock jumps to the next timer.
# No slack: no tick is late.
export LIMIT=0
export SLACK=0

exact() { # PROFILE HZ: within 1 %
	expected=$(($(truth cpu_ns) / (1000000000 / $2)))
	echo "$(count "$1") samples, $expected expected"
	within "$(count "$1")" $((expected * 99 / 100)) $(((expected * 101 + 99) / 100))
}

@test "1 kHz, always on" {
	vm pprof-collect -q --hz 1000 -o burn.pb.gz -- burn 1 >truth
	exact burn.pb.gz 1000
}

@test "1 kHz, 300 us on and 300 us off" {
	vm pprof-collect -q --hz 1000 -o onoff.pb.gz -- onoff 2 >truth
	exact onoff.pb.gz 1000
}

@test "100 Hz is the default" {
	vm pprof-collect -q -o burn.pb.gz -- burn 2 >truth
	exact burn.pb.gz 100
	[ "$(show period burn.pb.gz)" -eq 10000000 ]
}

@test "1 kHz, four threads on one CPU" {
	vm pprof-collect -q --hz 1000 --labels thread -o threads.pb.gz -- threads4 1 >truth
	exact threads.pb.gz 1000
	total=$(count threads.pb.gz '$2 ~ /thread=w[1-4]0/ && $3 ~ /work_share/')
	for share in 40 30 20 10; do
		n=$(count threads.pb.gz "\$2 == \"thread=w$share\" && \$3 ~ /work_share/")
		about "$n" "$total" "$share" 100
	done
}

@test "functions of 75 and 25 %" {
	vm pprof-collect -q --hz 1000 -o split.pb.gz -- split75 1 >truth
	exact split.pb.gz 1000
	check_split split.pb.gz
	a=$(count split.pb.gz '$3 ~ /;hot_a;/')
	about "$a" $((a + $(count split.pb.gz '$3 ~ /;hot_b;/'))) 75 100
}

# Each process ends in the middle of a period, while its parent sleeps. The next one continues
# the period.
@test "100 Hz, processes of half a period, with pauses between them" {
	vm pprof-collect -q -o forks.pb.gz -- forks 200 2 20 >truth
	used=$(($(truth child_cpu_ns) + $(truth cpu_ns)))
	echo "$(count forks.pb.gz) samples of $used ns"
	within "$(count forks.pb.gz)" $((used * 9 / 100000000)) $((used * 11 / 100000000))
}
