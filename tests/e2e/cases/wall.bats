#!/usr/bin/env bats
# Wall profiles: each thread has the wall time of the run, whatever it does.
# shellcheck disable=SC2016 # awk's and the VM's

load ../lib/helpers

# Each tid has the ticks of the whole run, and all have the same number.
check_each() { # PROFILE THREADS HZ
	local ns
	ns=$(show duration "$1")
	show sample "$1" | awk -F'\t' -v nr="$2" -v expected="$(awk "BEGIN { print $ns / 1e9 * $3 }")" '
		match($2, /tid=[0-9]+/) { n[substr($2, RSTART, RLENGTH)] += $1 }
		END {
			for (tid in n) {
				if (!found++)
					first = n[tid]
				if ((n[tid] - expected) ^ 2 <= 1 && n[tid] == first)
					continue
				print tid, n[tid], "expected", expected
				bad = 1
			}
			print found, "threads of", nr ", expected", expected
			exit bad || found != nr
		}'
}

# bats test_tags=each
@test "threads that sleep, wait and run: each has all of the time, with its stack" {
	vm <<-'END'
		start_parked 40 1
		pprof-collect --profile wall --hz 200 --labels tid,thread --seconds 4 -o w.pb.gz --pid $pid 2>summary
	END
	cat summary
	check_each w.pb.gz 42 200
	for place in futex poll sleep read; do
		[ "$(show sample w.pb.gz | awk -F'\t' -v place="$place" \
			'$2 ~ "thread=" place && $3 ~ ";run;park_in_" place ";"' | wc -l)" -eq 10 ]
	done
	at_least "$(count w.pb.gz '$2 ~ /thread=busy/ && $3 ~ /;run;stay_busy(;spin)?$/')" 750
	[ "$(count w.pb.gz '$3 ~ /\[truncated|lostProfileEvent/')" -eq 0 ]
	[ "$(show period w.pb.gz)" -eq 5000000 ]
}

@test "more sleeping threads than a buffer holds" {
	vm <<-'END'
		start_parked 2000
		pprof-collect -q --profile wall --labels tid --buffer-pages 8 --seconds 3 -o w.pb.gz --pid $pid
	END
	check_each w.pb.gz 2001 100
	[ "$(show comment w.pb.gz | head -n 1)" = 'lost: 0' ]
}

# Under overload a CPU has fewer ticks, and each counts more. So a thread's ticks are its time only
# on average. Prints how many more there may be for sure: those of four waits. 0 without overload.
overload_ticks() { # PROFILE HZ
	show comment "$1" | awk -v hz="$2" '
		/^overload: the rate fell/ { n = 4 * hz / $(NF - 5) }
		{ print > "/dev/stderr" }
		END { printf "%d\n", n + 0.5 }'
}

# The ticks at 1 kHz agree with the time that the program measured.
took() { # TICKS NS [NS_AT_MOST]
	echo "$1 ticks, the program measured $2 ns, ${3-$2} at most, and ${more=0} more by overload"
	within "$1" $(($2 * 98 / 100000000)) $((${3-$2} / 1000000 + 2 + more))
}

@test "threads that share a CPU, and short waits" {
	vm pprof-collect -q --profile wall --hz 1000 --labels thread -o busy.pb.gz -- threads4 8 >truth
	more=$(overload_ticks busy.pb.gz 1000)
	ran=$(truth waited) lived=$(show duration busy.pb.gz)
	for name in w40 w30 w20 w10; do
		ran=$((ran + $(truth ${name}_ran))) lived=$((lived + $(truth ${name}_lived)))
		took "$(count busy.pb.gz "\$2 == \"thread=$name\"")" "$(truth ${name}_ran)" "$(truth ${name}_lived)"
	done
	# Each of the four joins may have one tick more than its length says. took() allows two.
	took "$(count busy.pb.gz '$3 ~ /;main;join;\[libc/')" "$(truth waited)" $(($(truth waited) + 2000000))
	# A thread has the name of its creator until it sets its own. So the sum is checked, too:
	# each of the five may have one tick more.
	took "$(count busy.pb.gz)" "$ran" $((lived + 5000000))
	vm pprof-collect -q --profile wall --hz 1000 -o onoff.pb.gz -- onoff 3 >truth2
	ns=$(show duration onoff.pb.gz)
	echo "$(count onoff.pb.gz) of $((ns / 1000000))"
	within "$(count onoff.pb.gz)" $((ns * 95 / 100000000)) $((ns / 1000000 + 10))
	# The phases run in lockstep with the ticks, so the number of ticks is no share of the time.
	at_least "$(count onoff.pb.gz '$3 ~ /;stay_off;/')" $(($(truth off_ns truth2) / 3000000))
	[ "$(count onoff.pb.gz '$3 ~ /lostProfileEvent/')" -eq 0 ]
}

@test "threads that share a CPU at the end of the run: no time is counted twice" {
	vm <<-'END'
		threads4 60 >truth & pid=$!
		await '[[ $(ls /proc/$pid/task | wc -l) -eq 5 ]]'
		for i in $(seq 3); do
			pprof-collect -q --profile wall --hz 1000 --labels tid --seconds 0.5 -o w$i.pb.gz --pid $pid
		done
		kill $pid
	END
	for i in $(seq 3); do check_each "w$i.pb.gz" 5 1000; done
}

# The snapshot at the end is the second one of the session, and waits for the cooldown.
@test "without CAP_PERFMON the end waits for the cooldown: threads have their time until then" {
	vm <<-'END'
		mkdir -m 777 theirs && cd theirs
		as-nobody onoff 1000 & pid=$!
		await '[[ $(</proc/$pid/comm) = onoff ]]'
		as-nobody pprof-collect -q --profile wall,thread --hz 1000 --labels tid --seconds 1 \
			--pid $pid
	END
	check_each "$(ls theirs/pprof.onoff.*.wall.pb.gz)" 1 1000
}

# At the end some threads return from their waits, and the snapshot visits the others: each is
# counted once. If the collector waits for a CPU, the target is killed before the end of the
# run. The run must be long beside that.
@test "a target that ends with the run: no tick is missing" {
	vm <<-'END'
		for i in 1 2; do
			start_parked 40 1
			pprof-collect -q --profile wall --hz 200 --labels tid --seconds 100 -o w$i.pb.gz --pid $pid & collector=$!
			await_session
			sleep 3
			kill -INT $collector
			((i % 2)) || sleep 0.01
			kill $pid
			wait $collector
		done
	END
	for i in 1 2; do
		expected=$(($(show duration "w$i.pb.gz") * 42 / 5 / 1000000))
		echo "$(count "w$i.pb.gz") of $expected, $(show comment "w$i.pb.gz" | head -n 1)"
		within "$(count "w$i.pb.gz")" $((expected * 98 / 100)) $((expected + 42))
	done
}

@test "threads that come and go: their ticks agree with their lifetimes" {
	vm pprof-collect -q --profile wall,threadcreate --hz 1000 -- stormer 2 >truth
	wall=$(ls pprof.stormer.*.wall.pb.gz)
	took "$(count "$wall" '$3 ~ /(^|;)main;/')" "$(truth wait_ns)" "$(show duration "$wall")"
	# Each of the four creators may have one tick more.
	took "$(count "$wall" '$3 ~ /;storm(;|$)/')" "$(truth storm_ns)" $(($(truth storm_ns) * 102 / 100 + 4000000))
	[ "$(count "$wall" '$3 ~ /lostProfileEvent/')" -eq 0 ]
}
