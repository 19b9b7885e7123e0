#!/usr/bin/env bats
# Continuous profiles: windows that follow each other.
# shellcheck disable=SC2016 # awk's

# bats file_tags=collector
load ../lib/helpers

# The sum of the counts of all files.
sum() { # FILE...
	local file n=0
	for file in "$@"; do
		n=$((n + $(count "$file")))
	done
	echo $n
}

# Each window begins where the one before it ends, to the ns, and all but the last are of whole
# seconds.
in_a_row() { # FILE...
	local file end=''
	for file in "$@"; do
		[[ -z $end || $end -eq $(show time "$file") ]] ||
			fail "$file begins at $(show time "$file"), and not at $end" || return
		end=$(($(show time "$file") + $(show duration "$file")))
		[[ $file = "${*: -1}" || $(($(show duration "$file") % 1000000000)) -eq 0 ]] ||
			fail "$file is of $(show duration "$file") ns" || return
	done
}

# A writer that is late makes a window longer: on a busy host there may be fewer than one a second.
@test "windows follow each other, and have all samples" {
	run --separate-stderr vm <<-'END'
		mkdir windows
		pprof-collect --hz 1000 --every 1s --dir windows -- burn $((5 * E2E_WIDER)) >truth
	END
	echo "$output $stderr"
	[ "$status" -eq 0 ]
	files=(windows/*Z.burn.*.cpu.pb.gz)
	at_least "${#files[@]}" 3
	[ "$(ls -A windows)" = "$(printf '%s\n' "${files[@]#*/}")" ]
	in_a_row "${files[@]}"
	[[ $stderr = "cpu: $(sum "${files[@]}") samples, 0 lost"*"${#files[@]} windows, "* ]]
	ticks=$(($(truth cpu_ns) / 1000000))
	within "$(sum "${files[@]}")" $((ticks * 95 / 100)) $((ticks * 115 / 100))
	at_least "$(count "${files[1]}" '$3 ~ /;main;burn;spin$/')" 300
}

@test "after kill -9 all files are whole, and the next run goes on" {
	vm <<-'END'
		mkdir windows
		burn 1000 & burn=$!
		windows() { find windows -name '*.pb.gz' | wc -l; }
		for i in 1 2 3; do
			before=$(windows)
			pprof-collect -q --every 1s --dir windows --pid $burn & pid=$!
			await "[[ \$(windows) -ge $((before + 2)) ]]"
			kill -KILL $pid
			wait $pid || true
			# What a run leaves that is killed while it writes
			head -c 100 /dev/urandom >windows/.pprof.abcde$i
		done
		touch windows/.pprof.other.file
		pprof-collect -q --every 1s --dir windows --pid $burn & pid=$!
		await "[[ \$(windows) -ge $(($(windows) + 2)) ]]"
		# The lock of the folder is that of the run.
		fails pprof-collect -q --every 1s --dir windows --pid $burn 2>second
		kill -INT $pid
		wait $pid
		kill $burn
		ls -A windows >left
	END
	[ "$(grep -c '^\.pprof\.' left)" -eq 1 ]
	[ "$(grep -vc '^20.*Z\.burn\.[0-9]*\.cpu\.pb\.gz$' left)" -eq 1 ]
	[[ $(<second) = 'pprof-collect: cannot use windows: another pprof-collect writes'* ]]
}

# After the second step there are two windows of one second: the names of the later files have a
# number. Only the steps are gaps: all samples are there, and all windows are of whole seconds.
@test "a clock that is set moves the windows, and costs none" {
	run --separate-stderr vm <<-'END'
		mkdir windows
		burn 1000 & burn=$!
		pprof-collect --hz 100 --every 1s --dir windows --pid $burn 2>log & pid=$!
		windows() { find windows -name '2*.pb.gz' | wc -l; }
		await_more() { local more=$(($(windows) + 2)); await "[[ \$(windows) -ge $more ]]"; }
		await_more
		date -s '+1 hour' >/dev/null
		await_more
		date -s '-3602 seconds' >/dev/null
		await_more
		date -s '+2 seconds' >/dev/null
		kill -INT $pid
		wait $pid
		kill $burn
		cat log
	END
	echo "$output $stderr"
	[ "$status" -eq 0 ]
	files=(windows/*.pb.gz)
	[[ $output = "cpu: $(sum "${files[@]}") samples, 0 lost"*"${#files[@]} windows, ${#files[@]} files in "* ]]
	hours=$(for file in "${files[@]}"; do show time "$file"; done |
		awk '{ print int($1 / 1800e9) }' | sort -u | wc -l)
	at_least "$hours" 2
	whole=$(for file in "${files[@]}"; do show duration "$file"; done |
		awk '$1 % 1000000000 == 0 { n++ } END { print n }')
	at_least "$whole" $((${#files[@]} - 1))
}

# The other library differs in the name of one function. So the process that executes it goes on.
@test "a library that is overwritten in place has its old names, then its new ones, and no wrong ones" {
	run --separate-stderr vm <<-'END'
		mkdir windows
		cp $bin/libplug.so /run/e2e/plug.so
		sed 's/spin/nips/g' /run/e2e/plug.so >/run/e2e/other.so
		fails cmp -s /run/e2e/plug.so /run/e2e/other.so
		windows() { find windows -name '*.pb.gz' | wc -l; }
		dlopener /run/e2e/plug.so 500 100000 >/dev/null & pid=$!
		pprof-collect -q --hz 1000 --every 1s --dir windows --pid $pid & run=$!
		await "[[ \$(windows) -ge 3 ]]"
		dd if=/run/e2e/other.so of=/run/e2e/plug.so conv=notrunc status=none
		await "[[ \$(windows) -ge $(($(windows) + 3)) ]]"
		kill -INT $run
		wait $run
		kill $pid
	END
	echo "$output $stderr"
	[ "$status" -eq 0 ]
	[[ $stderr = *'/run/e2e/plug.so was overwritten during the profile'* ]]
	local file old new=0 first=0
	for file in windows/*Z.dlopener.*.cpu.pb.gz; do
		old=$(count "$file" '$3 ~ /;plug_work;spin$/')
		first=$((first + old))
		new=$((new + $(count "$file" '$3 ~ /;plug_work;nips$/')))
		[[ $old -eq 0 || $((new + $(count "$file" '$3 ~ /\[plug.so\]/'))) -eq 0 ]]
	done
	at_least "$first" 100
	at_least "$new" 100
}

@test "--keep removes the oldest windows, and no other file" {
	vm <<-'END'
		mkdir windows
		old=windows/20200101T000000Z.a.1.cpu.pb.gz
		touch $old windows/{20200101T000000Z.txt,notes.pb.gz}
		cpu() { find windows -name '2*.cpu.pb.gz' | sort; }
		burn 1000 & burn=$!
		pprof-collect -q --profile cpu,block --every 1s --keep 2 --dir windows --pid $burn \
			& pid=$!
		# A window is removed when two younger ones are complete.
		await '[[ ! -e $old && $(cpu | wc -l) -ge 2 ]]'
		first=$(cpu | head -n 1)
		await "[[ ! -e $first && ! -e ${first/cpu/block} ]]"
		kill -INT $pid
		wait $pid
		kill $burn
		rm windows/notes.pb.gz windows/20200101T000000Z.txt
		ls -A windows >left
	END
	[ "$(wc -l <left)" -eq 4 ]
	[ "$(cut -d. -f4 left | sort | uniq -c | tr -s ' \n' ' ')" = ' 2 block 2 cpu ' ]
}

@test "--by comm and --by process: a file for each, and no sample is in two" {
	run --separate-stderr vm <<-'END'
		mkdir comm process
		burn 1000 & one=$!
		burn 1000 & two=$!
		split75 1000 & three=$!
		pprof-collect --hz 1000 --all --every 1s --seconds 3.5 --by comm --dir comm &
		await_session
		wait %4
		pprof-collect -q --every 1s --seconds 2.5 --by process --dir process --pid $one,$two
		kill $one $two $three
		echo $one $two
	END
	echo "$output $stderr"
	[ "$status" -eq 0 ]
	files=(comm/*.burn.cpu.pb.gz)
	at_least "${#files[@]}" 2
	files=(comm/*.split75.cpu.pb.gz)
	at_least "${#files[@]}" 2
	[ "$(count "${files[1]}" '$2 !~ /comm=split75/')" -eq 0 ]
	at_least "$(count "${files[1]}" '$3 ~ /;hot_a;/')" 50
	# The program itself comes first: readers name the profile by it.
	[[ $(show mapping "${files[1]}" | head -n 1) = */split75* ]]
	[[ $stderr = "cpu: $(sum comm/*.pb.gz) samples, 0 lost"* ]]
	# A process that has just begun has only samples of the dynamic linker: no program comes first.
	find comm -name '*.pb.gz' ! -name '*.burn.*' ! -name '*.split75.*' -delete
	for pid in $output; do
		files=(process/*.burn."$pid".cpu.pb.gz)
		at_least "${#files[@]}" 1
		at_least "$(sum "${files[@]}")" 20
		[ "$(count "${files[0]}" "\$2 !~ /pid=$pid/")" -eq 0 ]
	done
}

@test "threads, wall time and waits of windows" {
	vm <<-'END'
		mkdir windows
		start_parked 8 1
		pprof-collect -q --profile wall,thread,block --every 1s --seconds 3.5 --dir windows \
			--pid $pid
	END
	files=(windows/*.thread.pb.gz)
	at_least "${#files[@]}" 2
	in_a_row "${files[@]}"
	for file in "${files[@]}"; do
		[ "$(count "$file")" -eq 10 ]
	done
	# Ten threads have a sample a ms. Those of sleeping threads are in the last window.
	ms=0
	for file in windows/*.wall.pb.gz; do
		ms=$((ms + $(show duration "$file") / 1000000))
	done
	within "$(sum windows/*.wall.pb.gz)" $((ms * 98 / 100)) $((ms * 102 / 100))
	in_a_row windows/*.block.pb.gz
}

# The program keeps 1,000 objects and replaces them all the time.
@test "allocations are of their window, and memory stays in use" {
	vm <<-'END'
		mkdir windows
		allocs steady & pid=$!
		await 'grep -q /libc.so /proc/$pid/maps'
		pprof-collect -q --profile heap --every 1s --seconds 3.5 --dir windows --pid $pid
		kill $pid
	END
	files=(windows/*.heap.pb.gz)
	at_least "${#files[@]}" 2
	in_a_row "${files[@]}"
	last=${files[-1]}
	inuse=$(show sample "$last" | awk -F'\t' '{ n += $5 } END { print n }')
	all=$(sum "${files[@]}")
	[ "$all" -le 1000 ] || all=1000
	within "$inuse" $((all * 95 / 100)) $((all + 1))
}

@test "a full disk costs windows, and not the run" {
	run --separate-stderr vm <<-'END'
		mkdir windows
		mount -t tmpfs -o size=64k none windows
		burn 1000 & burn=$!
		pprof-collect --every 1s --dir windows --pid $burn 2>log & pid=$!
		windows() { find windows -name '2*.pb.gz' | wc -l; }
		await '[[ $(windows) -ge 1 ]]'
		dd if=/dev/zero of=windows/filler bs=4k 2>/dev/null || true
		await 'grep -q "disk is full" log'
		full=$(windows)
		rm windows/filler
		await '[[ $(windows) -gt $full ]]'
		ls -A windows | grep -c '^\.pprof' || true
		kill -INT $pid
		wait $pid || echo failed
		kill $burn
		mkdir left
		cp windows/*.pb.gz left
		umount windows
	END
	echo "$output $stderr"
	[ "$status" -eq 0 ]
	[ "${lines[-1]}" = failed ]
	lost=$(grep -c 'cannot write windows/.*: the disk is full: free space or give another' log)
	at_least "$lost" 1
	grep -q "^pprof-collect: $lost of [0-9]* windows have no complete files" log
	files=(left/*.pb.gz)
	grep -q "^${#files[@]} windows, ${#files[@]} files in windows" log
}
