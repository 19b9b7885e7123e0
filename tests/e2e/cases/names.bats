#!/usr/bin/env bats
# The cache of names and unwind tables, which one run leaves for the next, and perf maps. The test
# programs are on a tmpfs.
# shellcheck disable=SC2016 # awk's and the VM's

# bats file_tags=collector
load ../lib/helpers

# A profile without its times.
raw() { # PROFILE
	go tool pprof -raw "$1" 2>&1 | grep -vE '^(Time|Duration): '
}

@test "names are the same from the cache" {
	vm <<-'END'
		start_parked 8
		mkdir -m 700 /run/e2e/caches
		date -s '+100 seconds' >/dev/null	# names of new files are not kept
		for run in none first second; do
			export XDG_CACHE_HOME=/run/e2e/caches
			[[ $run != none ]] || XDG_CACHE_HOME=/dev/null
			pprof-collect -q --profile thread -o $run.pb.gz --pid $pid 2>>said
			ls -li /run/e2e/caches/pprof-collect >$run.kept || true
		done
		date -s '-100 seconds' >/dev/null
		stat -c '%d %i' "$(type -P parked)" >parked.file
	END
	[ ! -s said ]
	[ ! -s none.kept ]
	read -r dev ino <parked.file
	grep -q "^ *[0-9]* -rw-------.* $(printf '%x-%x' "$dev" "$ino").names$" first.kept
	cmp first.kept second.kept
	raw none.pb.gz >none
	raw first.pb.gz >first
	raw second.pb.gz >second
	grep -q 'park_in_futex .*/parked.c:[1-9]' none
	diff none first
	diff none second
}

# A uprobe counts the files that are compiled. The vDSO has no file that could be kept.
@test "unwind tables are from the cache: a second run compiles only the vDSO" {
	offset=$(nm "$project/pprof-collect" | awk '$3 == "cfi_compile" { print "0x" $1 }')
	echo "OFFSET=$offset" >settings
	vm <<-'END'
		. ./settings
		events=/sys/kernel/tracing
		mount -t tracefs none $events 2>/dev/null || true
		start_parked 8
		mkdir -m 700 /run/e2e/tables written
		export XDG_CACHE_HOME=/run/e2e/tables
		date -s '+100 seconds' >/dev/null	# tables of new files are not kept
		echo "p:compile $(type -P pprof-collect):$OFFSET" >$events/uprobe_events
		echo 1 >$events/events/uprobes/compile/enable
		for run in first second windows; do
			[[ $run != windows ]] || every="--every 1s --seconds 1 --dir written"
			pprof-collect -q --profile thread ${every:--o $run.pb.gz} --pid $pid 2>>said
			awk '/compile/ { print $NF }' $events/uprobe_profile >>hits
			[[ $run != second ]] || rm /run/e2e/tables/pprof-collect/*
		done
		echo 0 >$events/events/uprobes/compile/enable
		echo >$events/uprobe_events
		ls /run/e2e/tables/pprof-collect >kept
		date -s '-100 seconds' >/dev/null
		stat -c '%d %i' "$(type -P parked)" >parked.file
	END
	[ ! -s said ]
	{ read -r first; read -r second; read -r windows; } <hits
	at_least "$first" 3
	[ "$((second - first))" -eq 1 ]
	[ "$((windows - second))" -eq "$first" ]
	read -r dev ino <parked.file
	grep -qx "$(printf '%x-%x' "$dev" "$ino").table" kept
	raw first.pb.gz >first
	raw second.pb.gz >second
	grep -q 'park_in_futex .*/parked.c:[1-9]' first
	diff first second
}

@test "without a place for the cache there is no message" {
	vm <<-'END'
		start_parked 8
		mkdir /run/e2e/fixed
		mount -t tmpfs -o ro fixed /run/e2e/fixed
		unset XDG_CACHE_HOME
		for HOME in /run/e2e/fixed /none; do
			pprof-collect -q --profile thread -o "${HOME##*/}.pb.gz" --pid $pid 2>>said
		done
		umount /run/e2e/fixed
	END
	[ ! -s said ]
	for file in fixed none; do
		[ "$(count $file.pb.gz '$3 ~ /;park_in_futex;/')" -eq 2 ]
	done
}

# The program ends before its samples are counted, and its map is younger than its code.
@test "names of code that is made at run time" {
	vm pprof-collect -q --hz 1000 -o made.pb.gz -- madecode 700 made_code
	made=$(count made.pb.gz '$3 ~ /(^|;)main;call_code;made_code$/')
	at_least "$made" 300
	[ "$(count made.pb.gz '$3 ~ /(^|;)call_code;\[anon\]$/')" -eq 0 ]
}

@test "functions of CPython, which it makes for perf" {
	vm pprof-collect -q --hz 1000 -o python.pb.gz -- evaluator 500
	outer='py::outer:evaluator\.py' inner='py::inner:evaluator\.py'
	at_least "$(count python.pb.gz '$3 ~ /(^|;)main;'"$outer;evaluate;$inner"';evaluate(;|$)/')" 300
	[ "$(count python.pb.gz '$3 ~ /evaluate/ && $3 !~ /_start;.*;main;'"$outer;evaluate"'/')" -eq 0 ]
}

# The samples of an address do not show which of its functions ran.
@test "code that is replaced during the profile has both names" {
	vm pprof-collect -q --hz 1000 -o made.pb.gz -- madecode 300 first second
	at_least "$(count made.pb.gz '$3 ~ /(^|;)main;call_code;first \[or second\]$/')" 300
	[ "$(count made.pb.gz '$3 ~ /(^|;)(first|second)$/')" -eq 0 ]
}

@test "code that was replaced before the profile has the later name" {
	vm <<-'END'
		madecode 2000 first second >/dev/null & pid=$!
		await 'grep -q second /tmp/perf-$pid.map'
		kill -STOP $pid
		pprof-collect -q --hz 1000 --pid $pid -o made.pb.gz & collector=$!
		await_session
		kill -CONT $pid
		wait $collector
	END
	at_least "$(count made.pb.gz '$3 ~ /(^|;)main;call_code;second$/')" 50
	[ "$(count made.pb.gz '$3 ~ /first/')" -eq 0 ]
}

@test "the perf map of an older process gives no names" {
	run --separate-stderr vm <<-'END'
		hold 'exec madecode 500 -'
		echo '600000000000 b wrong' >/tmp/perf-$pid.map
		touch -d '2020-01-01 00:00' /tmp/perf-$pid.map
		pprof-collect -q --hz 1000 --pid $pid -o made.pb.gz & collector=$!
		await_session
		release
		wait $collector
	END
	[ "$status" -eq 0 ]
	[[ $stderr =~ ^"pprof-collect: the names in /tmp/perf-"[0-9]+".map are not used, as it is older than its process: " ]]
	at_least "$(count made.pb.gz '$3 ~ /(^|;)main;call_code;\[anon\]$/')" 200
	[ "$(count made.pb.gz '$3 ~ /wrong/')" -eq 0 ]
}
