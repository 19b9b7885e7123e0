#!/bin/bash
# Tests the build for kernels without some options. Prints TAP. The module must compile
# without the options that it can do without. For these tests they are undefined by force, so
# the result cannot be loaded: the kernel's structures differ. If the kernel lacks an option
# that the module needs, the build must name it in one sentence.
set -euo pipefail
cd "$(dirname "$0")/../.."

number=0

build() { # FOLDER ARGUMENT...
	env -u MAKEFLAGS -u MAKELEVEL make -s "$1/.module" BUILD="$1" KDIR="$kdir" "${@:2}" 2>&1
}

compiles_without() { # OPTION...
	local folder=build/without-$1
	number=$((number + 1))
	mkdir -p "$folder"
	printf '#undef %s\n' "$@" >"$folder/undef.h"
	build "$folder" KCFLAGS="-Werror -include $PWD/$folder/undef.h" | sed 's/^/# /' ||
		printf 'not '
	echo "ok $number - without $*"
}

refuses_without() { # OPTION
	local folder=build/lacks-$1 output code=0
	number=$((number + 1))
	output=$(build "$folder" "$1=") || code=$?
	[[ $code -ne 0 && ! -e $(find "$folder" -name '*.o' -print -quit) &&
		$(grep -c "pprof.ko cannot be built, because this kernel lacks $1: use a kernel" <<<"$output") -eq 1 ]] ||
		printf '# %s\nnot ' "${output//$'\n'/$'\n# '}"
	echo "ok $number - needs $1"
}

kdir=$(tests/vm/kernel 6.12 | sed -n 's/^kdir=//p')
compiles_without CONFIG_UPROBES
compiles_without CONFIG_MEMCG CONFIG_CGROUP_WRITEBACK CONFIG_SCHED_INFO CONFIG_X86_USER_SHADOW_STACK
for option in KPROBES TRACEPOINTS PERF_EVENTS NET PROC_FS; do
	refuses_without "CONFIG_$option"
done
echo "1..$number"
