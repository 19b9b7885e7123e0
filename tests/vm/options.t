#!/bin/bash
# The module builds for kernels that lack an option, as TAP: it is compiled with the
# headers of one that has it, the option undefined. Not to be loaded: the kernel's
# structures have other places then.
set -euo pipefail
cd "$(dirname "$0")/../.."

number=0

compiles_without() { # OPTION
	local kdir folder
	number=$((number + 1))
	folder=build/without-$1
	kdir=$(tests/vm/kernel 6.12 | sed -n 's/^kdir=//p')
	mkdir -p "$folder"
	echo "#undef $1" >"$folder/undef.h"
	env -u MAKEFLAGS -u MAKELEVEL make -s "$folder/.module" BUILD="$folder" KDIR="$kdir" \
		KCFLAGS="-Werror -include $PWD/$folder/undef.h" 2>&1 | sed 's/^/# /' || printf 'not '
	echo "ok $number - without $1"
}

compiles_without CONFIG_UPROBES
echo "1..$number"
