#!/bin/bash
# Tests the files that `make install` puts and `make uninstall` leaves. It uses a copy of the
# project, with stand-ins for the module and the collector. Prints TAP.
set -euo pipefail
cd "$(dirname "$0")/.."
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES

dir=$(mktemp -d)
trap 'rm -r "$dir"' EXIT
cp -r Makefile VERSION man packaging uapi "$dir"
cd "$dir"
number=0

run() { # TARGET KVER: sets said to the output of make
	said=$(make -s "$1" DESTDIR=to KVER="$2" 2>&1)
}

check() { # NAME COMMAND...
	number=$((number + 1))
	"${@:2}" || printf 'not '
	echo "ok $number - $1"
}

installs_without() { # TEXT
	rm -rf to
	run install 6.1.0-9-amd64 && [[ $said = *"$1"* && -x to/usr/local/bin/pprof-collect ]] &&
		[[ ! -e to/lib && ! -e to/usr/local/lib/modules-load.d ]]
}

installs() { # KVER
	rm -rf to
	run install "$1" && cmp pprof.ko "to/lib/modules/$1/updates/pprof.ko" &&
		[[ -x to/usr/local/bin/pprof-collect && -s to/usr/local/lib/modules-load.d/pprof.conf ]]
}

refuses() { # KVER TEXT
	rm -rf to
	! run install "$1" && [[ $said = *"$2"* && ! -e to ]]
}

# Files of other packages stay. The folder include/pprof is the project's own, and goes.
uninstalls() { # KVER
	rm -rf to
	mkdir -p to/usr/local/include "to/lib/modules/$1/updates"
	touch "to/lib/modules/$1/updates/other.ko" to/usr/local/include/other.h
	find to -type f >before
	run install "$1" && run uninstall "$1" && find to -type f | cmp - before &&
		[[ ! -e to/usr/local/include/pprof ]]
}

fills_in() {
	rm -rf to
	make -s install DESTDIR=to PREFIX=/opt/pprof KVER=6.1.0-9-amd64 &&
		! grep -rn '@[A-Z]*@' to &&
		grep -q "^Version: $(cat VERSION)\$" to/opt/pprof/share/pkgconfig/pprof-client.pc &&
		grep -q '^ExecStart=/opt/pprof/bin/' to/opt/pprof/lib/systemd/system/pprof-audit.service
}

includes_headers() {
	echo '#include <pprof_client.h>' >try.c
	# shellcheck disable=SC2046 # each flag is a word
	gcc -fsyntax-only $(PKG_CONFIG_SYSROOT_DIR=$PWD/to pkg-config --cflags \
		to/opt/pprof/share/pkgconfig/pprof-client.pc) try.c
}

is_debian_version() {
	[[ $(head -n 1 packaging/debian/changelog) = "pprof ($(cat VERSION)) "* ]]
}

echo 1..9
touch pprof-collect
check 'no module' installs_without 'there is no pprof.ko'
printf 'name=pprof\0vermagic=6.1.0-9-amd64 SMP preempt\0' >pprof.ko
check 'a module of this kernel' installs 6.1.0-9-amd64
check 'a module of another kernel' refuses 6.1.0-10-amd64 'pprof.ko is for 6.1.0-9-amd64, '
check 'a kernel whose name is a prefix' refuses 6.1.0-9 'pprof.ko is for 6.1.0-9-amd64, '
check 'uninstall' uninstalls 6.1.0-9-amd64
check 'prefix and version' fills_in
check 'pkg-config' includes_headers
: >pprof.ko
check 'a file that is no module' refuses 6.1.0-9-amd64 'pprof.ko is for no kernel, '
check 'the version of the packages' is_debian_version
