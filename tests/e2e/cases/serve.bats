#!/usr/bin/env bats
# Profiles by HTTP: what clients get of programs whose stacks are known, and what is left when
# they go.
# shellcheck disable=SC2016 # awk's and the VM's

# bats file_tags=collector
load ../lib/helpers

# Runs the script on standard input in the VM. It has serve(), get() and status().
served() {
	vm <<-END
		$(declare -f serve_there get status_of)
		url=http://127.0.0.1:6060/debug/pprof
		$(cat)
	END
}

# Starts the server, as $server, and waits until it listens.
serve_there() { # OPTIONS...
	rm -f /run/e2e/served
	pprof-collect serve "$@" 2>/run/e2e/served &
	server=$!
	await 'grep -qs "serving on" /run/e2e/served'
	trap 'kill $server 2>/dev/null || true' EXIT
}

get() { # PATH [OPTIONS...]
	curl -sS --fail-with-body "${@:2}" "$url/$1"
}

# The status, and the text without its newline.
status_of() { # PATH [OPTIONS...]
	curl -sS -w ' %{http_code}\n' "${@:2}" "$url/$1" | tr -d '\n'
	echo
}

# bats test_tags=each
@test "profiles of cpu and wall, and the stacks are right" {
	served <<-'END'
		split75 100000 >/dev/null &
		pid=$!
		serve_there --pid $pid
		get 'profile?seconds=1' >cpu.pb.gz
		get 'wall?seconds=1' >wall.pb.gz
		kill $pid
	END
	for type in cpu wall; do
		at_least "$(count $type.pb.gz '$3 ~ /;hot_a;/')" 20
		at_least "$(count $type.pb.gz '$3 ~ /;hot_b;/')" 5
	done
}

@test "go tool pprof takes a profile" {
	served <<-'END'
		split75 100000 >/dev/null &
		pid=$!
		serve_there --pid $pid
		PPROF_TMPDIR=$PWD "$root/build/tools/go-pprof" -seconds 2 -proto -output cpu.proto \
			http://127.0.0.1:6060/ 2>/dev/null
		kill $pid
	END
	rm -f pprof.*.pb.gz
	at_least "$(count cpu.proto '$3 ~ /;hot_a;/')" 40
	at_least "$(count cpu.proto '$3 ~ /;hot_b;/')" 10
	within "$(show duration cpu.proto)" 1900000000 3000000000
}

@test "threads: both names, text, a difference, and a flame graph" {
	served <<-'END'
		start_parked 8
		serve_there --pid $pid
		get thread >thread.pb.gz
		get goroutine >goroutine.pb.gz
		get 'goroutine?debug=1' >goroutine.txt
		get 'thread?debug=2' >dump.txt
		get 'thread?seconds=1' >same.pb
		get 'thread?format=flamegraph' >flame.html
		kill $pid
	END
	[ "$(count thread.pb.gz)" -eq 9 ]
	[ "$(count goroutine.pb.gz)" -eq 9 ]
	[ "$(show type thread.pb.gz)" = "$(printf 'thread\tcount')" ]
	[ "$(show type goroutine.pb.gz)" = "$(printf 'goroutine\tcount')" ]
	[ "$(head -n 1 goroutine.txt)" = 'goroutine profile: total 9' ]
	"$lib/read-profile" goroutine.txt text
	[ "$(grep -c '^thread [0-9]* "futex" \[futex_wait\]:$' dump.txt)" -eq 2 ]
	grep -q '<title>process' flame.html
	grep -q park_in_futex flame.html
	mv same.pb same.pb.gz
	[ "$(show sample same.pb.gz | wc -l)" -eq 0 ]
	rm same.pb.gz
}

@test "the events of some seconds, of each type" {
	served <<-'END'
		contended 1000000 >/dev/null &
		pid=$!
		serve_there --pid $pid
		for type in block mutex threadcreate growth; do
			get "$type?seconds=1" >$type.pb.gz -D $type.head
		done
		kill $pid
		start_pairs
		kill $server
		wait $server
		serve_there --pid $pid
		get 'heap?seconds=1' >heap.pb.gz
		get 'allocs?seconds=1' >allocs.pb.gz
		kill $pid
	END
	for type in block mutex threadcreate growth; do
		grep -q "filename=\"$type-delta\"" $type.head
	done
	[ "$(count mutex.pb.gz)" -gt 0 ]
	[ "$(show sample heap.pb.gz | wc -l)" -gt 0 ]
	[ "$(show sample allocs.pb.gz | wc -l)" -gt 0 ]
}

# Each answer counts from the start, so the later one has more. The difference of the two is
# what a scraper makes of them.
@test "profiles that count from the start of the server" {
	LIMIT=300 served <<-'END'
		contended 1000000 >/dev/null &
		pid=$!
		serve_there --pid $pid --profile block,mutex,threadcreate
		await '[[ $(get "mutex?debug=1" | grep -c @.0x) -gt 0 ]]'
		get mutex >first.pb.gz -D first.head
		get mutex?seconds=1 >between.pb.gz
		get mutex >second.pb.gz
		get 'mutex?format=flamegraph' >flame.html
		status_of heap >heap
		sessions >count
		kill $pid
		wait $pid || true
		await '[[ $(sessions) -eq 0 ]]'
		kill $server
		wait $server
		start_pairs
		serve_there --pid $pid --profile heap
		await '[[ $(get "heap?debug=1" | grep -c @.0x) -gt 0 ]]'
		get heap >heap.pb.gz
		kill $pid
	END
	grep -q 'filename="mutex"' first.head
	[ "$(count first.pb.gz)" -gt 0 ]
	[ "$(count second.pb.gz)" -ge $(($(count first.pb.gz) + $(count between.pb.gz))) ]
	[ "$(show duration second.pb.gz)" -ge $(($(show duration first.pb.gz) + 1000000000)) ]
	show comment first.pb.gz | grep -q 'counted from the start'
	grep -q '<title>process' flame.html
	grep -q 'start .* with --profile heap.* 404$' heap
	[ "$(<count)" -eq 1 ]
	[ "$(show sample heap.pb.gz | wc -l)" -gt 0 ]
}

@test "a process that was no target at the start, and its end" {
	LIMIT=300 served <<-'END'
		serve_there --comm '^contended$' --profile mutex
		status_of mutex >none
		contended 1000000 >/dev/null &
		pid=$!
		await '[[ $(get "mutex?debug=1" 2>/dev/null | grep -c @.0x) -gt 0 ]]'
		get mutex >late.pb.gz
		kill $pid
		wait $pid || true
		await '[[ $(sessions) -eq 0 ]]'
		status_of mutex >gone
	END
	grep -q ' 404$' none
	grep -q ' 404$' gone
	[ "$(count late.pb.gz)" -gt 0 ]
}

@test "custom profiles by name, in the index, too" {
	served <<-'END'
		customs 1000 >/run/e2e/ready < <(exec sleep 1000) &
		pid=$!
		await 'grep -q ready /run/e2e/ready'
		serve_there --pid $pid
		get values >values.pb.gz -D head
		get '' >index.html
		status_of 'values?seconds=1' >refused
		status_of 'nosuch?seconds=1' >unknown
		curl -sS -I $url/values >values.head
		kill $pid
	END
	[ "$(count values.pb.gz)" -eq 3501 ]
	grep -q 'filename="values"' head
	grep -q '<tr><td>3501</td><td><a href="values">values</a>' index.html
	[ "$(<refused)" = '"seconds" parameter is not supported for this profile type 400' ]
	[ "$(<unknown)" = 'Unknown profile 404' ]
	grep -q '^HTTP/1.1 200' values.head
}

@test "a client that goes ends its session, and so does the end of the server" {
	served <<-'END'
		split75 100000 >/dev/null &
		pid=$!
		serve_there --pid $pid
		curl -sS "$url/profile?seconds=1000" &
		client=$!
		await_session
		kill $client
		await '[[ $(sessions) -eq 0 ]]'
		for signal in TERM KILL; do
			get 'profile?seconds=1000' >/dev/null 2>&1 &
			await_session
			kill -$signal $server
			wait $server || true
			await '[[ $(sessions) -eq 0 ]]'
			serve_there --pid $pid
		done
		get 'profile?seconds=1' >after.pb.gz
		kill $pid
	END
	[ "$(count after.pb.gz)" -gt 0 ]
}

@test "eight profiles at once, and the ninth is told so" {
	LIMIT=300 served <<-'END'
		split75 100000 >/dev/null &
		pid=$!
		serve_there --pid $pid
		clients=()
		for i in $(seq 8); do
			get 'profile?seconds=20' >$i.pb.gz &
			clients+=($!)
		done
		await_session 8
		await '[[ $(produced cpu) -ge 400 ]]'
		kill -STOP $pid
		status_of 'profile?seconds=1' >ninth
		status_of 'heap?seconds=1' >other
		all_well "${clients[@]}"
		kill -CONT $pid
		get 'profile?seconds=1' >after.pb.gz
		kill $pid
	END
	[ "$(<ninth)" = 'Could not enable CPU profiling: cpu profiling already in use 500' ]
	grep -q '^failed to collect profile: .* 500$' other
	for i in 1 8; do
		[ "$(count $i.pb.gz '$3 ~ /;hot_[ab];/')" -gt 0 ]
	done
}

@test "two processes, and a pid that is no target" {
	served <<-'END'
		split75 100000 >/dev/null &
		first=$!
		start_parked 8
		serve_there --pid $first,$pid
		curl -sS http://127.0.0.1:6060/pid/$pid/debug/pprof/thread >thread.pb.gz
		curl -sS http://127.0.0.1:6060/pid/1/debug/pprof/thread >other
		get cmdline | tr '\0' ' ' >cmdline
		get '' >index.html
		get profile?seconds=1 >first.pb.gz
		kill $first
		wait $first || true
		status_of profile?seconds=1 >gone
		kill $pid
		wait $pid || true
		await '[[ $(status_of cmdline) = *ended*404 ]]'
	END
	[ "$(count thread.pb.gz)" -eq 9 ]
	[ "$(<other)" = 'this server has no process 1' ]
	[ "$(<cmdline)" = 'split75 100000' ]
	[ "$(grep -c '<a href="/pid/' index.html)" -eq 2 ]
	[ "$(count first.pb.gz '$3 ~ /;hot_[ab];/')" -gt 0 ]
}

@test "--all, and --comm" {
	served <<-'END'
		split75 100000 >/dev/null &
		pid=$!
		serve_there --all
		get 'profile?seconds=1' >all.pb.gz
		curl -sS http://127.0.0.1:6060/pid/$pid/debug/pprof/profile?seconds=1 >one.pb.gz
		status_of 'heap?seconds=1' >refused
		kill $server
		wait $server
		serve_there --comm '^split7'
		get 'profile?seconds=1' >named.pb.gz
		kill $pid
	END
	# A short profile of everything knows few processes.
	for file in all one named; do
		[ "$(count $file.pb.gz '$3 ~ /;spin$/')" -gt 0 ]
	done
	grep -q 'slow each call of an allocator' refused
}

# Processes come and leave. The cgroup is removed, and made again, as systemd does at a restart.
@test "--cgroup: all its processes, one of them, and a new cgroup of the same name" {
	LIMIT=300 served <<-'END'
		cg=/run/cg/served
		mkdir -p /run/cg
		mount -t cgroup2 none /run/cg
		mkdir $cg
		within=(sh -c 'echo 0 >/run/cg/served/cgroup.procs; exec "$@"' sh)
		split75_within() {
			"${within[@]}" split75 100000 >/dev/null &
			pid=$!
			await "[[ \$(</proc/$pid/comm) = split75 ]]"
		}
		split75_within
		burn 1000 >/dev/null & other=$!
		serve_there --cgroup /served --profile threadcreate,mutex
		get 'profile?seconds=1' >first.pb.gz
		get thread >thread.pb.gz
		curl -sS http://127.0.0.1:6060/pid/$pid/debug/pprof/wall?seconds=1 >wall.pb.gz
		curl -sS http://127.0.0.1:6060/pid/$other/debug/pprof/thread >other
		get '' >index.html
		echo $pid >pid
		for type in mutex mutex?seconds=1 heap?seconds=1 wall?seconds=1; do
			status_of $type >>refused
		done
		"${within[@]}" clones --raw 1000
		await '[[ $(get "threadcreate?debug=1" | head -n 1) = "threadcreate profile: total 1000" ]]'
		kill $other $pid
		wait $other $pid || true
		await 'rmdir $cg'
		await '[[ $(sessions) -eq 0 ]]'
		status_of 'profile?seconds=1' >gone
		mkdir $cg
		split75_within
		get 'profile?seconds=1' >again.pb.gz
		kill $pid $server
		wait $pid $server || true
		await 'rmdir $cg'
		umount /run/cg
	END
	for file in first again; do
		[ "$(count $file.pb.gz '$3 ~ /;hot_[ab];/')" -gt 0 ]
		[ "$(count $file.pb.gz '$3 ~ /;main;burn;spin$/')" -eq 0 ]
	done
	[ "$(count thread.pb.gz)" -eq 1 ]
	[ "$(count wall.pb.gz '$3 ~ /;hot_[ab];/')" -gt 0 ]
	[[ $(<other) = 'this server has no process '* ]]
	[ "$(grep -c "<a href=\"/pid/$(<pid)/" index.html)" -eq 1 ]
	[ "$(grep -c '^a cgroup has the types .* 404$' refused)" -eq 4 ]
	[[ $(<gone) = *'there is no cgroup'*500 ]]
}

# An open session keeps the module: so does a server that counts from its start.
# The answer may be there before the process that took the profile has closed its session.
@test "the module is removed and loaded again under a server" {
	LIMIT=300 served <<-'END'
		health() { curl -sS -w ' %{http_code}\n' http://127.0.0.1:6060/healthz | tr '\n' ' '; }
		split75 100000 >/dev/null &
		pid=$!
		serve_there --pid $pid
		get 'profile?seconds=1' >first.pb.gz
		curl -sS http://127.0.0.1:6060/metrics >metrics
		{
			health
			await 'rmmod pprof 2>/dev/null'
			health
			status_of 'profile?seconds=1'
			insmod "$module"
			health
		} >told
		get 'profile?seconds=1' >again.pb.gz
		kill $server
		wait $server
		cp /run/e2e/served log
		serve_there --pid $pid --profile block,threadcreate
		fails rmmod pprof 2>in-use
		get block >block.pb.gz
		kill $server
		wait $server
		await 'rmmod pprof 2>/dev/null'
		insmod "$module"
		kill $pid
	END
	for file in first again; do
		[ "$(count $file.pb.gz '$3 ~ /;hot_[ab];/')" -gt 0 ]
	done
	[ "$(awk '$1 == "pprof_samples_total{type=\"cpu\"}" { print $2 }' metrics)" -gt 20 ]
	grep -qx 'pprof_module_loaded 1' metrics
	[[ $(<told) = 'ok  200 the module pprof is not loaded: run '*' 503 '*'not loaded'*' 500'*'ok  200 ' ]]
	[ "$(grep -c 'the module pprof is' log)" -eq 2 ]
	grep -q 'in use' in-use
}

# The target is of another user. The counters are those of all processes of the server.
@test "the capabilities of the service are enough" {
	served <<-'END'
		split75 100000 >/dev/null &
		pid=$!
		caps=-all,+perfmon,+sys_ptrace
		rm -f /run/e2e/served
		setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=$caps --ambient-caps=$caps \
			--bounding-set=$caps "$(command -v pprof-collect)" serve --all --profile block \
			2>/run/e2e/served &
		server=$!
		trap 'kill $server $pid 2>/dev/null || true' EXIT
		await 'grep -qs "serving on" /run/e2e/served'
		get 'profile?seconds=1' >all.pb.gz
		curl -sS http://127.0.0.1:6060/pid/$pid/debug/pprof/thread >thread.pb.gz
		get block >block.pb.gz
		await '[[ $(curl -sS http://127.0.0.1:6060/metrics | grep -c "^pprof_samples_total.* [1-9]") -ge 3 ]]'
		kill $server $pid
		wait $server
	END
	[ "$(count all.pb.gz '$3 ~ /;hot_[ab];/')" -gt 0 ]
	[ "$(count thread.pb.gz '$3 ~ /;main;/')" -eq 1 ]
	[ "$(count block.pb.gz)" -gt 0 ]
}

# The process that reads from the network has no capability, and a filter of system calls.
@test "the server has no rights, and its token and socket keep others out" {
	served <<-'END'
		start_parked 8
		echo secret >/run/e2e/token
		serve_there --pid $pid --token-file /run/e2e/token
		grep -E '^(CapEff|Seccomp):' /proc/$server/status >status
		status_of thread >without
		get thread -H 'Authorization: Bearer secret' >with.pb.gz
		PPROF_TMPDIR=$PWD "$root/build/tools/go-pprof" -proto -output basic.proto \
			http://me:secret@127.0.0.1:6060/debug/pprof/thread 2>/dev/null
		kill $server
		wait $server
		serve_there --pid $pid --unix /run/e2e/socket
		[[ $(stat -c %a /run/e2e/socket) = 600 ]]
		get thread --unix-socket /run/e2e/socket >unix.pb.gz
		kill $server
		wait $server
		await '[[ ! -e /run/e2e/socket ]]'
		kill $pid
	END
	rm -f pprof.*.pb.gz
	[ "$(grep CapEff status)" = "$(printf 'CapEff:\t0000000000000000')" ]
	[ "$(grep Seccomp status)" = "$(printf 'Seccomp:\t2')" ]
	grep -q '^the token is missing or wrong.* 401$' without
	for file in with.pb.gz basic.proto unix.pb.gz; do
		[ "$(count $file)" -eq 9 ]
	done
}

@test "names of addresses, by POST, as upstream's pprof asks for them" {
	served <<-'END'
		start_parked 8
		serve_there --pid $pid
		begin=$(sed -nE 's/^([0-9a-f]+)-.* 00000000 .*parked$/\1/p' /proc/$pid/maps | head -n 1)
		offset=$(nm "$(command -v parked)" | awk '$3 == "park_in_poll" { print $1 }')
		address=$(printf '0x%x' $((0x$begin * ${PIE-1} + 0x$offset)))
		get symbol -d "$address+0x10" >posted
		get "symbol?$address+0x10" >got
		echo $address >address
		kill $pid
	END
	[ "$(<posted)" = "$(printf 'num_symbols: 1\n%s park_in_poll' "$(<address)")" ]
	[ "$(<got)" = "$(<posted)" ]
}
