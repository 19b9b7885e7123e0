#!/bin/bash
# Tests what insmod logs on a kernel that lacks a tracepoint or a function, and on a kernel
# that is too new. All kernels here have these parts. So the module is changed to ask for
# names that no kernel has, and to know no version after 6.0. Prints TAP.
set -euo pipefail
cd "$(dirname "$0")/../.."

number=0
dir=build/insmod
rm -rf "$dir"
mkdir -p "$dir/source"
cp -r Kbuild VERSION kmod uapi "$dir/source"
kdir=$(tests/vm/kernel 6.12 | sed -n 's/^kdir=//p')

# Builds a module from a changed FILE. All modules are built in one folder, where only changed
# files are compiled again.
build() { # NAME FILE SED-SCRIPT
	sed -i "$3" "$dir/source/$2"
	if cmp -s "$2" "$dir/source/$2"; then
		echo "insmod.t: '$3' changes nothing in $2: adapt it to the source" >&2
		exit 1
	fi
	env -u MAKEFLAGS -u MAKELEVEL make -s -C "$kdir" "M=$PWD/$dir/source" \
		CONFIG_DEBUG_INFO_BTF_MODULES= modules >&2
	mv "$dir/source/pprof.ko" "$dir/$1.ko"
	cp "$2" "$dir/source/$2"
}

# Tests the exit code of insmod, and that it logged one line, which contains LINE.
check() { # NAME CODE LINE
	number=$((number + 1))
	sed -n "/^begin $1\$/,/^end\$/p" "$dir/said" >"$dir/$1.said"
	if [[ $(grep -c 'pprof: ' "$dir/$1.said") -ne 1 ]] || ! grep -q "pprof: $3" "$dir/$1.said" ||
		! grep -qx "code $2" "$dir/$1.said"; then
		sed 's/^/# /' "$dir/$1.said"
		printf 'not '
	fi
	echo "ok $number - $1"
}

build tracepoint kmod/base/tracepoints.c 's/"task_rename"/"task_renamed"/'
build function kmod/record/mmap_probe.c 's/"perf_event_mmap"/"perf_event_mmaps"/'
build kernel kmod/base/kernel_versions.h 's/version < KERNEL_VERSION(7, 4, 0)/version < KERNEL_VERSION(6, 1, 0)/'
# shellcheck disable=SC2016 # the VM's
tests/vm/run -k 6.12 -- bash -c 'for name; do
	echo "begin ${name##*/}"
	dmesg -C
	code=0
	insmod "$name.ko" || code=$?
	dmesg | grep "pprof: " | grep -v taint
	echo "code $code"
	[[ $code -ne 0 ]] || rmmod pprof
	echo end
done' bash "$PWD/$dir"/{tracepoint,function,kernel} >"$dir/said" 2>"$dir/errors" || sed 's/^/# /' "$dir/errors"
check tracepoint 1 'this kernel has no tracepoint task_renamed, which the module needs'
check function 1 'this kernel has no function perf_event_mmaps that a kprobe can be in, '
check kernel 0 'not tested on this kernel, 6\.12'
echo "1..$number"
