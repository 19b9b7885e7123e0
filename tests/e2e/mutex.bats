#!/usr/bin/env bats
# Who held the locks that others waited for, against what the waiters measured.
# shellcheck disable=SC2016 # awk's

load helpers

charged() { # KIND
	vm pprof-collect -q --profile mutex -o "$1.pb.gz" -- waiters 1000 "$1" >truth
	ns=$(amount "$1.pb.gz" '$3 ~ /;hold_long;unlock_long;/')
	echo "$ns ns, $(truth waited_ns) expected"
	within "$ns" $(($(truth waited_ns) * 98 / 100)) $(($(truth waited_ns) * 102 / 100))
	[ "$(count "$1.pb.gz" '$3 ~ /;unlock_long;/')" -eq 1 ]
	# What follows is short, and joins, conditions and timeouts are nobody's.
	others=$(amount "$1.pb.gz" '$3 !~ /;unlock_long;/')
	within "$others" 0 $((ns / 10))
	[ "$(amount "$1.pb.gz" '$3 ~ /no_contention/')" -eq 0 ]
}

@test "a lock held for 1 s, with five waiters: 5 s" {
	charged normal
}

@test "pprof shows who unlocks, and not how" {
	vm pprof-collect -q --profile mutex -o normal.pb.gz -- waiters 300 normal
	"$e2e/../../build/tools/pprof" -top -nodefraction 0 normal.pb.gz |
		awk '/flat%/ { found = 1; next } found { print $1, $6 }' >top
	echo "$(<top)"
	[[ $(sed -n '1s/.* //p' top) = unlock_long ]]
	[ "$(sed -n '1s/ms .*//p' top | sed 's/\..*//')" -ge 1000 ]
	[ "$(count normal.pb.gz '$3 ~ /;unlock_long;./')" -eq 1 ]
}

@test "a lock whose holder inherits priority" {
	charged inherit
}

@test "a robust lock" {
	charged robust
}
