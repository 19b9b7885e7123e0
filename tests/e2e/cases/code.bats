#!/usr/bin/env bats
# Code whose names are hard to find: of short processes, across an exec, in libraries that
# are loaded late, in deleted files, in the vDSO.
# shellcheck disable=SC2016 # awk's

# bats file_tags=collector
load ../lib/helpers

# Each child works for 5 ms. The collector must learn of each as a new process.
check_forks() { # PROFILE
	local work
	work=$(count "$1" '$3 ~ /(^|;)child_work(;|$)/')
	[ "$work" -ge 300 ]
	[ "$(count "$1" '$3 ~ /(^|;)main;fork_child;child_work(;|$)/')" -ge $((work * 98 / 100)) ]
}

@test "children of 5 ms" {
	vm pprof-collect -q --hz 1000 -o forks.pb.gz -- forks 100 4 >truth
	[ "$(truth children)" -eq 100 ]
	check_forks forks.pb.gz
}

@test "children of 5 ms, with --all" {
	vm <<-'END'
		pprof-collect -q --hz 1000 --all -o forks.pb.gz &
		await_session
		forks 100 4 >truth
		kill -INT %1
		wait %1
	END
	check_forks forks.pb.gz
}

@test "many programs of a few ms, each at its own addresses" {
	vm <<-'END'
		before=$(</proc/sys/kernel/randomize_va_space)
		echo 2 >/proc/sys/kernel/randomize_va_space
		# These map both files: the first short process would end before its tables are there.
		burn 1000 & burn=$!
		split75 1000 & split=$!
		await "grep -q libc /proc/$burn/maps && grep -q libc /proc/$split/maps"
		kill -STOP $burn $split
		hold 'for i in 1 2 3 4 5 6; do burn 0.1; split75 --rounds 2; done'
		pprof-collect -q --hz 10000 --children --pid $pid,$burn,$split -o programs.pb.gz & collector=$!
		await_session
		release
		wait $pid
		kill -INT $collector
		wait $collector
		kill -KILL $burn $split
		echo $before >/proc/sys/kernel/randomize_va_space
	END
	burn=$(count programs.pb.gz '$3 ~ /(^|;)main;burn;spin$/')
	hot_a=$(count programs.pb.gz '$3 ~ /(^|;)main;run_round;hot_a;spin$/')
	hot_b=$(count programs.pb.gz '$3 ~ /(^|;)main;run_round;hot_b;spin$/')
	[ "$burn" -ge 500 ]
	[ "$hot_a" -ge 200 ]
	[ "$hot_b" -ge 50 ]
	# A stack that was sampled before the ranges of its process were set shows that in its root.
	spins=$(count programs.pb.gz '$3 ~ /;spin$/ && $3 !~ /^\[truncated: process not known yet\]/')
	[ $((burn + hot_a + hot_b)) -ge $((spins * 99 / 100)) ]
}

# The first program is the same file under another name. Later ones have its table at once.
@test "short programs whose files are known" {
	vm <<-'END'
		await '[ $(($(date +%s) - $(stat -c %Z $bin/burn))) -gt 4 ]'
		ln -s $bin/burn /run/e2e/first
		pprof-collect -q --hz 1000 --labels comm -o known.pb.gz -- \
			bash -c '/run/e2e/first 0.3; for i in {1..20}; do burn 0.02; done'
	END
	at_least "$(count known.pb.gz '$2 == "comm=burn" && $3 ~ /(^|;)main;burn;spin$/')" 200
	[ "$(count known.pb.gz '$2 == "comm=burn" && $3 ~ /^\[truncated:.*spin$/')" -le 2 ]
	[ "$(count known.pb.gz '$3 ~ /spin$/ && $3 !~ /main;burn;spin$/ && $3 !~ /^\[truncated:/')" -eq 0 ]
}

@test "before and after an exec" {
	vm <<-'END'
		hold 'exec execchain 700 >truth'
		pprof-collect -q --hz 1000 --labels comm --pid $pid -o exec.pb.gz &
		await_session
		release
		all_well %1 %2
	END
	before=$(count exec.pb.gz '$3 ~ /;before_exec;spin$/ && $2 == "comm=execchain"')
	after=$(count exec.pb.gz '$3 ~ /;after_exec;spin$/ && $2 == "comm=execchain"')
	about "$before" $((before + after)) "$(truth before_ns)" \
		$(($(truth before_ns) + $(truth after_ns)))
}

@test "a library that is loaded late" {
	vm <<-'END' >truth
		pprof-collect -q --hz 1000 -o plug.pb.gz -- dlopener $bin/libplug.so 700
	END
	check_plug plug.pb.gz
}

@test "a library that is loaded, removed from the disk and unloaded" {
	vm <<-'END' >truth
		cp $bin/libplug.so /run/e2e/gone.so
		pprof-collect -q --hz 1000 -o plug.pb.gz -- dlopener --unlink /run/e2e/gone.so 700
	END
	check_plug plug.pb.gz
	show mapping plug.pb.gz | grep -P '^/run/e2e/gone.so\t[0-9a-f]{40}\t'
	"$lib/read-profile" plug.pb.gz symbolize
}

@test "libraries that come and go at one address" {
	vm <<-'END' >truth
		pprof-collect -q --hz 1000 -o plug.pb.gz -- dlopener $bin/libplug.so 20 25
	END
	at_least "$(truth same)" 20
	# Such short phases end with any delay of the host: the shares are not exact.
	for work in plug host; do
		ms=$(($(truth ${work}_ns) / 1000000))
		within "$(count plug.pb.gz "\$3 ~ /(^|;)main;${work}_work;spin$/")" $((ms * 4 / 10)) $((ms * 2))
	done
	# A few samples before a new mapping was known are truncated, and show it. None is wrong.
	[ "$(count plug.pb.gz '$3 ~ /spin$/ && $3 !~ /main;(plug|host)_work;spin$/ && $3 !~ /^\[truncated:/')" -eq 0 ]
	[ "$(count plug.pb.gz '$3 ~ /^\[truncated:.*spin$/')" -le 100 ]
}

check_plug() { # PROFILE
	plug=$(count "$1" '$3 ~ /(^|;)main;plug_work;spin$/')
	host=$(count "$1" '$3 ~ /(^|;)main;host_work;spin$/')
	about "$plug" $((plug + host)) "$(truth plug_ns)" $(($(truth plug_ns) + $(truth host_ns)))
	show mapping "$1" | grep -P '(libplug|gone).so\t[0-9a-f]{40}\t'
}

@test "a program whose file is deleted" {
	vm <<-'END'
		cp $bin/burn /run/e2e/gone
		/run/e2e/gone 1000 & pid=$!
		await '[[ $(readlink /proc/$pid/exe) = /run/e2e/gone ]]'
		rm /run/e2e/gone
		pprof-collect -q --hz 1000 --pid $pid --seconds 1 -o gone.pb.gz
	END
	at_least "$(count gone.pb.gz '$3 ~ /(^|;)main;burn;spin$/')" 100
	[[ $(show mapping gone.pb.gz | head -n 1) =~ ^/run/e2e/gone$'\t'[0-9a-f]{40}$'\t' ]]
}

@test "a program whose file is replaced by another" {
	vm <<-'END'
		cp $bin/burn /run/e2e/changes
		/run/e2e/changes 1000 & pid=$!
		await '[[ $(readlink /proc/$pid/exe) = /run/e2e/changes ]]'
		cp $bin/split75 /run/e2e/new
		mv /run/e2e/new /run/e2e/changes
		pprof-collect -q --hz 1000 --pid $pid --seconds 1 -o changes.pb.gz
	END
	at_least "$(count changes.pb.gz '$3 ~ /(^|;)main;burn;spin$/')" 100
	[ "$(count changes.pb.gz '$3 ~ /hot_/')" -eq 0 ]
}

# The program has a vDSO, a library, and a name that the lines escape.
@test "mappings are the same from queries and from lines" {
	vm <<-'END'
		odd=/run/e2e/$'odd\nname'
		cp $bin/parked "$odd"
		start_ready "$odd" 50 < <(exec sleep 1000)
		trap 'kill $pid' EXIT
		await_readers $pid 1
		rm "$odd"
		pprof-collect -q --profile thread -o queries.pb.gz --pid $pid
		LD_PRELOAD=$bin/noqueries.so pprof-collect -q --profile thread -o lines.pb.gz \
			--pid $pid 2>refused
	END
	[ "$(sort -u refused)" = query ]
	for file in queries lines; do
		go tool pprof -raw $file.pb.gz 2>&1 | grep -vE '^(Time|Duration): ' >$file
	done
	grep -q '^name' queries
	grep -q '/parked.c:[1-9]' queries
	diff queries lines
}

@test "a program in a chroot" {
	vm <<-'END'
		mkdir -p /run/e2e/root/lib64 /run/e2e/root/lib/x86_64-linux-gnu
		cp $bin/burn /run/e2e/root/inside
		cp -L /lib64/ld-linux-x86-64.so.2 /run/e2e/root/lib64
		cp -L /lib/x86_64-linux-gnu/libc.so.6 /run/e2e/root/lib/x86_64-linux-gnu
		cp $bin/split75 /inside
		chroot /run/e2e/root /inside 1000 & pid=$!
		await "[[ \$(cat /proc/$pid/comm) = inside ]]"
		pprof-collect -q --hz 1000 --pid $pid --seconds 1 -o root.pb.gz
		pprof-collect -q --hz 1000 -o start.pb.gz -- chroot /run/e2e/root /inside 1
	END
	at_least "$(count root.pb.gz '$3 ~ /(^|;)main;burn;spin$/')" 100
	at_least "$(count start.pb.gz '$3 ~ /(^|;)main;burn;spin$/')" 100
}

@test "a stripped program, named by its debug file" {
	vm <<-'END'
		id=$(readelf -n $bin/burn | sed -n 's/.*Build ID: //p')
		objcopy --only-keep-debug $bin/burn /run/e2e/burn.debug
		strip -o /run/e2e/stripped $bin/burn
		pprof-collect -q --hz 1000 -o bare.pb.gz -- /run/e2e/stripped 0.5
		mkdir -p /usr/lib/debug/.build-id/${id:0:2}
		mv /run/e2e/burn.debug /usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug
		pprof-collect -q --hz 1000 -o named.pb.gz -- /run/e2e/stripped 0.5
		rm -r /usr/lib/debug/.build-id
	END
	at_least "$(count bare.pb.gz '$3 ~ /;\[stripped\];\[stripped\]$/')" 100
	at_least "$(count named.pb.gz '$3 ~ /(^|;)main;burn;spin$/')" 100
}

# An exported function of assembly without a size stands before the static function.
@test "a symbol without a size gives no name to a stripped function" {
	vm <<-'END'
		strip -o /run/e2e/unsized $bin/unsized
		pprof-collect -q --hz 1000 -o unsized.pb.gz -- /run/e2e/unsized 0.5
	END
	at_least "$(count unsized.pb.gz '$3 ~ /;\[unsized\]$/')" 100
	[ "$(count unsized.pb.gz '$3 ~ /marker/')" -eq 0 ]
}

# A newer libelf can read it.
@test "debug info in an unknown compression is no silent loss" {
	vm <<-'END'
		objcopy --compress-debug-sections=zstd $bin/burn /run/e2e/packed
		pprof-collect -q --hz 1000 -o packed.pb.gz -- /run/e2e/packed 0.5 2>said
	END
	at_least "$(count packed.pb.gz '$3 ~ /(^|;)main;burn;spin$/')" 100
	if [ -s said ]; then
		[ "$(grep -c '/run/e2e/packed, whose compression libelf' said)" -eq 1 ]
	else
		raw=$(go tool pprof -raw packed.pb.gz)
		[[ $raw =~ burn\.c:[1-9] ]]
	fi
}

# The writer of the FIFO waits until the FIFO is opened for reading; kill must still find it.
@test "a debug link that leads to a FIFO is not opened" {
	vm <<-'END'
		mkdir /run/e2e/linked
		touch /run/e2e/linked/own.debug
		strip -o /run/e2e/linked/own $bin/burn
		objcopy --add-gnu-debuglink=/run/e2e/linked/own.debug /run/e2e/linked/own
		rm /run/e2e/linked/own.debug
		mkfifo /run/e2e/fifo
		ln -s /run/e2e/fifo /run/e2e/linked/own.debug
		sh -c 'echo >/run/e2e/fifo' & writer=$!
		pprof-collect -q --hz 1000 -o linked.pb.gz -- /run/e2e/linked/own 0.5
		kill $writer
	END
	[ "$(count linked.pb.gz '$3 ~ /;\[own\];\[own\]$/')" -ge 100 ]
}

@test "a program that is profiled has the same limits as without" {
	vm <<-'END'
		show='ulimit -n; sed -n /SigBlk/p /proc/self/status'
		bash -c "$show" >without
		pprof-collect -q -o limits.pb.gz -- bash -c "$show" >with
		cat with
		cmp without with
		[[ $(ulimit -n) -lt $(ulimit -Hn) ]]
	END
}

@test "the vDSO" {
	vm <<-'END'
		clock 1000 &
		pprof-collect -q --hz 1000 --pid $! --seconds 1 -o late.pb.gz
		pprof-collect -q --hz 1000 -o first.pb.gz -- clock 0.7
	END
	for file in late.pb.gz first.pb.gz; do
		at_least "$(count $file '$3 ~ /(^|;)__vdso_clock_gettime$/')" 50
		show mapping $file | grep -P '^\[vdso\]\t[0-9a-f]{40}\t'
	done
}

@test "C++ names are readable" {
	vm pprof-collect -q --hz 1000 -o cxx.pb.gz -- cxx 0.7
	show sample cxx.pb.gz | head
	at_least "$(count cxx.pb.gz '$3 ~ /::/')" 100
	[ "$(count cxx.pb.gz '$3 ~ /_Z/')" -eq 0 ]
}
