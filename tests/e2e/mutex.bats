#!/usr/bin/env bats
# Who held the locks that others waited for, against what the waiters measured.
# shellcheck disable=SC2016 # awk's

load helpers

# What is charged to a PLACE is what five waiters waited, in one sample, and the rest
# is short. Joins, conditions and timeouts are nobody's: nor is what a sixth waited for
# the same lock, who gave up halfway.
check_charge() { # PROFILE PLACE
	local ns others
	ns=$(amount "$1" "\$3 ~ /$2/")
	echo "$ns ns, $(truth waited_ns) expected"
	within "$ns" $(($(truth waited_ns) * 98 / 100)) $(($(truth waited_ns) * 102 / 100))
	[ "$(count "$1" "\$3 ~ /$2/")" -eq 1 ]
	others=$(amount "$1" "\$3 !~ /$2/")
	within "$others" 0 $((ns / 10))
	[ "$(amount "$1" '$3 ~ /no_contention/')" -eq 0 ]
}

charged() { # KIND [PLACE]
	vm pprof-collect -q --profile mutex -o "$1.pb.gz" -- waiters 1000 "$1" >truth
	check_charge "$1.pb.gz" "${2-;hold_long;unlock_long;}"
}

@test "a lock held for 1 s, with five waiters, and one who gives up: 5 s" {
	charged normal
}

@test "pprof shows who unlocks, and not how" {
	vm pprof-collect -q --profile mutex -o normal.pb.gz -- waiters 300 normal
	"$e2e/../../build/tools/pprof" -top -nodefraction 0 normal.pb.gz |
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

@test "a robust lock whose holder ends without an unlock" {
	charged dies ';die_holding(;|$)'
}

# Who unlocked can't be told, but how long was waited for it: all is in one place.
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
