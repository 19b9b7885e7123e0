#!/usr/bin/env bats
# Where timers fire with the kernel's ticks alone, samples count for more.

load ../../lib/helpers

check_cpu() { # HZ
	local ticks
	vm pprof-collect -q --hz "$1" -o cpu.pb.gz -- burn 3 >truth
	ticks=$(($(truth cpu_ns) * $1 / 1000000000))
	echo "$(count cpu.pb.gz) of $ticks"
	within "$(count cpu.pb.gz)" $((ticks * 95 / 100)) $((ticks * 115 / 100))
}

@test "timers have no high resolution" {
	vm grep -A 1 ' active timers:\|resolution' /proc/timer_list >timers
	grep -q '\.resolution: .*000000 nsecs' timers
}

@test "cpu, below the ticks and above" {
	check_cpu 100
	check_cpu 10000
}

@test "wall" {
	vm pprof-collect -q --profile wall --hz 1000 -o wall.pb.gz -- onoff 3 >truth
	ms=$(($(show duration wall.pb.gz) / 1000000))
	echo "$(count wall.pb.gz) of $ms"
	within "$(count wall.pb.gz)" $((ms * 95 / 100)) $((ms * 101 / 100))
}
