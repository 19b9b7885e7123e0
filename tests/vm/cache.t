#!/bin/bash
# Tests that tests/vm/kernel names the cause in one sentence when it cannot get a kernel, and
# that it leaves nothing incomplete in the cache. Stand-ins for df and apt-get play a full
# disk and a missing network. Prints TAP.
set -euo pipefail
cd "$(dirname "$0")/../.."

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/bin"
number=0

stand_in() { # COMMAND TEXT
	printf '#!/bin/sh\n%s\n' "$2" >"$dir/bin/$1"
	chmod 755 "$dir/bin/$1"
}

refuses() { # NAME TEXT
	local said code=0
	number=$((number + 1))
	said=$(PATH=$dir/bin:$PATH PPROF_CACHE=$dir/cache tests/vm/kernel 6.12 2>&1) || code=$?
	[[ $code -eq 1 && $said = "kernel: "*"$2"* && $(wc -l <<<"$said") -eq 1 &&
		! $(find "$dir/cache" -type f -size +4k) ]] ||
		printf '# %s\nnot ' "${said//$'\n'/$'\n# '}"
	echo "ok $number - $1"
	rm -rf "${dir:?}"/bin/* "$dir/cache"
}

stand_in df 'echo Avail; echo 60'
refuses 'a full disk' "$dir/cache has 60 MB free and needs 300: make room there"
stand_in apt-get 'exit 100'
refuses 'no network' 'check the network'
echo "1..$number"
