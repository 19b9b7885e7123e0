#!/bin/bash
# Compares the answers of `pprof-collect serve` with those of Go's net/http/pprof: status, headers
# and text of each request that needs no profile. Prints TAP.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=tests/serve/lib.bash
. tests/serve/lib.bash

# Prints the status, the headers that matter, and the text.
ask() { # HOST:PORT PATH [OPTIONS...]
	curl -sS --path-as-is -D "$work/head-$1" -o "$work/body-$1" "${@:3}" "http://$1$2"
	tr -d '\r' <"$work/head-$1" | grep -iE '^(HTTP/|content-(type|disposition)|x-|location|allow)' |
		sed -E 's|^HTTP/1.1 ([0-9]+).*|\1|' | tr '[:upper:]' '[:lower:]' | sort
	[[ " $* " = *' -I '* || ${BODY-yes} = no ]] || cat "$work/body-$1"
}

same() { # PATH [OPTIONS...]
	diff <(ask "$go" "$@") <(ask "127.0.0.1:$port" "$@")
}

headers() { # PATH [OPTIONS...]
	BODY=no same "$@"
}

go build -o "$work/reference" tests/serve/reference.go
"$work/reference" >"$work/address" &
others+=($!)
await_line : "$work/address"
go=$(<"$work/address")
start_target
start_server --pid "$target"

long=$(printf 'a%.0s' {1..4096})
paths=(
	/ /debug/ /debug/pprofx /nosuch
	/debug/pprof/nosuch /debug/pprof/heap/ /debug/pprof/Heap /debug/pprof/a%2fb /debug/pprof/a/b
	'/debug/pprof/nosuch?seconds=1' '/debug/pprof/nosuch?seconds=x&debug=1'
	'/debug/pprof/heap?seconds=x' '/debug/pprof/heap?seconds=0' '/debug/pprof/heap?seconds=-1'
	'/debug/pprof/heap?seconds=1.5' '/debug/pprof/heap?seconds=1&debug=1'
	'/debug/pprof/heap?seconds=99999999999999999999' '/debug/pprof/heap?seconds=%31&debug=%31'
	'/debug/pprof/heap?seconds=+1' '/debug/pprof/heap?seconds=%2b1&debug=2'
	'/debug/pprof/heap?seconds=x&seconds=1' '/debug/pprof/heap?debug=-7&seconds=1'
	'/debug/pprof/heap?x=%zz&seconds=x' '/debug/pprof/heap?seconds=%zz&seconds=x'
	'/debug/pprof/allocs?seconds=x' '/debug/pprof/block?seconds=x' '/debug/pprof/mutex?seconds=x'
	'/debug/pprof/goroutine?seconds=x' '/debug/pprof/threadcreate?seconds=x'
	'/debug/pprof/goroutine?seconds=1&debug=2'
	/debug/pprof/symbol '/debug/pprof/symbol?' '/debug/pprof/symbol?0+0x0+x+-1'
	"/debug/pprof/symbol?$long" "/debug/pprof/symbol?1+$long+2"
)
for path in "${paths[@]}"; do
	ok "${path:0:60}" same "$path"
done
for path in /nosuch /debug/pprof/nosuch '/debug/pprof/heap?seconds=x' /debug/pprof/symbol; do
	ok "HEAD ${path:0:60}" same "$path" -I
done
for path in /debug/pprof/cmdline '/debug/pprof/cmdline?seconds=x' /debug/pprof/; do
	ok "headers of $path" headers "$path"
	ok "headers of HEAD $path" headers "$path" -I
done
echo "1..$number"
