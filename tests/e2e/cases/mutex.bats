#!/usr/bin/env bats
# Who held the locks that others waited for, against what the waiters measured.
# shellcheck disable=SC2016 # awk's

load ../lib/helpers

# What is charged to a PLACE is what its waiters waited, in one sample.
check_charge() { # PROFILE PLACE NS
	local ns
	ns=$(amount "$1" "\$3 ~ /$2/")
	echo "$ns ns, $3 expected"
	within "$ns" $(($3 * 98 / 100)) $(($3 * 102 / 100))
	[ "$(count "$1" "\$3 ~ /$2/")" -eq 1 ]
}

# And the rest is short. Joins, conditions and timeouts are nobody's: nor is what one
# more waited for the same lock, who gave up halfway.
check_others() { # PROFILE PLACES
	within "$(amount "$1" "\$3 !~ /$2/")" 0 $(($(amount "$1") / 11))
	[ "$(amount "$1" '$3 ~ /no_contention/')" -eq 0 ]
}

charged() { # KIND [PLACE [COMMAND...]]
	vm pprof-collect -q --profile mutex -o "$1.pb.gz" -- "${@:3}" waiters 1000 "$1" >truth
	check_charge "$1.pb.gz" "${2-;hold_long;unlock_long;}" "$(truth waited_ns)"
	check_others "$1.pb.gz" "${2-;hold_long;unlock_long;}"
}

# bats test_tags=each
@test "a lock held for 1 s, with five waiters, and one who gives up: 5 s" {
	charged normal
}

# bats test_tags=once
@test "pprof shows who unlocks, and not how" {
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

# In a namespace of its own the holder has the tid 2, and who joins it waits for a 2.
# bats test_tags=each
@test "a robust lock whose holder ends is charged, and not that it is joined" {
	charged dies ';die_holding(;|$)' unshare --pid --fork
}

# bats test_tags=once
@test "a robust lock, with waiters who would not wait for ever" {
	charged timed
}

@test "rwlocks: who keeps readers from it, a writer, and writers" {
	vm pprof-collect -q --profile mutex -o rw.pb.gz -- rwlocks 1000 >truth
	for whom in readers writer writers; do
		check_charge rw.pb.gz ";hold_from_$whom;unlock_to_$whom;" "$(truth ${whom}_ns)"
	done
	check_others rw.pb.gz ';unlock_to_'
}

# Who unlocked can't be told, but how long was waited for it: all is in one place.
# bats test_tags=once
@test "who unlocks may not be looked into" {
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

# Each unlock of the program had one waiter. Those that were sampled stand for it and
# nine more: their number and what they waited are within four standard deviations.
# bats test_tags=once
@test "one of ten unlocks stands for ten" {
	vm pprof-collect -q --profile mutex --mutex-fraction 10 -o some.pb.gz -- contended 500 >truth
	n=$(count some.pb.gz '$3 ~ /;unlock_contended;/')
	ns=$(amount some.pb.gz '$3 ~ /;unlock_contended;/')
	figures echo "$n unlocks told of $(truth unlocks); $ns ns of $(truth least_ns) to $(truth most_ns)"
	awk -v n="$n" -v true="$(truth unlocks)" 'BEGIN { exit !((n - true) ^ 2 <= 16 * 9 * true) }'
	[ $((n % 10)) -eq 0 ]
	awk -v ns="$ns" -v least="$(truth least_ns)" -v most="$(truth most_ns)" -v root="$(truth root_ns)" '
		BEGIN { off = 4 * 3 * root; exit !(ns >= least - off && ns <= most + off) }'
	[ "$(show period some.pb.gz)" -eq 1 ]
	vm pprof-collect -q --profile mutex -o all.pb.gz -- contended 300 >truth
	[ "$(count all.pb.gz '$3 ~ /;unlock_contended;/')" -eq 300 ]
	within "$(amount all.pb.gz '$3 ~ /;unlock_contended;/')" "$(truth least_ns)" "$(truth most_ns)"
}
