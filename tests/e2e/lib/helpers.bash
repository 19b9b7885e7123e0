# shellcheck shell=bash
# What the bats files share. They run on the host, in a folder of their own
# that the VM sees, too, and only what they give to vm runs in the VM.

project=$(cd "${BASH_SOURCE[0]%/*}/../../.." && pwd)
lib=$project/tests/e2e/lib
readonly project lib

# shellcheck disable=SC2034 # bats reads it
bats_require_minimum_version 1.5.0

fail() { # MESSAGE
	echo "$*"
	return 1
}

# Runs in the VM, as root: a command, or else the script on standard input.
# Its output, errors and exit code are ours. LIMIT: in seconds, 0: none. E2E_WIDER
# makes it that many times as long.
vm() { # [COMMAND ARG...]
	local call
	[[ ${E2E_WORK-} ]] || fail 'Run this through tests/e2e/suite.' || return
	call=$E2E_WORK/calls/$(next_call)
	mkdir "$call.new"
	echo $((${LIMIT:-100} * ${E2E_WIDER:-1})) >"$call.new/limit"
	{
		printf 'STRESS=%q E2E_WIDER=%q\n. %q\ncd %q\n' "${STRESS-}" "${E2E_WIDER:-1}" \
			"$lib/guest.bash" "/results${PWD#"$E2E_WORK"}"
		if [[ $# -gt 0 ]]; then echo "exec ${*@Q}"; else cat; fi
	} >"$call.new/script"
	mv "$call.new" "$call"
	await_answer "$call" || return
	cat "$call/out"
	cat "$call/err" >&2
	return "$(<"$call/code")"
}

# What was seen is the rows on standard input, whose blanks are for people.
compare() {
	tr -s ' ' | diff - seen
}

# Runs a command whose output is worth reading when all is well, too.
figures() { # COMMAND...
	local code=0
	"$@" >figures || code=$?
	sed 's/^/# /' figures >&3
	[[ $code -eq 0 ]] || echo "exit code $code"
	return "$code"
}

next_call() {
	local last=0
	[[ ! -e $E2E_WORK/calls/last ]] || last=$(<"$E2E_WORK/calls/last")
	echo $((last + 1)) | tee "$E2E_WORK/calls/last"
}

# A complaint of the kernel fails the test at its end, in teardown. It waits without
# a process: a sleep each 20 ms takes a twentieth of the processor that the VM needs.
await_answer() { # CALL
	local never
	exec {never}<> <(:)
	until [[ -s $1/code ]]; do
		kill -0 "$E2E_VM" 2>/dev/null || fail 'The VM is gone.' || return
		read -rt 0.02 -u "$never" || true
	done
	exec {never}>&-
	"$project/tests/vm/dmesg-clean" "$1/log" >>"$E2E_WORK/complaints" || [[ $? -eq 1 ]] ||
		echo "no look at $1/log" >>"$E2E_WORK/complaints"
}

enter() { # NAME: the folder of this file or test
	: >"$E2E_WORK/complaints"
	mkdir -p "$E2E_WORK/tests/$1"
	cd "$E2E_WORK/tests/$1"
}

check_kernel_log() {
	[[ ! -s $E2E_WORK/complaints ]] ||
		fail "The kernel complained: $(<"$E2E_WORK/complaints")"
}

setup_file() {
	enter "${BATS_TEST_FILENAME##*/}"
	# shellcheck disable=SC2016 # the VM's
	vm <<<'insmod "$module"'
	check_kernel_log
}

teardown_file() {
	enter "${BATS_TEST_FILENAME##*/}"
	vm rmmod pprof
	check_kernel_log
}

setup() {
	enter "${BATS_TEST_FILENAME##*/}-$BATS_TEST_NUMBER"
}

profiles() {
	find . -name '*.pb.gz' -size +0
}

# Every profile that a test leaves is read by all readers, and shown if the test
# failed.
teardown() {
	local file files
	mapfile -t files < <(profiles)
	for file in "${files[@]}"; do
		[[ ${BATS_TEST_COMPLETED-} ]] || "$lib/show-profile" "$file" | sed -n 1,30p
		"$lib/read-profile" "$file" || return
	done
	[[ ! ${files[*]} ]] || "$lib/check-profile" "${files[@]}" || return
	check_kernel_log
}

# Profiles

# The lines of show-profile of one kind, without the kind. Asked for many times, and
# kept, since node takes longer to start than to read.
show() { # KIND PROFILE
	[[ $2.shown -nt $2 ]] || {
		"$lib/show-profile" "$2" >"$2.new" || return
		mv "$2.new" "$2.shown"
	}
	sed -n "s/^$1\t//p" "$2.shown"
}

# How often the profile's samples match: COUNT<tab>LABELS<tab>ROOT;...;LEAF.
count() { # PROFILE [AWK_PATTERN]
	[[ -s $1 ]] || fail "there is no $1" || return
	show sample "$1" | awk -F'\t' "BEGIN { n = 0 } ${2-} { n += \$1 } END { print n }"
}

# The same of the last value, as bytes or ns.
amount() { # PROFILE [AWK_PATTERN]
	[[ -s $1 ]] || fail "there is no $1" || return
	show sample "$1" | awk -F'\t' "BEGIN { n = 0 } ${2-} { n += \$NF } END { printf \"%.0f\\n\", n }"
}

# A number that a test program printed.
truth() { # KEY [FILE]
	sed -n "s/^$1=//p" "${2-truth}"
}

# COUNT of TOTAL agrees with PART of WHOLE: four standard deviations of such a
# count at most, the one sample that may fall on either side, and SLACK: on a
# busy host QEMU delivers ticks late, and their weight goes to whoever is next.
about() { # COUNT TOTAL PART WHOLE
	awk -v count="$1" -v total="$2" -v part="$3" -v whole="$4" -v slack="${SLACK-0.03}" 'BEGIN {
		share = part / whole
		limit = 4 * sqrt(total * share * (1 - share)) + 1 + total * slack
		printf "%d of %d, expected %.1f +- %.1f\n", count, total, total * share, limit
		off = count - total * share
		exit !(total >= 100 && off <= limit && -off <= limit)
	}'
}

# The shares of split75. Its own clock tells what they were: a host that is busy
# may stop the VM anywhere, and the weight of the next tick makes up for it; but that may
# come in the other function, and if a CPU goes meanwhile the weight is lost.
check_split() { # PROFILE
	local a b
	# shellcheck disable=SC2016 # awk's
	{
		a=$(count "$1" '$3 ~ /;hot_a;/')
		b=$(count "$1" '$3 ~ /;hot_b;/')
	}
	SLACK=$(awk "BEGIN { print ${SLACK-0.03} + $(truth stopped_ns) / $(truth cpu_ns) }") \
		about "$a" $((a + b)) "$(truth hot_a_ns)" $(($(truth hot_a_ns) + $(truth hot_b_ns)))
}

# There are as many samples as that, or, where E2E_WIDER says so, a part.
at_least() { # NUMBER MIN
	[[ $1 -ge $(($2 / ${E2E_WIDER:-1})) ]] || fail "$1 is less than $2"
}

# A number lies in a range, which E2E_WIDER widens that many times.
within() { # NUMBER MIN MAX
	awk -v n="$1" -v min="$2" -v max="$3" -v wider="${E2E_WIDER:-1}" 'BEGIN {
		more = (max - min) * (wider - 1) / 2
		exit !(n != "" && n >= min - more && n <= max + more)
	}' || fail "$1 is not from $2 to $3"
}
