#!/usr/bin/env bats
# The module, sessions and CPUs come and go. The kernel log must stay clean.
# shellcheck disable=SC2016 # awk's

load ../lib/helpers

# bats test_tags=each
@test "insmod, a profile, rmmod, many times" {
	LIMIT=300 vm <<-'END'
		onoff 1000 & pid=$!
		for ((i = 1; i <= $(rounds 5 30); i++)); do
			rmmod pprof
			insmod $module
			session cycle 1 $pid
			((i % 5)) || pprof-collect --hz 1000 --pid $pid --seconds 0.5 -o $i.pb.gz
		done
	END
	# Both functions count: the host decides when a VM runs, and so which one a tick hits.
	at_least "$(count 5.pb.gz '$3 ~ /;main;stay_o(n|ff)(;|$)/')" 5
}

# It loads the module anew: labels of an earlier test would have left a hook.
@test "hooks and timers exist only while a session runs" {
	vm <<-'END'
		tracepoints='sched_switch sched_waking task_newtask task_rename
			sched_process_exec sched_process_exit mm_page_alloc'
		placed() {
			grep -o 'perf_event_mmap' /sys/kernel/debug/kprobes/list || true
			grep -m 1 -o '\[pprof\]' /proc/timer_list || true
			[[ ! -e /proc/kcore ]] || hooked /run/e2e/symbols $tracepoints
		}
		all=2	# the debug kernel has no /proc/kcore
		[[ ! -e /proc/kcore ]] || {
			all=9
			grep ' __tracepoint_' /proc/kallsyms >/run/e2e/symbols
		}
		rmmod pprof
		insmod $module
		[[ $(placed) = '' ]]
		threads4 100 >/dev/null &
		mkfifo /run/e2e/held
		session hold $! </run/e2e/held >/run/e2e/snapshot &
		exec 7>/run/e2e/held
		await 'grep -q taken /run/e2e/snapshot'
		[[ $(sessions) -eq 1 && $(placed) = '' ]]
		exec 7>&-
		wait $!
		pprof-collect -q --all --profile cpu,wall,block,mutex,growth,threadcreate &
		await '[[ $(placed | wc -l) -eq $all ]]'
		kill -INT $!
		wait $!
		left=$(placed)
		rm -f pprof.all.* /run/e2e/{symbols,held,snapshot}
		echo "left: $left"
		[[ $left = '' ]]
	END
}

@test "starts and stops while threads come and go, at 1 kHz" {
	LIMIT=300 vm <<-'END'
		stormer 200 & pid=$!
		for whom in $pid all; do
			session cycle $(rounds 10 40) $whom >sums || { cat sums; exit 1; }
			grep 'cycles, [1-9].* samples of cpu$' sums
		done
	END
}

@test "the module cannot be unloaded while a session is open" {
	vm <<-'END'
		start_ready idle
		pprof-collect -q --pid $pid &
		await_session
		fails rmmod pprof 2>said
		grep -q 'in use' said
		kill -KILL %2
		wait %2 || true
		rmmod pprof
		insmod $module
		rm .pprof.*
	END
}

@test "a session that is killed at any moment frees everything" {
	LIMIT=200 vm <<-'END'
		threads4 1000 & pid=$!
		for i in {1..4}; do
			pprof-collect -q --hz 10000 --profile cpu,threadcreate --all &
			((i % 2)) || await_session	# in the other rounds it may not have begun
			sleep 0.$((i * 3 % 10))
			kill -KILL $!
			wait $! || true
		done
		[[ $(pprof-collect status) = "no sessions"* ]]
		rmmod pprof
		insmod $module
		rm -f .pprof.*
	END
}

@test "sessions closed by io_uring or a child end, and delay no other task" {
	LIMIT=200 vm <<-'END'
		[[ ! -e /proc/sys/kernel/io_uring_disabled ]] || sysctl -qw kernel.io_uring_disabled=0
		as-nobody orphans $(rounds 5 50) >said || { cat said; exit 1; }
		await 'rmmod pprof'
		insmod $module
	END
	figures cat said
}

@test "CPUs that go offline and come back" {
	LIMIT=200 vm <<-'END'
		cpu=/sys/devices/system/cpu/cpu1/online
		threads4 $((7 * E2E_WIDER)) >/dev/null &
		hold 'exec split75 2 >truth'
		pprof-collect -q --hz 1000 --pid $pid -o one.pb.gz &
		pprof-collect -q --hz 1000 --profile cpu,threadcreate --all --seconds $((6 * E2E_WIDER)) & all=$!
		await_session 2
		release
		while kill -0 $all 2>/dev/null; do
			echo 0 >$cpu
			sleep 0.1
			echo 1 >$cpu
			sleep 0.1
		done
		all_well %3 %4
	END
	check_split one.pb.gz
	# A CPU that came back without its timer would lose half of them; a busy host loses some.
	ticks=$(($(truth cpu_ns) / 1000000))
	within "$(count one.pb.gz)" $(((ticks - $(truth stopped_ns) / 1000000) * 80 / 100)) $((ticks * 115 / 100))
}

@test "a run that begins while a CPU is offline" {
	vm <<-'END'
		cpu=/sys/devices/system/cpu/cpu1/online
		echo 0 >$cpu
		threads4 100 >/dev/null & pid=$!
		pprof-collect -q --hz 1000 --labels cpu --pid $pid -o away.pb.gz &
		await '[[ $(produced cpu) -ge 100 ]]'
		echo 1 >$cpu
		taskset -apc 1 $pid >/dev/null
		before=$(produced cpu)
		await '[[ $(produced cpu) -ge $((before + 100)) ]]'
		kill -INT %2
		wait %2
	END
	at_least "$(count away.pb.gz '$2 == "cpu=1"')" 50
	at_least "$(count away.pb.gz '$2 == "cpu=0"')" 50
}

@test "several sessions at once, on one process and on all" {
	vm <<-'END'
		threads4 1000 >/dev/null & pid=$!
		for i in 1 2 3; do
			pprof-collect -q --hz $((i * 1000)) --pid $pid --seconds 2 -o $i.pb.gz &
		done
		pprof-collect -q --all --profile cpu,threadcreate --seconds 2 &
		clones 2000 >/dev/null
		for i in 2 3 4 5; do wait %$i; done
	END
	for i in 1 2 3; do
		at_least "$(count $i.pb.gz '$3 ~ /work_share/')" 50
	done
}

# bats test_tags=once
@test "a program that maps faster than the kernel finds paths" {
	vm <<-'END'
		for i in 1 2; do
			(cd $(mktemp -d -p /run) && exec remaps 1200) & pids+=,$!
		done
		pprof-collect -q --hz 1000 --pid ${pids#,} --seconds 2 -o busy.pb.gz
		kill ${pids//,/ }
	END
	at_least "$(count busy.pb.gz)" 200
}

# Measured by the CPU time of kernel workers. kmod/record/mmap_events.c has the bound of a half.
# bats test_tags=once
@test "such a program costs half of a CPU at most, if a user without rights profiles it" {
	vm <<-'END'
		worked_ms() { # /proc/PID/stat counts in 10 ms
			cat /proc/[0-9]*/stat 2>/dev/null |
				awk '/\(kworker\/u/ { n += $14 + $15 } END { print n * 10 }'
		}
		now_ms() { echo $(($(date +%s%N) / 1000000)); }
		mkdir -m 777 /run/e2e/deep
		(cd /run/e2e/deep && exec as-nobody remaps 1200) & pid=$!
		as-nobody pprof-collect -q --hz 1000 --pid $pid --seconds 1000 -o - >busy.pb.gz & collector=$!
		await_session
		worked=-$(worked_ms)
		passed=-$(now_ms)
		sleep 4
		((passed += $(now_ms), worked += $(worked_ms)))
		kill -INT $collector
		wait $collector
		kill $pid
		printf 'passed=%s\nworked=%s\n' $passed $worked | tee truth
	END
	within "$(truth worked)" $(($(truth passed) / 10)) $(($(truth passed) * 6 / 10))
	at_least "$(count busy.pb.gz)" 200
}
