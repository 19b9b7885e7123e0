#!/usr/bin/env bats
# Complete stacks of programs as Debian builds them: without frame pointers.
# shellcheck disable=SC2016 # awk's

# bats file_tags=collector
load ../lib/helpers

# The profile has at least 100 samples. 99.9 % of them reach the start of the program or of a
# thread; PERMILLE is another share. One more sample may be truncated.
whole() { # PROFILE [PERMILLE]
	local all cut
	all=$(count "$1")
	cut=$(count "$1" '$3 ~ /^\[truncated: /')
	echo "$1: $cut of $all truncated"
	show sample "$1" | grep -P '\t\[truncated: ' | head -n 5 || true
	[[ $all -ge 100 && $((cut - 1)) -le $((all * (1000 - ${2-999}) / 1000)) ]]
}

# Profiles the process that the script on standard input leaves as $pid. The script must wait
# until the program has loaded its libraries: their tables are made then, and the VM is slow.
profile() { # NAME [PERMILLE]
	{
		echo 'rm -f /run/e2e/up'
		cat
		cat <<-END

			pprof-collect -q --hz 1000 --pid \$pid -o $1.pb.gz & collector=\$!
			await '! kill -0 \$collector 2>/dev/null || [[ \$(produced cpu) -ge 2000 ]]'
			kill -INT \$collector || true
			wait \$collector
			kill \$pid || true
		END
	} | vm
	whole "$1.pb.gz" "${2-999}"
}

# The buffer has room for all samples while the collector is stopped, for minutes.
# bats test_tags=each
@test "outer frames of a steady stack are sent once" {
	vm <<-'END'
		deep 10000 & deep=$!
		pprof-collect -q --hz 1000 --buffer-pages 4096 --pid $deep -o deep.pb.gz & pid=$!
		await '[[ $(produced cpu) -ge 200 ]]'
		kill -STOP $pid
		pprof-collect status >before
		n=$(produced cpu)
		await '[[ $(produced cpu) -ge $((n + 500)) ]]'
		pprof-collect status >after
		kill -CONT $pid
		kill -INT $pid
		wait $pid
		kill $deep
	END
	n=$(($(of_all produced after) - $(of_all produced before)))
	bytes=$(($(of_all pending after) - $(of_all pending before)))
	figures echo "$((bytes / n)) bytes a sample"
	[ $((bytes / n)) -le 100 ]
	[ "$(show comment deep.pb.gz | head -n 1)" = 'lost: 0' ]

	stack="main$(printf ';descend%.0s' {1..18});spin"
	spins=$(count deep.pb.gz '$3 ~ /;spin$/')
	within "$(count deep.pb.gz "\$3 ~ /(^|;)$stack\$/")" $((spins * 99 / 100)) "$spins"
	at_least "$spins" 500
}

# The samples of cpu that were produced, or the bytes that are in the rings.
of_all() { # produced|pending FILE
	case $1 in
	produced) awk '$1 == "cpu" && $2 == "all" { print $3 }' "$2" ;;
	pending) sed -nE 's/^  rings .* ([0-9]+) bytes pending$/\1/p' "$2" ;;
	esac
}

@test "python3" {
	profile python3 <<-'END'
		python3 -uc 'print("up")
		while True: sorted(str(i) for i in range(1000))' >/run/e2e/up & pid=$!
		await '[[ -s /run/e2e/up ]]'
	END
}

@test "perl" {
	profile perl <<-'END'
		perl -e '$| = 1; print "up"; while (1) { my %h = map { $_ => "x" x $_ } 1 .. 100; join ",", sort keys %h }' >/run/e2e/up & pid=$!
		await '[[ -s /run/e2e/up ]]'
	END
}

@test "bash" {
	profile bash <<-'END'
		/bin/bash -c 'echo up; while :; do x=${x#a}a; [[ $x = *b* ]] || y=$((y + 1)); done' >/run/e2e/up & pid=$!
		await '[[ -s /run/e2e/up ]]'
	END
}

@test "sqlite3" {
	profile sqlite3 <<-'END'
		sqlite3 :memory: '.shell echo up' 'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c)
			SELECT sum(length(hex(n))) FROM (SELECT n FROM c LIMIT 100000000)' >/run/e2e/up & pid=$!
		await '[[ -s /run/e2e/up ]]'
	END
}

@test "gzip" {
	profile gzip <<-'END'
		feed | gzip -9 >/dev/null & pid=$!
		await '[[ -s /run/e2e/up ]]'
	END
}

@test "xz" {
	profile xz <<-'END'
		feed | xz -6 -T1 >/dev/null & pid=$!
		await '[[ -s /run/e2e/up ]]'
	END
}

@test "openssl, whose assembly has little unwind information" {
	profile openssl 990 <<-'END'
		openssl speed -seconds 20 rsa2048 >/run/e2e/up 2>&1 & pid=$!
		await 'grep -q ^Doing /run/e2e/up'
	END
}

@test "git" {
	profile git <<-'END'
		for i in a b; do seq 40000 | shuf >/run/e2e/$i; done
		git diff --no-index --minimal --stat /run/e2e/a /run/e2e/b >/dev/null & pid=$!
		await 'grep -q /run/e2e/b /proc/$pid/maps'
	END
}

@test "the C compiler" {
	profile cc1 <<-'END'
		{
			echo 'extern int printf(const char *format, ...);'
			# No loops: for these cc1 calls gmp, whose assembly cannot be unwound.
			for i in {1..1200}; do
				echo "int f$i(int n) { return n ? printf(\"%d\", n * $i) + n : n; }"
			done
		} >/run/e2e/a.c
		$(gcc -print-prog-name=cc1) -quiet -O2 -o /run/e2e/a.s /run/e2e/a.c 2>/dev/null & pid=$!
		# Before it writes, cc1 calls assembly that has little unwind information.
		await '[[ -s /run/e2e/a.s ]]'
	END
}

# The stack of each sample goes through the function that made the call.
check_callers() { # PROFILE
	local call sum=0 all n
	all=$(count "$1" '$3 !~ /;main(;compare)?(;cpu_ns.*)?$/')
	for call in call_qsort call_memcpy call_fprintf call_strlen call_malloc call_libm; do
		n=$(count "$1" "\$3 ~ /_start;.*;main;$call(;|\$)/")
		echo "$call: $n"
		[ "$n" -ge 20 ]
		sum=$((sum + n))
	done
	echo "$sum of $all"
	[ "$all" -ge 1000 ]
	[ $((all - sum - 1)) -le $((all / 1000)) ]
}

@test "the callers of qsort, memcpy, fprintf, strlen, malloc and libm" {
	for program in callers callers-stock; do
		profile $program <<-END
			$program & pid=\$!
			await '[[ \$(readlink /proc/\$pid/fd/3) = /dev/null ]]'	# main() has opened it
		END
		check_callers $program.pb.gz
	done
}

# musl, as Alpine builds it, has no unwind tables. The static program is stripped.
@test "musl: the callers in a program and in a thread, and behind a signal handler" {
	for program in handlers-musl handlers-musl-static; do
		for thread in '' thread; do
			profile $program$thread <<-END
				$program $thread >/run/e2e/up & pid=\$!
				await '[[ -s /run/e2e/up ]]'
			END
		done
	done
	for how in '' thread; do
		at_least "$(count handlers-musl$how.pb.gz '$3 ~ /worker;[^;]*;on_alarm;spin$/')" 100
		at_least "$(count handlers-musl$how.pb.gz '$3 ~ /worker$/')" 100
		# The function behind the system call instruction of __restore_rt.
		[[ $(count handlers-musl$how.pb.gz '$3 ~ /memcpy$/') -eq 0 ]]
	done
	at_least "$(count handlers-musl.pb.gz '$3 ~ /(^|;)main;worker;/')" 100
	# musl's caller of main, main, worker, __restore_rt, on_alarm, spin
	at_least "$(count handlers-musl-static.pb.gz 'split($3, frames, ";") == 6')" 100
}

@test "fibers begin where makecontext() says" {
	vm pprof-collect -q --hz 1000 -o fibers.pb.gz -- fibers 1
	right=$(count fibers.pb.gz '$3 ~ /^[^;]*;fiber;work;spin$/ && $3 !~ /truncated/')
	at_least "$right" 500
	[ "$(count fibers.pb.gz '$3 ~ /;spin$/')" -eq "$right" ]
}

# The trampoline is on the stack, where code has the name [anon] or [stack].
@test "gcc's trampolines for nested functions" {
	vm pprof-collect -q --hz 1000 -o nested.pb.gz -- nested 1
	right=$(count nested.pb.gz '$3 ~ /_start;.*;main;outer;apply;\[(anon|stack)\]$/')
	at_least "$right" 100
	[ "$(count nested.pb.gz '$3 ~ /\[(anon|stack)\]$/')" -eq "$right" ]
}

@test "two programs with one build ID have two tables" {
	vm <<-'END'
		id=.note.gnu.build-id
		objcopy -O binary --only-section=$id $bin/burn /run/e2e/id
		objcopy --update-section $id=/run/e2e/id $bin/callers-stock /run/e2e/twin
		burn 1000 & first=$!
		/run/e2e/twin & second=$!
		await '[[ $(readlink /proc/$second/fd/3) = /dev/null ]]'
		await 'grep -q /libc.so /proc/$first/maps'
		pprof-collect -q --hz 1000 --seconds 2 --pid $first,$second -o twins.pb.gz
		kill $first $second
	END
	whole twins.pb.gz
	show mapping twins.pb.gz | grep -P '^(/.*/burn|/run/e2e/twin)\t' | cut -f2 >ids
	[ "$(wc -l <ids)" -eq 2 ]
	[ "$(uniq ids | wc -l)" -eq 1 ]
	at_least "$(count twins.pb.gz '$3 ~ /_start;.*;main;burn;spin$/')" 100
	at_least "$(count twins.pb.gz '$3 ~ /_start;.*;main;call_/')" 100
}

@test "with --unwind fp, stacks of code without frame pointers are truncated" {
	vm pprof-collect -q --hz 1000 --seconds 1 --unwind fp -o fp.pb.gz -- \
		python3 -c 'while True: sorted(str(i) for i in range(1000))'
	at_least "$(count fp.pb.gz '$3 ~ /^\[truncated: /')" 100
}

@test "stack pointers that lead nowhere" {
	vm pprof-collect -q --hz 1000 -o wild.pb.gz -- wildstack >truth
	[ "$(truth survived)" -eq 9 ]
	for case in near_zero unaligned unmapped in_the_kernel not_canonical below_the_kernel \
		at_its_end on_garbage in_a_loop; do
		all=$(count wild.pb.gz "\$3 ~ /(^|;)$case$/")
		cut=$(count wild.pb.gz "\$3 ~ /^\\[truncated: .*(^|;)$case$/")
		echo "$case: $cut of $all"
		[ "$all" -ge 20 ]
		# A tick may hit just before rsp is wrong, or just after.
		[ "$cut" -ge $((all * 9 / 10)) ]
	done
}

@test "32-bit code has one frame, and a message" {
	run --separate-stderr vm pprof-collect -q --hz 1000 -o compat.pb.gz -- spin32
	[ "$status" -eq 0 ]
	all=$(count compat.pb.gz '$3 ~ /^\[truncated: 32-bit code\];[^;]*$/')
	[ "$all" -ge 100 ]
	[ "$(count compat.pb.gz '$3 ~ /spin32|_start/')" -eq "$all" ]
	[[ $stderr = "pprof-collect: $all samples are of 32-bit code, "* ]]
}

@test "a damaged file has a warning" {
	run --separate-stderr vm <<-'END'
		cp $bin/burn /run/e2e/broken
		printf '\0' | dd of=/run/e2e/broken bs=1 seek=4 conv=notrunc status=none
		pprof-collect -q --hz 1000 -o broken.pb.gz -- /run/e2e/broken 1
	END
	[ "$status" -eq 0 ]
	[[ $stderr = 'pprof-collect: cannot unwind by tables in /run/e2e/broken, as it is no ELF program '*': if it is damaged, install it anew' ]]
}

@test "more executable mappings than the module takes" {
	run --separate-stderr vm <<-'END'
		mappings 4000 >/run/e2e/few & few=$!
		mappings 6000 >/run/e2e/many & many=$!
		await '[[ -s /run/e2e/few && -s /run/e2e/many ]]'
		pprof-collect -q --hz 1000 --seconds 1 --pid $few -o few.pb.gz
		pprof-collect -q --hz 1000 --seconds 1 --pid $many -o many.pb.gz
		kill $few $many
	END
	[ "$status" -eq 0 ]
	whole few.pb.gz
	whole many.pb.gz
	at_least "$(count many.pb.gz '$3 ~ /_start;.*;main;work;spin$/')" 100
	warning='has 600[0-9] executable mappings, and only 4096 can be unwound: '
	[[ $stderr =~ ^pprof-collect:\ process\ [0-9]+\ ${warning}[^$'\n']+$ ]]
}

@test "--max-frames" {
	vm pprof-collect -q --hz 1000 --max-frames 3 -o cut.pb.gz -- deep 1
	at_least "$(count cut.pb.gz '$3 ~ /^\[truncated: too deep\];/')" 500
}

@test "thread creation by pthread_create: complete stacks from each call site" {
	vm pprof-collect -q --profile threadcreate -o pthread.pb.gz -- clones 3000
	[ "$(count pthread.pb.gz)" -eq 3000 ]
	[ "$(count pthread.pb.gz '$3 ~ /(^|;)_start;.*;main;create_all;site_a;(create;)?(__)?pthread_create/')" -eq 1500 ]
	[ "$(count pthread.pb.gz '$3 ~ /(^|;)_start;.*;main;create_all;site_b;(create;)?(__)?pthread_create/')" -eq 900 ]
	[ "$(count pthread.pb.gz '$3 ~ /(^|;)_start;.*;main;create_all;site_c;(create;)?(__)?pthread_create/')" -eq 600 ]
}

@test "thread creation by std::thread" {
	vm pprof-collect -q --profile threadcreate -o cxx.pb.gz -- cxxthreads 100
	[ "$(count cxx.pb.gz)" -eq 100 ]
	[ "$(count cxx.pb.gz '$3 ~ /(^|;)_start;.*;main;here\(\);.*pthread_create/')" -eq 50 ]
	[ "$(count cxx.pb.gz '$3 ~ /(^|;)_start;.*;main;there\(\);.*pthread_create/')" -eq 50 ]
}

@test "thread creation by python3 and node" {
	vm pprof-collect -q --profile threadcreate -o python3.pb.gz -- python3 -c '
import threading
for i in range(200):
    t = threading.Thread(target=lambda: None)
    t.start()
    t.join()'
	[ "$(count python3.pb.gz)" -eq 200 ]
	# The function has another name in Python 3.13.
	[ "$(count python3.pb.gz '$3 ~ /(^|;)_start;.*;PyThread_start_(new|joinable)_thread;/')" -eq 200 ]
	# node creates threads at its start, before its table is loaded. The threads here are of
	# its pool, which it creates later.
	vm <<-'END'
		start_ready node -e 'const fs = require("fs");
			setInterval(() => fs.existsSync("/run/e2e/pool") && fs.stat("/", process.exit), 100);
			console.log("up")'
		pprof-collect -q --profile threadcreate --pid $pid -o node.pb.gz & collector=$!
		await_session
		touch /run/e2e/pool
		wait $collector
		rm /run/e2e/pool
	END
	at_least "$(count node.pb.gz '$3 ~ /^_start;.*;uv_thread_create/')" 4
}

@test "a library that is loaded late has its table in time" {
	vm pprof-collect -q --hz 100 -o plug.pb.gz -- dlopener /run/e2e/bin/libplug.so 700
	at_least "$(count plug.pb.gz '$3 ~ /;main;.*;?plug_work/')" 30
	# The mapping wakes the collector (test_mmap_events). Without a table all 70 are truncated.
	[ "$(count plug.pb.gz '$3 ~ /^\[truncated: [^;]*];(.*;)?(plug_work|spin)(;|$)/')" -le 10 ]
}
