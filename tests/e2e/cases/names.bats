#!/usr/bin/env bats
# The cache of names, which one run leaves for the next. The test programs are on a tmpfs.
# shellcheck disable=SC2016 # awk's and the VM's

# bats file_tags=collector
load ../lib/helpers

# A profile without its times.
raw() { # PROFILE
	go tool pprof -raw "$1" 2>&1 | grep -vE '^(Time|Duration): '
}

@test "names are the same from the cache" {
	vm <<-'END'
		start_parked 8
		mkdir -m 700 /run/e2e/caches
		date -s '+100 seconds' >/dev/null	# names of new files are not kept
		for run in none first second; do
			export XDG_CACHE_HOME=/run/e2e/caches
			[[ $run != none ]] || XDG_CACHE_HOME=/dev/null
			pprof-collect -q --profile thread -o $run.pb.gz --pid $pid 2>>said
			ls -li /run/e2e/caches/pprof-collect >$run.kept || true
		done
		date -s '-100 seconds' >/dev/null
		stat -c '%d %i' "$(type -P parked)" >parked.file
	END
	[ ! -s said ]
	[ ! -s none.kept ]
	read -r dev ino <parked.file
	grep -q "^ *[0-9]* -rw-------.* $(printf '%x-%x' "$dev" "$ino").names$" first.kept
	cmp first.kept second.kept
	raw none.pb.gz >none
	raw first.pb.gz >first
	raw second.pb.gz >second
	grep -q 'park_in_futex .*/parked.c:[1-9]' none
	diff none first
	diff none second
}

@test "without a place for the cache there is no message" {
	vm <<-'END'
		start_parked 8
		mkdir /run/e2e/fixed
		mount -t tmpfs -o ro fixed /run/e2e/fixed
		unset XDG_CACHE_HOME
		for HOME in /run/e2e/fixed /none; do
			pprof-collect -q --profile thread -o "${HOME##*/}.pb.gz" --pid $pid 2>>said
		done
		umount /run/e2e/fixed
	END
	[ ! -s said ]
	for file in fixed none; do
		[ "$(count $file.pb.gz '$3 ~ /;park_in_futex;/')" -eq 2 ]
	done
}
