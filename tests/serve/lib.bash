# shellcheck shell=bash
# For the tests in this folder: a server that needs no module.

# shellcheck source=tests/tap.bash
. tests/tap.bash

work=$(mktemp -d)
# shellcheck disable=SC2034 # the tests use it
collect=$PWD/pprof-collect
server=''
others=()

# shellcheck disable=SC2317 # the trap calls it
cleanup() {
	local pid
	for pid in $server "${others[@]}"; do
		[[ ! $pid ]] || { kill "$pid" && wait "$pid"; } 2>/dev/null || true
	done
	rm -rf "$work"
}
trap cleanup EXIT

# Waits for a file that has a line, 60 s at most.
await_line() { # TEXT FILE
	local end=$((SECONDS + 60))
	until grep -qs "$1" "$2"; do
		[[ $SECONDS -lt $end ]] || { echo "no '$1' in $2" >&2; return 1; }
		sleep 0.02
	done
}

# Starts a program that is profiled, as $target.
start_target() {
	sleep 1000 &
	target=$!
	others+=("$target")
}

# Starts the server at a free port, as $server. $port is its port.
start_server() { # OPTIONS...
	for port in $(shuf -i 20000-60000 -n 20); do
		rm -f "$work/served"
		"$collect" serve --listen "127.0.0.1:$port" "$@" 2>"$work/served" &
		server=$!
		await_line . "$work/served"
		! grep -q 'serving on' "$work/served" || return 0
		wait "$server" || true
	done
	echo 'no port is free' >&2
	return 1
}

stop_server() {
	kill "$server"
	wait "$server"
	server=''
}

# The page that does not depend on the module.
has_metrics() { # URL [OPTIONS...]
	curl -sS "$@" 2>&1 | grep -q '^pprof_http_connections '
}
