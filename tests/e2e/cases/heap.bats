#!/usr/bin/env bats
# Heap profiles: allocated objects and bytes, and those in use, as the sampler estimates them,
# compared with the counts of the programs.
# shellcheck disable=SC2016 # awk's

# bats file_tags=heap
load ../lib/helpers

# The time limit in seconds for a script in the VM: the debug kernel is slow.
export LIMIT=1000

# Takes both profiles of a program, and its output as "truth". Checks that the collector
# measured the cost of a call.
heap() { # NAME COMMAND...
	vm bash -c "pprof-collect --profile heap,allocs ${OPTIONS-} -- ${*:2} >truth 2>said || { cat said; exit 1; }"
	mv pprof.*.heap.pb.gz "$1.pb.gz"
	mv pprof.*.allocs.pb.gz "$1.allocs.pb.gz"
	figures grep -h '^heap' said
	grep -Eq '^heap: [1-9][0-9]* calls .* breakpoint, at least [0-9.]*[1-9][0-9.e+]* us each as ' said ||
		fail "heap: no cost of a call in $(<said)"
}

# The sum of value NUMBER, from 1, of the samples that match.
value() { # PROFILE NUMBER [AWK_PATTERN]
	local column=$(($2 == 1 ? 1 : $2 + 2))
	show sample "$1" | awk -F'\t' "BEGIN { n = 0 } ${3-} { n += \$$column } END { printf \"%.0f\\n\", n }"
}

percent() { # NUMBER TRUTH
	awk -v n="$1" -v truth="$2" 'BEGIN { printf "%.2f\n", 100 * n / truth }'
}

# All four values are within 5 % of the truth. With SLACK, only alloc_bytes is; the others are
# within SLACK percent: where a program has few objects of each size, it is chance how many
# are sampled.
check_totals() { # PROFILE [SLACK]
	local i=0 key slack
	for key in alloc_objects alloc_bytes inuse_objects inuse_bytes; do
		i=$((i + 1))
		slack=${2-5}
		[[ $key != alloc_bytes ]] || slack=5
		figures echo "$key: $(percent "$(value "$1" $i)" "$(truth $key)") % of $(truth $key)"
		within "$(percent "$(value "$1" $i)" "$(truth $key)")" $((100 - slack)) $((100 + slack))
	done
}

# The first three functions in the list of go tool pprof.
go_pprof() { # SAMPLE_TYPE PROFILE
	go tool pprof -top "$1" "$2" 2>&1 |
		awk 'on && n++ < 3; / flat%/ { on = 1 }'
}

@test "325 MB of all sizes by all functions: within 5 %" {
	OPTIONS='--heap-rate 65536' heap mix allocs mix
	check_totals mix.pb.gz
	check_totals mix.allocs.pb.gz
	[ "$(show period mix.pb.gz)" -eq 65536 ]
	within "$(percent "$(value mix.pb.gz 4 '$3 ~ /;main;leak$|^main;leak$/')" "$(truth leaked)")" 95 105
	within "$(value mix.pb.gz 3 '$3 ~ /main;leak$/')" 3800 4200
	run go_pprof -inuse_space mix.pb.gz
	[[ ${lines[*]} = *' leak'* ]]
}

# bats test_tags=once
@test "realloc frees one object and allocates another" {
	heap realloc allocs realloc
	check_totals realloc.pb.gz 25
	[ "$(value realloc.pb.gz 1 '$3 !~ /by_realloc/')" -lt 1000 ]
}

# bats test_tags=once
@test "failed allocations are not counted, and freed objects are not in use" {
	heap huge allocs huge
	[ "$(value huge.pb.gz 1 '$3 ~ /;by_malloc$/')" -eq 1000 ]
	[ "$(value huge.pb.gz 2 '$3 ~ /;by_malloc$/')" -eq "$(truth alloc_bytes)" ]
	[ "$(value huge.pb.gz 3 '$3 ~ /;by_malloc$/')" -eq 0 ]
	[ "$(value huge.pb.gz 1 '$3 ~ /;huge$/')" -eq 0 ]
}

# Objects that are freed while the breakpoints are removed count as in use.
@test "objects in use of a program that goes on" {
	vm <<-'END'
		allocs steady & pid=$!
		await 'grep -q /libc.so /proc/$pid/maps'
		pprof-collect --profile heap --pid $pid -o steady.pb.gz 2>summary & collector=$!
		await_session
		await '[[ $(produced heap) -ge 3000 ]]'
		kill -INT $collector
		wait $collector
		kill $pid
		cat summary
	END
	[ "$(show period steady.pb.gz)" -eq 524288 ]
	figures echo "inuse_objects: $(value steady.pb.gz 3) of 1000"
	within "$(value steady.pb.gz 3)" 950 1050
	within "$(value steady.pb.gz 4)" 570000000 630000000
	at_least "$(value steady.pb.gz 1)" 3000
	[ "$(value steady.pb.gz 1 '$3 == "lostProfileEvent"')" -eq 0 ]
}

# bats test_tags=once
@test "operator new and delete" {
	OPTIONS='--heap-rate 65536' heap cxx cxxallocs
	within "$(percent "$(value cxx.pb.gz 1)" "$(truth alloc_objects)")" 95 105
	within "$(percent "$(value cxx.pb.gz 2)" "$(truth alloc_bytes)")" 95 105
	within "$(percent "$(value cxx.pb.gz 3)" "$(truth leak_objects)")" 90 110
	within "$(percent "$(value cxx.pb.gz 4 '$3 ~ /Leak::grow/')" "$(truth leak_bytes)")" 95 105
	# drop_frames hides the operator in readers.
	run go_pprof -inuse_space cxx.pb.gz
	[[ ${lines[*]} = *'Leak::grow'* && ${lines[*]} != *'operator new'* ]]
}

# The profile of a program with a preloaded library.
preloaded() { # NAME FILE COMMAND...
	vm <<-END
		hold 'exec ${*:3} >/run/e2e/truth' env LD_PRELOAD=/usr/lib/x86_64-linux-gnu/$2
		await 'grep -q $2 /proc/\$pid/maps'
		pprof-collect -q --profile heap --heap-rate 65536 --pid \$pid -o $1.pb.gz & collector=\$!
		await_session
		release
		wait \$collector
		cp /run/e2e/truth truth
	END
}

# Checks a preloaded allocator with C++, where operator new does not call malloc(), and with
# all functions of C.
check_library() { # NAME FILE
	preloaded "$1" "$2" cxxallocs
	within "$(percent "$(value "$1.pb.gz" 1)" "$(truth alloc_objects)")" 95 105
	within "$(percent "$(value "$1.pb.gz" 2)" "$(truth alloc_bytes)")" 95 105
	within "$(percent "$(value "$1.pb.gz" 4 '$3 ~ /Leak::grow/')" "$(truth leak_bytes)")" 95 105
	preloaded "$1.mix" "$2" allocs mix
	check_totals "$1.mix.pb.gz"
}

# bats test_tags=once
@test "jemalloc" {
	check_library jemalloc libjemalloc.so.2
}

# bats test_tags=once
@test "tcmalloc" {
	check_library tcmalloc libtcmalloc_minimal.so.4
}

# bats test_tags=once
@test "mimalloc, preloaded and linked" {
	library=$(vm bash -c 'cd /usr/lib/x86_64-linux-gnu && ls libmimalloc.so.?') ||
		skip 'mimalloc is not installed'
	check_library mimalloc "$library"
	OPTIONS='--heap-rate 1 --buffer-pages 1024' heap linked allocs-mimalloc fork
	[ "$(value linked.pb.gz 1 '$3 ~ /;leak$/')" -eq 8000 ]
	[ "$(value linked.pb.gz 4 '$3 ~ /;leak$/')" -eq $((2 * $(truth leaked))) ]
}

# In overlayfs each container has a file of its own; both are one file in the lower layer.
# bats test_tags=once
@test "two containers with one image" {
	vm <<-'END'
		mkdir /run/image /run/image.{1,2}
		cp /usr/lib/x86_64-linux-gnu/libtcmalloc_minimal.so.4 /run/image
		for i in 1 2; do
			mount -t overlay -o lowerdir=/run/image:/run/vm image /run/image.$i
			hold 'exec cxxallocs >/run/e2e/truth' \
				env LD_PRELOAD=/run/image.$i/libtcmalloc_minimal.so.4
			mv /run/e2e/gate /run/e2e/gate$i
			pids+=,$pid
		done
		pprof-collect -q --profile heap --heap-rate 65536 --pid ${pids#,} -o image.pb.gz & collector=$!
		await_session
		for i in 1 2; do echo >/run/e2e/gate$i; done
		wait $collector
		cp /run/e2e/truth truth
		umount /run/image.{1,2}
	END
	within "$(percent "$(value image.pb.gz 1)" $((2 * $(truth alloc_objects))))" 95 105
	within "$(percent "$(value image.pb.gz 2)" $((2 * $(truth alloc_bytes))))" 95 105
	within "$(percent "$(value image.pb.gz 3)" $((2 * $(truth leak_objects))))" 90 110
}

# The collector looks for the allocator before the program is executed.
# bats test_tags=once
@test "an allocator that the program is linked with" {
	OPTIONS='--heap-rate 65536' heap needed cxxallocs-jemalloc
	within "$(percent "$(value needed.pb.gz 1)" "$(truth alloc_objects)")" 95 105
	within "$(percent "$(value needed.pb.gz 4 '$3 ~ /Leak::grow/')" "$(truth leak_bytes)")" 95 105
}

# bats test_tags=once
@test "a static PIE with glibc's allocator" {
	OPTIONS='--heap-rate 65536' heap pie allocs-staticpie mix
	check_totals pie.pb.gz
}

# bats test_tags=once
@test "a static PIE by mold" {
	vm test -e /run/e2e/bin/allocs-mold || skip 'mold is not installed'
	OPTIONS='--heap-rate 65536' heap mold allocs-mold mix
	check_totals mold.pb.gz
}

# bats test_tags=once
@test "a program that is started by the dynamic linker" {
	OPTIONS='--heap-rate 65536' heap linker \
		/lib64/ld-linux-x86-64.so.2 --inhibit-cache /run/e2e/bin/allocs mix
	check_totals linker.pb.gz
	rm linker.pb.gz linker.allocs.pb.gz	# the first mapping is of ld.so, which check-profile refuses
}

# libasan has a malloc() and an operator new of its own. libc's malloc() is never called.
# Without randomization the kernel maps the page of its uprobes where libasan wants its shadow.
# bats test_tags=once
@test "programs with AddressSanitizer" {
	vm <<-'END'
		before=$(</proc/sys/kernel/randomize_va_space)
		trap 'echo $before >/proc/sys/kernel/randomize_va_space' EXIT
		echo 2 >/proc/sys/kernel/randomize_va_space
		export ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=16
		pprof-collect -q --profile heap --heap-rate 65536 -o asan.pb.gz -- allocs-asan realloc >truth
		pprof-collect -q --profile heap --heap-rate 65536 -o asan++.pb.gz -- cxxallocs-asan >truth++
	END
	check_totals asan.pb.gz 25
	mv truth++ truth
	# Allocations of libasan before main() count, too, if the profile is that early.
	within "$(percent "$(value asan++.pb.gz 1 '$3 ~ /;main;/')" "$(truth alloc_objects)")" 95 105
	within "$(percent "$(value asan++.pb.gz 2 '$3 ~ /;main;/')" "$(truth alloc_bytes)")" 95 105
	within "$(percent "$(value asan++.pb.gz 3 '$3 ~ /;main;/')" "$(truth leak_objects)")" 90 110
	within "$(percent "$(value asan++.pb.gz 4 '$3 ~ /Leak::grow/')" "$(truth leak_bytes)")" 95 105
}

@test "exceptions through operator new" {
	for library in jemalloc.so.2 tcmalloc_minimal.so.4 stdc++.so.6; do
		vm env LD_PRELOAD=/usr/lib/x86_64-linux-gnu/lib$library pprof-collect -q \
			--profile heap --heap-rate 1 -o "throws.$library.pb.gz" -- cxxthrows >truth
		[ "$(truth failed)" -eq 5000 ]
	done
}

# The session stops while it awaits the return of operator new, which throws after that.
# bats test_tags=once
@test "exceptions through operator new after the profile" {
	vm <<-'END'
		mkfifo /run/e2e/end
		cxxwaits </run/e2e/end >truth & pid=$!
		exec 9>/run/e2e/end
		await_sleep $pid
		for i in 1 2 3; do
			pprof-collect -q --profile heap --pid $pid --seconds 0.3 -o waits.pb.gz
		done
		exec 9>&-
		wait $pid
		rm /run/e2e/end
	END
	[ "$(truth thrown)" -ge 1 ]
	[ "$(truth caught)" -eq "$(truth thrown)" ]
}

# bats test_tags=once
@test "allocator functions that call one another count an object once" {
	OPTIONS='--heap-rate 1 --buffer-pages 1024' heap levels ownalloc levels
	for site in by_calloc by_realloc by_memalign; do
		[ "$(value levels.pb.gz 1 "\$3 ~ /;$site\$|;$site;/")" -eq 1000 ]
	done
}

@test "allocations after a longjmp out of the allocator are counted" {
	OPTIONS='--heap-rate 1 --buffer-pages 1024' heap jumps ownalloc jumps
	[ "$(value jumps.pb.gz 1 '$3 ~ /;deeper$|;deeper;/')" -eq 1000 ]
}

# The kernel regards uretprobes further down the stack as abandoned, and kills a process that
# returns through one of these.
@test "a signal on another stack" {
	OPTIONS='--heap-rate 1 --buffer-pages 1024' heap signals ownalloc signals
	[ "$(value signals.pb.gz 1 '$3 ~ /;by_signal$|;by_signal;/')" -eq 1000 ]
}

# Stacks are complete, or truncated with a cause. The latter is one of a hundred, sampled while
# the kernel sets up or leaves the uretprobe. On a busy machine the program runs for a while before
# its mappings are known.
check_slow() { # PROFILE
	local known='$3 ~ /realloc/ && $3 !~ /^\[truncated: (return awaited by a uprobe|process not known yet)\]/'
	[ "$(count "$1" '$3 ~ /realloc/ && $3 !~ /main;slow;realloc/ && $3 !~ /^\[truncated/')" -eq 0 ]
	within "$(percent "$(count "$1" '$3 ~ /main;slow;realloc/')" "$(count "$1" "$known")")" 95 100
	[ "$(count "$1" '$3 ~ /main;slow;realloc/')" -ge 500 ]
}

# A uretprobe replaces the return address on the stack by the address of its trampoline. While the
# kernel is busy behind a uprobe, which is long on a debug kernel, the original is not known.
@test "cpu stacks below the allocator are complete" {
	vm pprof-collect -q --profile cpu,heap --heap-rate 1 --hz 1000 -- ownalloc slow 2
	mv pprof.*.cpu.pb.gz slow.pb.gz
	check_slow slow.pb.gz
	vm pprof-collect -q --profile cpu,heap --heap-rate 1 --hz 1000 --unwind fp -- ownalloc slow 2
	mv pprof.*.cpu.pb.gz fp.pb.gz
	check_slow fp.pb.gz
}

# bats test_tags=each
@test "every object: exact" {
	OPTIONS='--heap-rate 1 --buffer-pages 1024' heap every allocs fork
	[ "$(value every.pb.gz 1 '$3 ~ /;leak$/')" -eq 8000 ]
	[ "$(value every.pb.gz 4 '$3 ~ /;leak$/')" -eq $((2 * $(truth leaked))) ]
}

# bats test_tags=once
@test "a child is not counted unless asked for" {
	vm <<-'END'
		hold 'exec allocs fork >/dev/null'
		pprof-collect -q --profile heap --heap-rate 1 --buffer-pages 1024 --pid $pid -o one.pb.gz & collector=$!
		await_session
		release
		wait $collector
		hold 'exec allocs fork >/dev/null'
		pprof-collect -q --profile heap --heap-rate 1 --buffer-pages 1024 --pid $pid --children -o two.pb.gz & collector=$!
		await_session
		release
		wait $collector
	END
	[ "$(value one.pb.gz 1 '$3 ~ /;leak$/')" -eq 4000 ]
	[ "$(value two.pb.gz 1 '$3 ~ /;leak$/')" -eq 8000 ]
}

# bats test_tags=once
@test "lost frees are reported" {
	run --separate-stderr vm <<-'END'
		mkfifo /run/e2e/go
		python3 -uc 'print("begun"); input(); kept = [bytearray(100000) for i in range(4000)]
		print("made"); input(); del kept; print("freed"); input()' </run/e2e/go >said & pid=$!
		exec 8>/run/e2e/go
		await 'grep -q begun said'
		pprof-collect -q --profile heap --heap-rate 20000 --buffer-pages 8 --pid $pid -o lost.pb.gz & collector=$!
		await_session
		echo >&8
		await 'grep -q made said'
		kill -STOP $collector
		echo >&8
		await 'grep -q freed said'
		kill -CONT $collector
		kill -INT $collector
		wait $collector
		kill $pid
	END
	[ "$status" -eq 0 ]
	[[ $stderr =~ heap:\ ([1-9][0-9]*)\ frees\ were\ lost,\ so\ less\ memory\ is\ in\ use\ than\ the\ profile\ shows ]]
	show comment lost.pb.gz | grep -q "^lost frees: ${BASH_REMATCH[1]}:"
}

@test "a program that executes another" {
	run --separate-stderr vm bash -c 'pprof-collect --profile heap --heap-rate 65536 -o exec.pb.gz -- allocs exec >truth'
	[ "$status" -eq 0 ]
	[[ $stderr = *'heap: 1 programs were executed meanwhile'* ]]
	check_totals exec.pb.gz
}

# bats test_tags=once
@test "text in the format of Go" {
	vm bash -c 'pprof-collect -q --profile heap --debug 1 -o heap.txt -- allocs realloc >truth'
	head -1 heap.txt | grep -Eq '^heap profile: [0-9]+: [0-9]+ \[[0-9]+: [0-9]+\] @ heap/2$'
	"$lib/read-profile" heap.txt text
}

# Other processes that map the file have no breakpoint, and no copy of a page.
# bats test_tags=each
@test "only targets are changed" {
	vm <<-'END'
		start_pairs
		other=$pid
		start_pairs
		pprof-collect -q --profile heap --pid $pid & collector=$!
		await_session
		await '[[ $(produced heap) -gt 0 ]]'
		heaps text $other
		fails heaps text $pid >said
		grep -q '^at 0x[0-9a-f]*: 0xcc, not ' said
		kill -INT $collector
		wait $collector
		heaps text $pid
		kill -9 $pid $other
	END
}

@test "the target is killed inside its allocator" {
	vm <<-'END'
		start_pairs
		pprof-collect -q --profile heap --heap-rate 1 --pid $pid -o killed.pb.gz & collector=$!
		await_session
		await '[[ $(($(produced heap) - $(lost heap))) -ge 2000 ]]'
		kill -9 $pid
		wait $collector
	END
	[ "$(count killed.pb.gz '$3 ~ /;pairs$/')" -gt 1000 ]
}

@test "two sessions, of two targets that share an allocator" {
	vm <<-'END'
		for i in 1 2; do
			hold 'exec allocs fork >/dev/null'
			pprof-collect -q --profile heap --heap-rate 1 --buffer-pages 1024 --pid $pid -o $i.pb.gz & collectors[i]=$!
			await_session $i
			mv /run/e2e/gate /run/e2e/gate$i
		done
		for i in 1 2; do echo >/run/e2e/gate$i; done
		all_well ${collectors[*]}
	END
	# Stacks just after the exec may be truncated above leak(), which counts all the same.
	for i in 1 2; do
		[ "$(value $i.pb.gz 1 '$3 ~ /;leak$/')" -eq 4000 ]
	done
}

@test "heap together with all other profile types" {
	vm pprof-collect -q --profile all,heap -- allocs realloc >truth
	mv pprof.*.heap.pb.gz all.heap.pb.gz
	check_totals all.heap.pb.gz 25
	for kind in cpu wall threadcreate thread block mutex growth; do
		[ -s "$(ls pprof.allocs.*.$kind.pb.gz)" ]
	done
}

# bats test_tags=once
@test "a program without an allocator, and a wrong rate" {
	vm <<-'END'
		enter_empty
		pause & pid=$!
		names='malloc, _rjem_malloc, je_malloc, tc_malloc'
		refused "no file has the symbols free and one of $names: use --profile growth" pprof-collect --profile heap --pid $pid
		kill $pid
		refused 'is of 32 bits' pprof-collect --profile heap -- spin32
		refused "--heap-rate '0': must be a whole number from 1 to" pprof-collect --pid 1 --heap-rate 0
		refused 'name processes with --pid' pprof-collect --profile heap --all
	END
}

# bats test_tags=once
@test "an empty profile says why" {
	run --separate-stderr vm <<-'END'
		start_ready idle
		pprof-collect -q --profile heap --pid $pid --seconds 0.3 -o none.pb.gz
		kill $pid
		pprof-collect -q --profile heap --heap-rate 1000000000 -o rare.pb.gz -- sh -c :
	END
	[ "$status" -eq 0 ]
	[ "${#stderr_lines[@]}" -eq 2 ]
	[[ ${stderr_lines[0]} = *'heap: no call of an allocator was seen: '* ]]
	[[ ${stderr_lines[1]} = *'heap: none of the objects that were allocated was sampled: '* ]]
}

@test "requests that the module refuses" {
	vm <<-'END'
		start_ready idle
		heaps errors $pid
		as-nobody sleep 1000 & pid=$!
		await_sleep $pid
		as-nobody heaps rights $pid
		kill $pid
	END
}

@test "probes with a false kind of function" {
	vm <<-'END'
		start_pairs
		heaps wrong $pid
		kill $pid
	END
}

@test "a heap profile takes CAP_PERFMON" {
	vm <<-'END'
		enter_empty
		as-nobody sleep 1000 & pid=$!
		await_sleep $pid
		refused 'a heap profile needs CAP_PERFMON' as-nobody pprof-collect --profile heap --pid $pid
		kill $pid
	END
}
