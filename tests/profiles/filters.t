#!/bin/bash
# Filters random profiles by random expressions, beside Go's pprof. Prints TAP.
#
#   tests/profiles/filters.t [CASES [SEED]]     500 cases with the seed 1
#
# The pprof is that of "go tool pprof", whose source comes with Go. build/profiles/filters
# must have been built.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=tests/tap.bash
. tests/tap.bash

pprof=github.com/google/pprof
demangle=github.com/ianlancetaylor/demangle
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

skip() { # REASON
	echo "1..0 # SKIP filters are NOT compared with Go's pprof: $1"
	exit 0
}

# A package that is internal may only be used from the folder that it is in: copy both.
copy_pprof() { # FOLDER
	local package
	for package in "$pprof" "$demangle"; do
		[[ -d $1/$package ]] || return 1
		mkdir -p "$work/src/${package%/*}"
		cp -r "$1/$package" "$work/src/$package"
	done
}

build_comparison() {
	GO111MODULE=off GOFLAGS='' GOPATH=$work go build -o "$work/filters" tests/profiles/filters.go
}

compares() { # CASES SEED
	"$work/filters" build/profiles/filters "$@"
}

command -v go >/dev/null || skip 'there is no go here'
copy_pprof "$(go env GOROOT)/src/cmd/vendor" || skip 'Go brings no source of pprof here'

echo 1..2
ok 'the comparison is built' build_comparison
ok 'filters leave the samples that pprof leaves' compares "${1-500}" "${2-1}"
