#!/usr/bin/env bats
# The targets of a run: processes, children, all processes, a program that it starts.
# shellcheck disable=SC2016 # awk's

load ../lib/helpers

@test "a process that runs, for --seconds" {
	vm <<-'END'
		burn 1000 & other=$!
		burn 1000 & pid=$!
		await '[[ $(</proc/$pid/comm) = burn ]]'
		pprof-collect -q --hz 1000 --labels pid --pid $pid --seconds 1
		printf 'pid=%s\nother=%s\n' $pid $other >truth
	END
	file=pprof.burn.$(truth pid).cpu.pb.gz
	at_least "$(count "$file" '$3 ~ /;burn;spin$/')" 200
	[ "$(count "$file" "\$2 != \"pid=$(truth pid)\"")" -eq 0 ]
	within "$(show duration "$file")" 1000000000 5000000000
}

# bats test_tags=once
@test "several processes" {
	vm <<-'END'
		burn 1000 & a=$!
		burn 1000 & b=$!
		burn 1000 &
		pprof-collect -q --hz 1000 --labels pid --pid $a,$b --seconds 1.5 -o two.pb.gz
		printf 'a=%s\nb=%s\n' $a $b >truth
	END
	at_least "$(count two.pb.gz "\$2 == \"pid=$(truth a)\"")" 100
	at_least "$(count two.pb.gz "\$2 == \"pid=$(truth b)\"")" 100
	[ "$(count two.pb.gz "\$2 !~ /^pid=($(truth a)|$(truth b))$/")" -eq 0 ]
}

@test "a tid stands for its process, with later threads" {
	vm <<-'END'
		threads4 1000 & pid=$!
		await "[[ \$(ls /proc/$pid/task | wc -l) -eq 5 ]]"
		tid=$(ls /proc/$pid/task | tail -n 1)
		pprof-collect -q --hz 1000 --labels thread --pid $tid --seconds 1.5 -o threads.pb.gz
	END
	for name in w40 w30 w20 w10; do
		at_least "$(count threads.pb.gz "\$2 == \"thread=$name\"")" 20
	done
	vm <<-'END'
		stormer 1000 >/dev/null & pid=$!
		await "[[ \$(ls /proc/$pid/task | wc -l) -ge 5 ]]"
		# ls -U: in the order of creation, as tids begin anew after 32,768.
		ls -U /proc/$pid/task | sed 's/^/tid=/' >before
		tid=$(sed -n '2s/tid=//p' before)	# the first creator
		pprof-collect -q --hz 10000 --labels tid --pid $tid --seconds 1.5 -o storm.pb.gz
		kill $pid
	END
	[ "$(show sample storm.pb.gz | cut -f 2 | sort -u | grep -cvxFf before)" -ge 10 ]
}

@test "a process whose first thread has ended" {
	vm <<-'END'
		as-nobody headless 60 & pid=$!
		await "grep -q 'State:.Z' /proc/$pid/status"
		pprof-collect -q --profile cpu,wall,allocs --hz 1000 --pid $pid --seconds 2
		as-nobody pprof-collect -q --hz 1000 --pid $pid --seconds 1 -o - >own.pb.gz
		pprof-collect -q --profile thread --pid $pid -o thread.pb.gz
		echo pid=$pid >truth
	END
	root=pprof.headless.$(truth pid)
	for file in "$root.cpu.pb.gz" "$root.wall.pb.gz" own.pb.gz; do
		at_least "$(count "$file" '$3 ~ /;work;work_on;spin$/')" 200
	done
	at_least "$(count "$root.allocs.pb.gz" '$3 ~ /;work;work_on/')" 1
	[ "$(count thread.pb.gz '$3 ~ /;work(;|$)/')" -eq 1 ]
}

@test "children from before the run, and new ones" {
	vm <<-'END'
		hold 'burn 1000 & echo after=$! >>truth; wait' \
			sh -c 'burn 1000 & echo before=$! >truth; exec "$@"' sh
		pprof-collect -q --hz 1000 --children --labels pid --pid $pid -o tree.pb.gz &
		await_session
		release
		sleep $((2 * E2E_WIDER))
		kill -INT %2
		wait %2
		burn 1 &
		pprof-collect -q --hz 1000 --pid $$ --seconds 0.5 -o alone.pb.gz
	END
	at_least "$(count tree.pb.gz "\$2 == \"pid=$(truth before)\" && \$3 ~ /;burn;spin$/")" 100
	at_least "$(count tree.pb.gz "\$2 == \"pid=$(truth after)\" && \$3 ~ /;burn;spin$/")" 100
	[ "$(count alone.pb.gz '$3 ~ /burn/')" -eq 0 ]
}

@test "--all" {
	vm <<-'END'
		as-nobody burn 1000 &
		pprof-collect -q --hz 1000 --all --labels comm &
		await_session
		split75 --rounds 200
		forks 100 2
		kill -INT %2
		wait %2
	END
	file=pprof.all.cpu.pb.gz
	at_least "$(count $file '$2 == "comm=burn" && $3 ~ /;burn;spin$/')" 100
	at_least "$(count $file '$2 == "comm=split75" && $3 ~ /;hot_a;spin$/')" 50
	at_least "$(count $file '$2 == "comm=forks" && $3 ~ /;child_work;spin$/')" 20
}

# bats test_tags=once
@test "two collectors on one process have the right shares" {
	vm <<-'END'
		hold 'exec split75 2 >truth'
		pprof-collect -q --hz 1000 --pid $pid -o one.pb.gz &
		pprof-collect -q --hz 500 --pid $pid -o two.pb.gz &
		await_session 2
		release
		all_well %1 %2 %3
	END
	check_split one.pb.gz
	check_split two.pb.gz
	about "$(count one.pb.gz)" $(($(count one.pb.gz) + $(count two.pb.gz))) 2 3
}

# bats test_tags=once
@test "a program from its first instruction, and its children" {
	vm pprof-collect -q --hz 10000 -o first.pb.gz -- sh -c 'burn 0.3; burn 0.3; true'
	# The first instruction is in the dynamic linker, which may have no symbols.
	at_least "$(count first.pb.gz '$3 ~ /(^|;)(_start|\[ld-linux-x86-64.so.2\])(;|$)/')" 3
	at_least "$(count first.pb.gz '$3 ~ /;burn;spin$/')" 1000
	# Nothing of the collector's child from before its exec.
	[ "$(show mapping first.pb.gz | grep -c pprof-collect)" -eq 0 ]
	[[ $(show mapping first.pb.gz | head -n 1) = /usr/bin/dash* ]]
}

@test "the program gets the collector's input and output" {
	run --separate-stderr vm <<<"echo in | pprof-collect -q -o out.pb.gz -- sh -c 'cat; echo err >&2'"
	[ "$status" -eq 0 ]
	[ "$output" = in ]
	[ "$stderr" = err ]
}

# bats test_tags=once
@test "SIGINT or SIGTERM ends the run early, and the profile is written" {
	for signal in INT TERM; do
		vm <<-END
			burn 1000 & pid=\$!
			pprof-collect -q --hz 1000 --pid \$pid --seconds 50 -o $signal.pb.gz &
			await_session
			sleep 1
			kill -$signal %2
			kill \$pid
			wait %2
		END
		at_least "$(count $signal.pb.gz '$3 ~ /;burn;spin$/')" 100
		within "$(show duration $signal.pb.gz)" 900000000 20000000000
	done
}

# The collector ends by SIGPIPE then, as other programs do.
# bats test_tags=once
@test "a broken pipe for the summary: the profiles are written" {
	vm <<-'END'
		onoff 5 >/dev/null & pid=$!
		await '[[ $(</proc/$pid/comm) = onoff ]]'
		pprof-collect --profile cpu,wall,block --pid $pid --seconds 1 2>&1 | true ||
			[[ ${PIPESTATUS[*]} = '141 0' ]]
		[[ $(ls -A | grep -c '^pprof\.onoff\..*\.pb\.gz$') -eq 3 ]]
		[[ ! $(ls -A | grep '^\.pprof') ]]
	END
}

# bats test_tags=once
@test "-o - writes the profile to standard output" {
	vm <<-'END'
		burn 1000 &
		pprof-collect -q --hz 1000 -o - --seconds 1 --pid $! >out.pb.gz
	END
	at_least "$(count out.pb.gz '$3 ~ /;burn;spin$/')" 100
}
