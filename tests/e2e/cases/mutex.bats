#!/usr/bin/env bats
# Mutex profiles: the waits are charged to the stack that unlocks, compared with the clocks of
# the waiters.
# shellcheck disable=SC2016 # awk's

load ../lib/helpers

# One sample has the stack STACK, and its time is that of all waiters, NS.
check_charge() { # PROFILE STACK NS
	local ns
	ns=$(amount "$1" "\$3 ~ /$2/")
	echo "$ns ns, $3 expected"
	within "$ns" $(($3 * 98 / 100)) $(($3 * 102 / 100))
	[ "$(count "$1" "\$3 ~ /$2/")" -eq 1 ]
}

# The other samples are short. Joins, conditions and timeouts are charged to no stack, nor is
# the wait of the thread that gives up halfway.
check_others() { # PROFILE STACKS
	within "$(amount "$1" "\$3 !~ /$2/")" 0 $(($(amount "$1") / 11))
	[ "$(amount "$1" '$3 ~ /no_contention/')" -eq 0 ]
}

charged() { # KIND [STACK [COMMAND...]]
	vm pprof-collect -q --profile mutex -o "$1.pb.gz" -- "${@:3}" waiters 1000 "$1" >truth
	check_charge "$1.pb.gz" "${2-;hold_long;unlock_long;}" "$(truth waited_ns)"
	check_others "$1.pb.gz" "${2-;hold_long;unlock_long;}"
}

# bats test_tags=each
@test "a lock held for 1 s, with five waiters, and one that gives up: 5 s" {
	charged normal
}

# bats test_tags=once
@test "pprof shows the caller of the unlock function, and hides that function" {
	vm pprof-collect -q --profile mutex -o normal.pb.gz -- waiters 300 normal
	"$project/build/tools/pprof" -top -nodefraction 0 normal.pb.gz |
		awk '/flat%/ { found = 1; next } found { print $1, $6 }' >top
	echo "$(<top)"
	[[ $(sed -n '1s/.* //p' top) = unlock_long ]]
	run ! grep -E ' .*(pthread_mutex_unlock|lll_)' top
	[ "$(awk 'NR == 1 { print int($1 * ($1 ~ /ms$/ ? 1 : 1000)) }' top)" -ge 1000 ]
	[ "$(count normal.pb.gz '$3 ~ /;unlock_long;./')" -eq 1 ]
}

@test "a lock whose holder inherits priority" {
	charged inherit
}

@test "a robust lock" {
	charged robust
}

# bats test_tags=once
@test "a robust lock whose holder ends without an unlock" {
	charged dies ';die_holding(;|$)'
}

# In a pid namespace the holder has the tid 2, so the join waits on a futex with the value 2, as
# a contended mutex has.
# bats test_tags=each
@test "a robust lock whose holder ends is charged, and the join of it is not" {
	charged dies ';die_holding(;|$)' unshare --pid --fork
}

# bats test_tags=once
@test "a robust lock, with waiters that have a time limit" {
	charged timed
}

@test "rwlocks: readers, a writer and writers that wait" {
	vm pprof-collect -q --profile mutex -o rw.pb.gz -- rwlocks 1000 >truth
	for whom in readers writer writers; do
		check_charge rw.pb.gz ";hold_from_$whom;unlock_to_$whom;" "$(truth ${whom}_ns)"
	done
	check_others rw.pb.gz ';unlock_to_'
}

# The unlocking stack is hidden. The waits are still counted, under one name.
# bats test_tags=once
@test "an undumpable program that unlocks" {
	vm <<-'END'
		install -m 666 /dev/null hidden
		as-nobody pprof-collect -q --profile mutex -o - -- sh -c 'waiters 1000 hidden >hidden' >hidden.pb.gz
		mv hidden truth
	END
	ns=$(amount hidden.pb.gz '$3 == "lostContendedLock"')
	echo "$ns ns, $(truth waited_ns) expected"
	within "$ns" $(($(truth waited_ns) * 98 / 100)) $(($(truth waited_ns) * 112 / 100))
	[ "$(amount hidden.pb.gz)" -eq "$ns" ]
	[ "$(show comment hidden.pb.gz | head -n 1)" = 'lost: 0' ]
}

# Each unlock had one waiter. A sampled unlock stands for ten. The estimates of their number
# and of the waits must be within four standard deviations.
# bats test_tags=once
@test "with --mutex-fraction 10 a sampled unlock stands for ten" {
	vm pprof-collect -q --profile mutex --mutex-fraction 10 -o some.pb.gz -- contended 500 >truth
	n=$(count some.pb.gz '$3 ~ /;unlock_contended;/')
	ns=$(amount some.pb.gz '$3 ~ /;unlock_contended;/')
	figures echo "$n unlocks estimated, of $(truth unlocks); $ns ns of $(truth least_ns) to $(truth most_ns)"
	awk -v n="$n" -v true="$(truth unlocks)" 'BEGIN { exit !((n - true) ^ 2 <= 16 * 9 * true) }'
	[ $((n % 10)) -eq 0 ]
	awk -v ns="$ns" -v least="$(truth least_ns)" -v most="$(truth most_ns)" -v root="$(truth root_ns)" '
		BEGIN { off = 4 * 3 * root; exit !(ns >= least - off && ns <= most + off) }'
	[ "$(show period some.pb.gz)" -eq 1 ]
	vm pprof-collect -q --profile mutex -o all.pb.gz -- contended 300 >truth
	[ "$(count all.pb.gz '$3 ~ /;unlock_contended;/')" -eq 300 ]
	within "$(amount all.pb.gz '$3 ~ /;unlock_contended;/')" "$(truth least_ns)" "$(truth most_ns)"
}
