#!/bin/bash
# Prints reports of profiles beside Go's pprof: the bytes must be equal. Prints TAP.
#
#   tests/profiles/reports.t [NUMBER [EVERY]]     so many random profiles, 5 if none is given
#
# Each report is of each third profile: of other ones than the report before. With an EVERY of 1 it
# is of all.
# The profiles are ours of each form, Go's own, the test data of Debian's source of pprof, and
# random ones. $PPROF is the pprof that is compared. The default is that of "go tool pprof".
# pprof-collect, build/text/forms and build/profiles/random_profiles must have been built.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=tests/tap.bash
. tests/tap.bash

testdata=/usr/share/gocode/src/github.com/google/pprof
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# No programs are looked up for symbols, and no zone of this machine is in the times.
export HOME=$work PPROF_BINARY_PATH=$work TZ=UTC

skip() { # REASON
	echo "1..0 # SKIP reports are NOT compared with Go's pprof: $1"
	exit 0
}

theirs() { # REPORT ARGUMENT...
	"$pprof" --symbolize=none "--$1" "${@:2}"
}

# The expression of peek is no option.
ours() { # REPORT ARGUMENT...
	case $1 in
	peek=*) ./pprof-collect peek "${1#*=}" "${@:2}" ;;
	*) ./pprof-collect "$@" ;;
	esac
}

# Test data is in formats that are older than profile.proto. Go's pprof converts it.
convert_testdata() {
	local file
	for file in "$testdata"/{profile,internal/driver,internal/report}/testdata/*; do
		[[ $file != *.string && ! -d $file ]] || continue
		theirs proto --output="$work/upstream.${file##*/}.pb.gz" "$file" \
			>"$work/messages" 2>&1 || true
	done
}

# One sample, of f and of address 0x10. The ids are 7 of the mapping, 300 and 5 of the locations.
make_sparse() {
	printf '\n\x04\x08\x01\x10\x02\x12\x0d\n\x03\xac\x02\x05\x10\x07\x1a\x04\x08\x05\x10\x06'
	printf '\x1a\n\x08\x07\x10\x80\x20\x18\x80\x40\x28\x04'
	printf '"\x0c\x08\xac\x02\x10\x07\x18\x80"\x22\x02\x08\x09"\x04\x08\x05\x18\x10*\x04\x08\x09\x10\x03'
	printf '2\x002\x03cpu2\x0bnanoseconds2\x01f2\x06/bin/a2\x06thread2\x01w'
}

make_profiles() {
	make_sparse >"$work/sparse.pb"
	build/text/forms "$work"
	go run tests/text-forms/goprofiles.go "$work"
	build/profiles/random_profiles "$work" "$1"
	[[ ! -d $testdata ]] || convert_testdata
	rm -f "$work"/*.txt
}

# pprof prints a head without frames if no sample is left. pprof-collect prints an error.
refuses_nothing() { # CODE
	[[ $1 -eq 1 && $(tail -n 1 "$work/theirs") =~ ^\ *flat ]]
}

# pprof leaves the order open of frames and labels that have the same value, or the same one with
# another sign. So it is asked three times, and then the lines must be the same in any order.
is_equal() { # REPORT ARGUMENT...
	local their_code our_code=0
	ours "$@" >"$work/ours" 2>"$work/messages" || our_code=$?
	for _ in 1 2 3; do
		their_code=0
		theirs "$@" >"$work/theirs" 2>"$work/messages" || their_code=$?
		[[ $their_code -eq 0 ]] || return $((our_code == 0))
		[[ $our_code -eq 0 ]] || { refuses_nothing "$our_code"; return; }
		! cmp -s "$work/theirs" "$work/ours" || return 0
	done
	cmp -s <(sort "$work/theirs") <(sort "$work/ours")
}

# Of each $every-th profile. $number is that of the test, from which it begins.
compares() { # REPORT OPTION...
	local i file code=0
	for ((i = number % every; i < ${#profiles[@]}; i += every)); do
		file=${profiles[i]}
		is_equal "$@" "$file" && continue
		echo "$* of ${file##*/} differs"
		diff "$work/theirs" "$work/ours" | head -5
		code=1
	done
	return "$code"
}

command -v go >/dev/null || skip 'there is no go here'
pprof=${PPROF:-$(go tool -n pprof)} || skip 'Go has no pprof'
make_profiles "${1-5}"
theirs raw "$work/random.0.pb" 2>/dev/null | grep -qE ':-?[0-9]+:[0-9]+ s=' ||
	skip "$pprof is too old: it prints no columns"
profiles=("$work"/*.p*)
every=${2-3}
cases=(
	top 'top --cum' 'top --lines' 'top --addresses' 'top --filefunctions' 'top --nodecount=5'
	'top --nodefraction=0' 'top --unit=ms' 'top --drop_negative'
	'top --sample_index=alloc_space' 'top --sample_index=t0'
	'top --noinlines --showcolumns --lines' "top --diff_base=$work/go.heap.proto"
	'top --focus=main --hide=f2' 'tree --ignore=runtime --relative_percentages'
	tree 'tree --cum --nodecount=5' 'tree --lines --nodefraction=0 --edgefraction=0 --nodecount=0'
	'tree --nodefraction=0.05 --edgefraction=0.1' 'peek=main|f1'
	traces 'traces --lines' tags 'tags --unit=kb' raw comments
)
# Of a few profiles.
few=(
	'top --sample_index=0 --flat --divide_by=7' 'tree --trim=false --nodecount=2 --cum'
	'top --compact_labels --trim_path=/src:/proc --lines' 'tags --divide_by=0.01 --mean'
	'peek=f --filefunctions --trim_path=/proc/self/: --compact_labels' 'top --alloc_objects'
	'traces --divide_by=1000 --unit=hours' 'top --mean_delay' 'top --unit=megabytes --mean'
	'raw --tagroot=thread,a --tagleaf=bytes'
)
echo "1..$((${#cases[@]} + ${#few[@]} + 1))"
ok "there are ${#profiles[@]} profiles" test "${#profiles[@]}" -gt 20
for case in "${cases[@]}"; do
	read -ra command <<<"$case"
	ok "${case//"$work/"/}" compares "${command[@]}"
done
profiles=("$work"/{random.[0-4].pb,sparse.pb,go.heap.proto,go.mutex.proto})
every=1
for case in "${few[@]}"; do
	read -ra command <<<"$case"
	ok "$case of ${#profiles[@]} profiles" compares "${command[@]}"
done
