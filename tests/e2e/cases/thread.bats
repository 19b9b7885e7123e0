#!/usr/bin/env bats
# Thread snapshots, of a program whose threads stay in known places.
# shellcheck disable=SC2016 # awk's and the VM's

load ../lib/helpers

# Runs the script on standard input in the VM, while the threads of parked, as $pid, are in
# their places.
parked() { # ARGUMENTS
	vm <<-END
		start_parked $*
		$(cat)
	END
}

# The profile has exactly these tids, each once.
check_tids() { # PROFILE TIDS
	show sample "$1" | sed -n 's/.*tid=\([0-9]*\).*/\1/p' | sort >told
	sort "$2" >there
	diff told there
}

# COUNT threads wait in each place, and no stack is truncated.
check_places() { # PROFILE COUNT
	[ "$(count "$1" '$2 ~ /state=futex/ && $2 ~ /thread=futex/ && $3 ~ /;run;park_in_futex;/')" -eq "$2" ]
	[ "$(count "$1" '$2 ~ /state=poll/ && $2 ~ /thread=poll/ && $3 ~ /;run;park_in_poll;/')" -eq "$2" ]
	[ "$(count "$1" '$2 ~ /state=sleep/ && $2 ~ /thread=sleep/ && $3 ~ /;run;park_in_sleep;/')" -eq "$2" ]
	[ "$(count "$1" '$2 ~ /state=io/ && $2 ~ /thread=read/ && $3 ~ /;run;park_in_read;/')" -eq "$2" ]
	[ "$(count "$1" '$3 ~ /\[truncated/')" -eq 0 ]
	[ "$(count "$1" '$3 ~ /lostProfileEvent/')" -eq 0 ]
}

# bats test_tags=each
@test "each thread once, in its place and its state" {
	parked 400 3 <<-'END'
		pprof-collect --profile thread --labels tid,thread -o t.pb.gz --pid $pid 2>summary
		ls /proc/$pid/task >tids
	END
	grep '^thread: 404 threads in ' summary
	check_tids t.pb.gz tids
	check_places t.pb.gz 100
	[ "$(count t.pb.gz '$2 ~ /state=runn(ing|able)/ && $3 ~ /;run;stay_busy(;(spin|clock_ns;.*))?$/')" -eq 3 ]
	[ "$(count t.pb.gz '$2 ~ /state=io/ && $3 ~ /(^|;)main;(__libc_)?read$/')" -eq 1 ]
	[ "$(show period t.pb.gz)" -eq 1 ]
}

# bats test_tags=once
@test "equal stacks are counted together" {
	parked 400 <<<'pprof-collect -q --profile thread -o t.pb.gz --pid $pid'
	[ "$(show sample t.pb.gz | wc -l)" -eq 5 ]
	[ "$(count t.pb.gz)" -eq 401 ]
}

@test "2,000 threads, through the smallest buffer, too" {
	parked 2000 <<-'END'
		begin=$(date +%s%N)
		pprof-collect -q --profile thread --labels tid,thread -o t.pb.gz --pid $pid
		echo $((($(date +%s%N) - begin) / 1000000)) >ms
		pprof-collect -q --profile thread --labels tid,thread --buffer-pages 8 -o small.pb.gz --pid $pid
		ls /proc/$pid/task >tids
	END
	# The whole command also starts the collector and finds the names.
	echo "# $(<ms) ms, $(show duration t.pb.gz) ns of them for the snapshot" >&3
	# A busy host may stop the VM in one of the two, but hardly in both.
	within "$(for file in t small; do show duration $file.pb.gz; done | sort -n | head -n 1)" \
		1 1000000000
	for file in t.pb.gz small.pb.gz; do
		check_tids $file tids
		check_places $file 500
	done
}

@test "threads that come and go meanwhile neither hide others nor count them twice" {
	LIMIT=400 parked 200 1 3 <<-'END'
		ls /proc/$pid/task >before
		for i in 1 2 3; do
			pprof-collect -q --profile thread --labels tid,thread --buffer-pages 8 -o $i.pb.gz --pid $pid
		done
		ls /proc/$pid/task >after
	END
	sort before >before.sorted
	sort after | comm -12 - before.sorted >stayed
	[ "$(wc -l <stayed)" -ge 205 ]
	for i in 1 2 3; do
		show sample $i.pb.gz | sed -n 's/.*tid=\([0-9]*\).*/\1/p' | sort >told
		[ -z "$(uniq -d told)" ]
		[ -z "$(comm -13 told stayed)" ]
		[ "$(count $i.pb.gz '$3 ~ /;run;park_in_futex;/')" -eq 50 ]
		[ "$(count $i.pb.gz '$3 ~ /lostProfileEvent/')" -eq 0 ]
	done
}

@test "several processes, and --all" {
	parked 40 <<-'END'
		parked=$pid
		start_ready idle
		pprof-collect -q --profile thread --labels pid -o two.pb.gz --pid $parked,$pid
		pprof-collect -q --profile thread --labels comm -o all.pb.gz --all
		echo "$parked $pid" >pids
	END
	read -r parked idle <pids
	[ "$(count two.pb.gz "\$2 ~ /pid=$parked/")" -eq 41 ]
	[ "$(count two.pb.gz "\$2 ~ /pid=$idle/")" -eq 1 ]
	[ "$(count all.pb.gz '$2 ~ /comm=parked/')" -eq 41 ]
	[ "$(count all.pb.gz '$2 ~ /comm=pprof-collect/')" -ge 1 ]
}

# bats test_tags=once
@test "a dump has each thread, and the stack that created it" {
	vm <<-'END'
		start_ready pprof-collect -q --profile thread,threadcreate --debug 2 -- parked 8 1 \
			< <(exec sleep 1000)
		kill -INT $pid
		wait $pid
	END
	dump=$(ls pprof.parked.*.thread.txt)
	cat "$dump"
	[ "$(grep -c '^thread [0-9]* "futex" \[futex_wait\]:$' "$dump")" -eq 2 ]
	[ "$(grep -c '^thread [0-9]* "poll" \[poll\]:$' "$dump")" -eq 2 ]
	[ "$(grep -c '^thread [0-9]* "sleep" \[.*nanosleep\]:$' "$dump")" -eq 2 ]
	[ "$(grep -c '^thread [0-9]* "busy" \[runn\(ing\|able\)\]:$' "$dump")" -eq 1 ]
	[ "$(grep -c '^created by thread [0-9]*:$' "$dump")" -eq 9 ]
	[ "$(grep -cxP '\t.*/tests/programs/parked.c:[0-9]+ \+0x[0-9a-f]+' "$dump")" -ge 20 ]
	awk '/^created by/ { by = 1 } /^$/ { by = 0 } by && /^start$/ { n++ } END { exit n != 9 }' "$dump"
	head -n 1 "$(ls pprof.parked.*.threadcreate.txt)" | grep 'total 9$'
}

# bats test_tags=once
@test "text, for pprof" {
	parked 8 <<<'pprof-collect -q --profile thread --debug 1 -o text.txt --pid $pid'
	[ "$(head -n 1 text.txt)" = 'thread profile: total 9' ]
	[ "$(sed -n 's/^\([0-9]*\) @.*/\1/p' text.txt | xargs)" = '2 2 2 2 1' ]
	"$lib/read-profile" text.txt text
}

@test "a target that ends meanwhile, and a collector that is killed" {
	LIMIT=400 vm <<-'END'
		for i in $(seq "$(rounds 4 500)"); do
			start_parked 200 1 1
			rm -f /run/e2e/gone.pb.gz
			pprof-collect -q --profile thread -o /run/e2e/gone.pb.gz --pid $pid 2>said &
			collector=$!
			code=0
			sleep "0.0$((RANDOM % 10))"
			if ((i % 2)); then kill -9 $pid; else kill -9 $collector; fi
			wait $collector || code=$?
			cat said
			case $((i % 2)).$code in
			1.0) [[ -s /run/e2e/gone.pb.gz ]] ;;
			1.*) grep -q "no process has the pid $pid" said ;;
			esac
			kill -9 $pid || true
			wait $pid || true
		done
		[[ $(sessions) -eq 0 ]]
	END
}

@test "a user without rights waits after each snapshot" {
	vm as-nobody visits
}

# bats test_tags=once
@test "--unwind fp" {
	parked 40 <<<'pprof-collect -q --profile thread --unwind fp --labels thread -o t.pb.gz --pid $pid'
	[ "$(count t.pb.gz)" -eq 41 ]
	[ "$(count t.pb.gz '$2 ~ /state=futex/')" -eq 10 ]
}

@test "a stopped program" {
	parked 40 <<-'END'
		kill -STOP $pid
		await '[[ $(grep -c "^State:.T" /proc/$pid/task/*/status | grep -c ":1$") -eq 41 ]]'
		pprof-collect -q --profile thread --labels thread -o t.pb.gz --pid $pid
		kill -CONT $pid
	END
	[ "$(count t.pb.gz '$2 ~ /state=stopped/')" -eq 41 ]
	[ "$(count t.pb.gz '$3 ~ /;run;park_in_poll;/')" -eq 10 ]
}

# bats test_tags=once
@test "a program to start takes --seconds" {
	vm <<-'END'
		enter_empty
		refused 'give --seconds N' pprof-collect --profile thread -- parked 4
	END
}
