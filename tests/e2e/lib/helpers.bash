# shellcheck shell=bash
# Functions that all bats files share. These files run on the host, in a folder of their
# own, which the VM sees, too. Only the commands given to vm() run in the VM.

project=$(cd "${BASH_SOURCE[0]%/*}/../../.." && pwd)
lib=$project/tests/e2e/lib
readonly project lib

# shellcheck disable=SC2034 # bats reads it
bats_require_minimum_version 1.5.0

fail() { # MESSAGE
	echo "$*"
	return 1
}

# Runs a command in the VM as root; without arguments, the script on standard input. Passes
# on its output, errors and exit code. LIMIT is the time limit in seconds, which is
# multiplied by E2E_WIDER; 0 means none.
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

# Compares the file "seen" with the rows on standard input, whose columns are aligned.
compare() {
	tr -s ' ' | diff - seen
}

# Runs a command, and prints its output even if the test passes: these are measured figures.
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

# Waits for the answer of a call. A complaint in its kernel log fails the test later, in
# teardown(). It polls without a process: starting sleep each 20 ms would take a twentieth
# of a CPU, which the VM needs.
await_answer() { # CALL
	local never
	exec {never}<> <(:)
	until [[ -s $1/code ]]; do
		kill -0 "$E2E_VM" 2>/dev/null || fail 'The VM is gone.' || return
		read -rt 0.02 -u "$never" || true
	done
	exec {never}>&-
	[[ -e $1/log && ! -s $1/log ]] ||	# an empty log has no complaint
		"$project/tests/vm/dmesg-clean" "$1/log" >>"$E2E_WORK/complaints" ||
		[[ $? -eq 1 ]] || echo "no look at $1/log" >>"$E2E_WORK/complaints"
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

# All readers read each profile that a test leaves. If the test failed, the profiles are
# shown.
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

# The lines of show-profile of one kind, without the kind. The output is kept in a file:
# tests ask many times, and node is slow to start.
show() { # KIND PROFILE
	[[ $2.shown -nt $2 ]] || {
		"$lib/show-profile" "$2" >"$2.new" || return
		mv "$2.new" "$2.shown"
	}
	sed -n "s/^$1\t//p" "$2.shown"
}

# The sum of the counts of samples that match. A line is COUNT<tab>LABELS<tab>ROOT;...;LEAF.
count() { # PROFILE [AWK_PATTERN]
	[[ -s $1 ]] || fail "there is no $1" || return
	show sample "$1" | awk -F'\t' "BEGIN { n = 0 } ${2-} { n += \$1 } END { print n }"
}

# The sum of the last value of samples that match, for example bytes or ns.
amount() { # PROFILE [AWK_PATTERN]
	[[ -s $1 ]] || fail "there is no $1" || return
	show sample "$1" | awk -F'\t' "BEGIN { n = 0 } ${2-} { n += \$NF } END { printf \"%.0f\\n\", n }"
}

# A number that a test program printed.
truth() { # KEY [FILE]
	sed -n "s/^$1=//p" "${2-truth}"
}

# COUNT of TOTAL agrees with PART of WHOLE. It may differ by four standard deviations of
# such a count, by one sample, and by SLACK of the total: on a busy host QEMU delivers ticks
# late, and the weight of a tick goes to the code that runs then.
about() { # COUNT TOTAL PART WHOLE
	awk -v count="$1" -v total="$2" -v part="$3" -v whole="$4" -v slack="${SLACK-0.03}" 'BEGIN {
		share = part / whole
		limit = 4 * sqrt(total * share * (1 - share)) + 1 + total * slack
		printf "%d of %d, expected %.1f +- %.1f\n", count, total, total * share, limit
		off = count - total * share
		exit !(total >= 100 && off <= limit && -off <= limit)
	}'
}

# Checks the shares of split75 against its own clock. A busy host may stop the VM in one
# function, and the weight of the next tick may go to the other one. If a CPU goes offline
# meanwhile, the weight is lost. So the slack grows by the share of stopped_ns.
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

# NUMBER is MIN at least. E2E_WIDER divides MIN.
at_least() { # NUMBER MIN
	[[ $1 -ge $(($2 / ${E2E_WIDER:-1})) ]] || fail "$1 is less than $2"
}

# NUMBER is in the range. E2E_WIDER makes the range that many times as wide.
within() { # NUMBER MIN MAX
	awk -v n="$1" -v min="$2" -v max="$3" -v wider="${E2E_WIDER:-1}" 'BEGIN {
		more = (max - min) * (wider - 1) / 2
		exit !(n != "" && n >= min - more && n <= max + more)
	}' || fail "$1 is not from $2 to $3"
}
