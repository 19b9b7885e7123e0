#!/usr/bin/env bats
# Growth profiles: memory by the stack that touched it first, compared with the bytes that
# the program touched, and with the growth of its resident set.
# shellcheck disable=SC2016 # awk's

load ../lib/helpers

# The bytes of a function of grow, in percent of the bytes that it touched.
touched() { # PROFILE FUNCTION
	amount "$1" "\$3 ~ /(^|;)main;grow;$2;/" | awk -v truth="$(truth "$2")" '{ print 100 * $1 / truth }'
}

check_places() { # PROFILE
	local place
	for place in fill read_into populate churn; do
		figures echo "$place: $(touched "$1" "$place") % of $(truth "$place")"
		within "$(touched "$1" "$place")" 98 102
	done
}

@test "pages of 4 KiB, by four functions" {
	run --separate-stderr vm bash -c 'pprof-collect --profile growth -o small.pb.gz -- grow small >truth'
	[ "$status" -eq 0 ]
	[[ ${stderr_lines[0]} = "growth: "*" samples in "*" s, 0 lost, "* ]]
	check_places small.pb.gz
	[ "$(show period small.pb.gz)" -eq 65536 ]
	# One count for each page.
	within "$(count small.pb.gz '$3 ~ /;fill;/')" 16056 16712
	# The growth of the process is fill, read, populate and one round of churn.
	grown=$(($(truth fill) + $(truth read_into) + $(truth populate) + $(truth churn) / 4))
	within "$(truth rss)" $((grown * 99 / 100)) $((grown * 101 / 100))
}

@test "pages of 2 MiB" {
	vm test -d /sys/kernel/mm/transparent_hugepage || skip 'this kernel has none'
	vm pprof-collect -q --profile growth -o huge.pb.gz -- grow huge >truth
	check_places huge.pb.gz
	within "$(count huge.pb.gz '$3 ~ /;fill;/')" 31 33
}

# bats test_tags=each
@test "every page: the counts are exact" {
	vm pprof-collect -q --profile growth --growth-rate 4096 --buffer-pages 4096 -o all.pb.gz -- grow small >truth
	[ "$(amount all.pb.gz '$3 ~ /(^|;)main;grow;fill;/')" -eq "$(truth fill)" ]
	[ "$(amount all.pb.gz '$3 ~ /(^|;)main;grow;read_into;/')" -eq "$(truth read_into)" ]
	[ "$(amount all.pb.gz '$3 ~ /(^|;)main;grow;populate;/')" -eq "$(truth populate)" ]
	[ "$(amount all.pb.gz '$3 ~ /(^|;)main;grow;churn;/')" -eq "$(truth churn)" ]
}

@test "a program that touches no new memory has no samples" {
	vm <<-'END'
		start_ready hides 0.01 1000	# after its output it only burns CPU
		pprof-collect -q --profile growth --growth-rate 4096 --seconds 1 --pid $pid -o burn.pb.gz
		kill $pid
	END
	[ "$(amount burn.pb.gz)" -eq 0 ]
}

@test "a wrong rate" {
	vm <<-'END'
		enter_empty
		refused "--growth-rate '0': must be a whole number from 1 to" pprof-collect --pid 1 --growth-rate 0
	END
}
