#!/bin/bash
# TLS and its reload, tokens, the socket in the file system, and the figures of the server. No test
# needs the module. Prints TAP.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=tests/serve/lib.bash
. tests/serve/lib.bash

make_pair() {
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=a \
		-addext subjectAltName=IP:127.0.0.1 -keyout "$work/key" -out "$work/cert" 2>/dev/null
}

is_served() { # CERTIFICATE [OPTIONS...]
	has_metrics --cacert "$1" "${@:2}" "https://127.0.0.1:$port/metrics"
}

is_not_served() {
	! is_served "$@"
}

# Waits until a certificate is served: a signal takes its time.
becomes_served() { # CERTIFICATE
	local end=$((SECONDS + 30))
	until is_served "$1"; do
		[[ $SECONDS -lt $end ]] || return 1
	done
}

speaks_plain() {
	has_metrics "http://127.0.0.1:$port/metrics"
}

status() { # PATH [OPTIONS...]
	curl -s -o /dev/null -w '%{http_code}' "${@:2}" "http://127.0.0.1:$port$1"
}

is_status() { # STATUS PATH [OPTIONS...]
	[[ $(status "${@:2}") = "$1" ]]
}

# Each line of the figures is a comment or a name and a number, and what was asked for counts.
has_figures() {
	local figures
	figures=$(curl -sS "http://127.0.0.1:$port/metrics")
	! grep -vE '^(# (HELP|TYPE) [a-z_]+ .*|[a-z_]+(\{[a-z]+="[a-z0-9 -]+"\})? [0-9.]+)$' <<<"$figures" &&
		grep -x 'pprof_http_answers_total{code="4xx"} 2' <<<"$figures" &&
		grep -x 'pprof_work_total{result="done"} 1' <<<"$figures" &&
		grep -x 'pprof_work_running 0' <<<"$figures"
}

# Prometheus' own parser takes them, and no name comes twice.
is_read_by_prometheus() {
	curl -sS "http://127.0.0.1:$port/metrics" | /usr/bin/python3 -c '
import sys
from prometheus_client.parser import text_string_to_metric_families
families = list(text_string_to_metric_families(sys.stdin.read()))
names = [f.name for f in families]
assert len(names) == len(set(names)) and len(names) > 10, names
assert all(f.type in ("counter", "gauge") and f.documentation and f.samples for f in families)'
}

on_unix_socket() {
	[[ $(stat -c %a "$work/socket") = 600 ]] &&
		has_metrics --unix-socket "$work/socket" http://any.example/metrics
}

is_gone() { # FILE
	local end=$((SECONDS + 30))
	until [[ ! -e $1 ]]; do
		[[ $SECONDS -lt $end ]] || return 1
		sleep 0.02
	done
}

# Starts the server as systemd does.
start_service() { # OPTIONS...
	tests/serve/manager.pl "$work/notify" "$collect" serve "$@" >"$work/told" 2>"$work/served" &
	others+=("$!")
	await_line READY=1 "$work/told"
	port=$(sed -n 's/^port //p' "$work/told")
	service=$(sed -n 's/^pid //p' "$work/told")
	others+=("$service")
}

# Signs of life come while nobody asks for anything.
has_signs_of_life() {
	local end=$((SECONDS + 30))
	until [[ $(grep -c '^WATCHDOG=1' "$work/told") -gt 5 ]]; do
		[[ $SECONDS -lt $end ]] || return 1
		sleep 0.02
	done
}

reloads() {
	kill -HUP "$service"
	await_line RELOADING=1 "$work/told" && await_line MONOTONIC_USEC= "$work/told" &&
		is_status 200 /metrics
}

stops() {
	kill "$service"
	await_line STOPPING=1 "$work/told" && await_line '^code 0$' "$work/told"
}

# The loader finds a file that is no library first.
needs() { # LIBRARY PACKAGE
	local code=0
	mkdir -p "$work/lib"
	: >"$work/lib/$1"
	LD_LIBRARY_PATH=$work/lib timeout 60 "$collect" serve --pid "$target" --unix "$work/unused" \
		2>"$work/refused" || code=$?
	rm "$work/lib/$1"
	cat "$work/refused"
	[[ $code -eq 1 && $(<"$work/refused") = "pprof-collect: cannot load the library "*": install $2" ]]
}

start_target
ok 'no libmicrohttpd' needs libmicrohttpd.so.12 libmicrohttpd12
make_pair
cp "$work/cert" "$work/first"
start_server --pid "$target" --tls-cert "$work/cert" --tls-key "$work/key"
ok 'TLS' is_served "$work/first"
ok 'TLS 1.1 is refused' is_not_served "$work/first" --tls-max 1.1
ok 'no plain HTTP beside TLS' eval '! speaks_plain'
make_pair
kill -HUP "$server"
ok 'SIGHUP: the new certificate is served' becomes_served "$work/cert"
ok 'SIGHUP: the old one is not' is_not_served "$work/first"
echo none >"$work/key"
kill -HUP "$server"
ok 'SIGHUP: wrong files are told' await_line 'give PEM files' "$work/served"
ok 'SIGHUP: wrong files change nothing' is_served "$work/cert"
stop_server

echo secret >"$work/token"
start_server --pid "$target" --token-file "$work/token" --host a.example
ok 'no token' is_status 401 /metrics
ok 'a wrong token' is_status 401 /metrics -H 'Authorization: Bearer secrets'
ok 'a bearer token' is_status 200 /metrics -H 'Authorization: Bearer secret'
ok 'the token as a password' is_status 200 /metrics -u any:secret
ok 'a name of --host' is_status 200 /metrics -u any:secret -H 'Host: A.example:80'
stop_server

start_server --pid "$target"
ok 'a page that does not exist' is_status 404 /debug/pprof/nosuch/
ok 'a method that is not allowed' is_status 405 /metrics -X DELETE
ok 'symbols' is_status 200 '/debug/pprof/symbol?1'
ok 'figures' has_figures
ok 'figures: Prometheus reads them' is_read_by_prometheus
kill -HUP "$server"
code=0
wait "$server" || code=$?
server=''
ok 'SIGHUP without TLS ends the server' [ "$code" -eq 0 ]

"$collect" serve --pid "$target" --unix "$work/socket" 2>"$work/on-socket" &
server=$!
await_line serving "$work/on-socket"
ok 'a socket in the file system' on_unix_socket
kill "$server"
ok 'it is gone after the end' is_gone "$work/socket"

start_service --pid "$target"
ok 'a socket that the service manager passes' is_status 200 /metrics
ok 'signs of life for the watchdog' has_signs_of_life
ok 'SIGHUP does not end a service' reloads
ok 'the end of a service' stops
echo "1..$number"
