#!/bin/bash
# What `make install` takes, as TAP: files that are made up, in a folder.
set -euo pipefail
makefile=$(cd "$(dirname "$0")/.." && pwd)/Makefile
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES

dir=$(mktemp -d)
trap 'rm -r "$dir"' EXIT
cd "$dir"
number=0

install() { # KVER: said is what make says
	rm -rf to
	said=$(make -sf "$makefile" install DESTDIR=to KVER="$1" 2>&1)
}

check() { # NAME COMMAND...
	number=$((number + 1))
	"${@:2}" || printf 'not '
	echo "ok $number - $1"
}

installs() { # KVER
	install "$1" && cmp pprof.ko "to/lib/modules/$1/updates/pprof.ko" &&
		[[ -x to/usr/local/bin/pprof-collect ]]
}

refuses() { # KVER TEXT
	! install "$1" && [[ $said = *"$2"* && ! -e to ]]
}

echo 1..4
touch pprof-collect
check 'no module' refuses 6.1.0-9-amd64 'pprof.ko is for no kernel, '
printf 'name=pprof\0vermagic=6.1.0-9-amd64 SMP preempt\0' >pprof.ko
check 'a module of this kernel' installs 6.1.0-9-amd64
check "another kernel's" refuses 6.1.0-10-amd64 'pprof.ko is for 6.1.0-9-amd64, '
check 'one whose name only begins so' refuses 6.1.0-9 'pprof.ko is for 6.1.0-9-amd64, '
