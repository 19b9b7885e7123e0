#!/bin/bash
# Clients that harm: slow ones, many at once, large bodies, and such as vanish. The server stays
# small and answers afterwards. Then wrong command lines. No test needs the module. Prints TAP.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=tests/serve/lib.bash
. tests/serve/lib.bash
trap '' PIPE

is_healthy() {
	has_metrics --max-time 10 --retry 9 --retry-all-errors "http://127.0.0.1:$port/metrics"
}

# The memory and the descriptors of the server, and the number of all its processes.
is_small() {
	local rss fds
	rss=$(awk '/^VmRSS/ { print $2 }' "/proc/$server/status")
	fds=("/proc/$server/fd/"*)
	echo "$rss KiB, ${#fds[@]} descriptors"
	[[ $rss -lt 49152 && ${#fds[@]} -le $((before + 1)) ]]
}

# A connection with a part of a head stays for 10 s, also if its client is gone.
is_small_soon() {
	local end=$((SECONDS + 60))
	until is_small >/dev/null; do
		[[ $SECONDS -lt $end ]] || break
		sleep 0.05
	done
	is_small
}

is_idle() {
	local runner end=$((SECONDS + 20))
	read -r runner <"/proc/$server/task/$server/children" || [[ $runner ]]
	until [[ ! $(<"/proc/$runner/task/$runner/children") ]]; do
		[[ $SECONDS -lt $end ]] || return 1
		sleep 0.05
	done
}

# The server ends the connection of a client that sends a byte now and then.
slow_head() {
	local begin=$SECONDS
	exec 5<>"/dev/tcp/127.0.0.1/$port"
	printf 'GET /metrics HTTP/1.1\r\nX: ' >&5
	until read -rt 1 -u 5 || [[ $? -le 128 ]]; do
		printf a >&5 || break
		[[ $((SECONDS - begin)) -lt 30 ]] || return 1
	done 2>/dev/null
	exec 5>&-
	is_healthy
}

# A head that never ends, and one with an unknown method, leave nothing.
vanishing_clients() {
	for text in 'GET' 'GET /debug/pprof/ HTTP/1.1\r\nHo' \
		'POST /debug/pprof/symbol HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n0x' \
		'GET /debug/pprof/symbol?1 HTTP/1.1\r\nHost: localhost\r\n\r\n' \
		'GET /debug/pprof/profile HTTP/1.1\r\nHost: localhost\r\n\r\n' \
		'\x16\x03\x01\x00\xa5\x01' 'BREW /pot HTTP/1.1\r\nHost: localhost\r\n\r\n' '\r\n\r\n\r\n'; do
		for _ in {1..20}; do
			exec 5<>"/dev/tcp/127.0.0.1/$port"
			# The server may have ended the connection: there are too many.
			printf '%b' "$text" >&5 2>/dev/null || true
			exec 5>&-
		done
	done
	is_healthy && is_idle && is_small_soon
}

many_at_once() {
	seq 200 | xargs -P 40 -I @@ curl -s -o "$work/@@" --retry 20 --retry-all-errors --retry-delay 1 \
		-w '%{http_code} %{exitcode}\n' "http://127.0.0.1:$port/debug/pprof/symbol?@@" >"$work/codes"
	sort "$work/codes" | uniq -c
	[[ $(grep -c '^200 0$' "$work/codes") -eq 200 ]] || return
	is_healthy && is_idle && is_small
}

# A scraper of ten processes has 50 connections. The 65th connection of an address is ended at once.
# The others are not, and neither is one of another address.
many_of_one_address() {
	local fds=() fd code=0
	for _ in {1..64}; do
		exec {fd}<>"/dev/tcp/127.0.0.1/$port"
		fds+=("$fd")
	done
	printf 'GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n' >&"${fds[63]}"
	read -rt 10 -u "${fds[63]}" line && [[ $line = 'HTTP/1.1 200 OK'* ]] || code=1
	curl -s --max-time 5 "http://127.0.0.1:$port/metrics" && code=1
	curl -s --max-time 50 --interface 127.0.0.2 -o /dev/null "http://127.0.0.1:$port/metrics" || code=1
	for fd in "${fds[@]}"; do
		exec {fd}>&-
	done
	[[ $code -eq 0 ]]
}

large_body() {
	[[ $(head -c 1G /dev/zero | curl -s -o "$work/large" -w '%{http_code}' -X POST -T - \
		-H 'Expect:' "http://127.0.0.1:$port/debug/pprof/symbol") = 000 ]] &&
		is_healthy && is_small
}

declared_body() {
	exec 5<>"/dev/tcp/127.0.0.1/$port"
	printf 'POST /debug/pprof/symbol HTTP/1.1\r\nHost: a\r\nContent-Length: 1073741824\r\n\r\n' >&5
	read -rt 10 -u 5 line
	exec 5>&-
	[[ $line = 'HTTP/1.1 413 '* ]]
}

long_lines() {
	local path
	path=$(head -c 8200 /dev/zero | tr '\0' a)
	[[ $(curl -s -o /dev/null -w '%{http_code}' "http://127.0.0.1:$port/$path") = 414 ]] || return
	path=$(head -c 60000 /dev/zero | tr '\0' a)
	curl -s -o /dev/null -w '%{http_code}\n' "http://127.0.0.1:$port/$path"
	curl -s -o /dev/null -w '%{http_code}\n' -H "X: $path" "http://127.0.0.1:$port/metrics"
	is_healthy && is_small
}

other_host() {
	[[ $(curl -s -o /dev/null -w '%{http_code}' -H 'Host: a.example' \
		"http://127.0.0.1:$port/debug/pprof/") = 403 ]]
}

refused() { # WORDS OPTIONS...
	local code=0
	timeout 20 "$collect" serve "${@:2}" >"$work/out" 2>"$work/err" || code=$?
	cat "$work/err"
	[[ $code -ne 0 && $code -lt 124 && ! -s $work/out && $(wc -l <"$work/err") -eq 1 &&
		$(<"$work/err") = "pprof-collect: "*"$1"* ]]
}

# The server cannot work without the process that has the rights.
kill_runner() {
	local runner
	read -r runner <"/proc/$server/task/$server/children" || [[ $runner ]]
	kill -KILL "$runner"
}

start_target
start_server --pid "$target"
is_healthy
fds=("/proc/$server/fd/"*)
before=${#fds[@]}
ok 'a byte a second' slow_head
ok 'clients that vanish' vanishing_clients
ok '200 requests at once' many_at_once
ok 'many connections of one address' many_of_one_address
ok 'a body of 1 GB, told before' declared_body
ok 'a body of 1 GB, without its length' large_body
ok 'long lines' long_lines
ok 'a foreign name in Host' other_host
ok 'small at the end' is_small
ok 'a port that is in use' refused 'Address already in use' --pid "$target" --listen "127.0.0.1:$port"
ok 'no process' refused 'no process has the pid' --pid 4194305
ok 'no token' refused 'cannot read /nonexistent/token' --pid "$target" --token-file /nonexistent/token
ok 'no certificate' refused 'cannot use /dev/null and /dev/null for TLS' --pid "$target" \
	--tls-cert /dev/null --tls-key /dev/null
kill_runner
code=0
wait "$server" || code=$?
server=''
ok 'the runner is killed' grep -q 'start the server again' "$work/served"
ok 'the exit code then' [ "$code" -eq 1 ]
ok 'no module, and a profile from the start' refused 'the pprof module is not loaded' \
	--pid "$target" --profile block --listen "127.0.0.1:$port"
echo "1..$number"
