#!/usr/bin/env bats
# CPU profiles of functions and threads whose shares are known.
# shellcheck disable=SC2016 # awk's

load ../lib/helpers

# bats test_tags=each
@test "functions of 75 and 25 %, with their callers" {
	vm pprof-collect -q --hz 1000 -o split.pb.gz -- split75 2 >truth
	check_split split.pb.gz

	# Stacks are complete, but for samples while a function sets up its frame.
	spins=$(count split.pb.gz '$3 ~ /;spin$/')
	whole=$(count split.pb.gz '$3 ~ /(^|;)main;run_round;hot_[ab];spin$/')
	within "$whole" $((spins * 99 / 100)) "$spins"
	within "$spins" 1000 3000
}

@test "threads of 40, 30, 20 and 10 %, by their names" {
	vm pprof-collect -q --hz 1000 --labels thread -o threads.pb.gz -- threads4 2 >truth
	total=$(count threads.pb.gz '$2 ~ /thread=w[1-4]0/ && $3 ~ /work_share/')
	worked=$(($(truth w40) + $(truth w30) + $(truth w20) + $(truth w10)))
	for name in w40 w30 w20 w10; do
		n=$(count threads.pb.gz "\$2 == \"thread=$name\" && \$3 ~ /work_share/")
		about "$n" "$total" "$(truth $name)" $worked
	done
}

# The profiles are of one thread that runs all the time, at 1,000 Hz. A host that stops the VM
# makes one run some ms longer or shorter, but not all of them in the same direction.
check_short() { # MAX_PERCENT PROFILE...
	local file ns=0 n=0
	for file in "${@:2}"; do
		ns=$((ns + $(show duration "$file")))
		n=$((n + $(count "$file")))
	done
	figures echo "$n of $((ns / 1000000))"
	within "$n" $((ns / 4000000)) $((ns * $1 / 100000000))
}

# bats test_tags=once
@test "a short run has no samples from after its end" {
	vm <<-'END'
		burn 1000 & pid=$!
		for i in $(seq 8); do
			short_profile --hz 1000 -o $i.pb.gz --pid $pid
		done
		kill $pid
	END
	check_short 102 {1..8}.pb.gz
}

# Wall has each tick of the run, also while other programs run.
check_both() { # NAME...
	local name cpu=0 wall=0
	check_short 105 "${@/%/.cpu.pb.gz}"
	check_short 105 "${@/%/.wall.pb.gz}"
	for name; do
		at_least "$(count "$name.wall.pb.gz")" "$(($(show duration "$name.wall.pb.gz") * 9 / 10000000))"
		cpu=$((cpu + $(count "$name.cpu.pb.gz")))
		wall=$((wall + $(count "$name.wall.pb.gz")))
	done
	figures echo "cpu: $cpu, wall: $wall"
	within "$cpu" $((wall * 80 / 100)) $((wall * 103 / 100))
}

# bats test_tags=once
@test "a run of several profile types ends for all at the same time" {
	vm <<-'END'
		burn 600 & pid=$!
		await '[[ $(</proc/$pid/comm) = burn ]]'
		for i in $(seq 6); do
			short_profile --profile cpu,wall --hz 1000 --pid $pid
			mv pprof.burn.*.cpu.pb.gz $i.cpu.pb.gz
			mv pprof.burn.*.wall.pb.gz $i.wall.pb.gz
		done
		kill $pid
	END
	check_both {1..6}
	grep "^cpu: $(count 6.cpu.pb.gz) samples in .* s, 0 lost, " summary
	grep "^wall: $(count 6.wall.pb.gz) samples in .* s, 0 lost, " summary
}

# bats test_tags=once
@test "the end of a run in a time namespace" {
	vm <<-'END'
		burn 600 & pid=$!
		await '[[ $(</proc/$pid/comm) = burn ]]'
		for i in $(seq 6); do
			((i % 2)) && offset=100000 || offset=-1
			AS="unshare --time --fork --monotonic $offset" \
				short_profile --profile cpu,wall --hz 1000 --pid $pid
			mv pprof.burn.*.cpu.pb.gz $i.cpu.pb.gz
			mv pprof.burn.*.wall.pb.gz $i.wall.pb.gz
		done
		kill $pid
	END
	check_both {1..6}
}

# bats test_tags=once
@test "--labels: the requested labels, with the right values" {
	vm <<-'END'
		burn 1000 & pid=$!
		await '[[ $(</proc/$pid/comm) = burn ]]'
		pprof-collect -q --hz 1000 --labels pid,tid,cpu,comm --seconds 2 --pid $pid -o labels.pb.gz
		echo "pid=$pid" >truth
	END
	pid=$(truth pid)
	all=$(count labels.pb.gz)
	[ "$all" -ge 500 ]
	[ "$(count labels.pb.gz "\$2 ~ /^pid=$pid,tid=$pid,cpu=[01],comm=burn$/")" -eq "$all" ]
}

# bats test_tags=once
@test "the summary has the numbers of the profile" {
	run --separate-stderr vm pprof-collect --hz 1000 -o burn.pb.gz -- burn 1
	[ "$status" -eq 0 ]
	all=$(count burn.pb.gz)
	leaf=$(count burn.pb.gz '$3 ~ /(^|;)spin$/')
	[[ ${stderr_lines[0]} = "cpu: $all samples in "*" s, 0 lost, "*" distinct stacks" ]]
	grep -Eq '^ +[0-9.]+m?s +[0-9.]+% +[0-9.]+% +[0-9.]+m?s +[0-9.]+%  spin$' <<<"$stderr"
	[ "$leaf" -gt 0 ]
	[[ ${stderr_lines[-1]} = "go tool pprof -http=: burn.pb.gz" ]]
	[ "$(show period burn.pb.gz)" -eq 1000000 ]
	within "$(show duration burn.pb.gz)" 900000000 20000000000
}

@test "frame pointers that lead nowhere end the stack, which is marked" {
	vm pprof-collect -q --hz 1000 --unwind fp -o bad.pb.gz -- badstack 100 >truth
	[ "$(truth survived)" -eq 8 ]
	all=$(count bad.pb.gz '$3 ~ /spin_with_rbp$/')
	# Also with 0: the outermost frame has that, and code without frame pointers may have it.
	[ "$(count bad.pb.gz '$3 ~ /^\[truncated: [^;]*];(.*;)?spin_with_rbp$/')" -eq "$all" ]
}
