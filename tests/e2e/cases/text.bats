#!/usr/bin/env bats
# Profiles as text: the readers of Go's text take them, and show the same as for protobuf.

# bats file_tags=collector
load ../lib/helpers

check_text() { # FILE
	[[ -x ../checktext ]] || GO111MODULE=off go build -o ../checktext "$project/tests/text-forms/checktext.go"
	../checktext "$1"
	"$lib/read-profile" "$1" text
}

# VALUE CUM NAME of each function. The paths of test programs in the VM are replaced by the
# host's.
top() { # FILE
	sed "s|/run/e2e/bin/|$(realpath "$project/build/programs")/|" "$1" >here.txt
	"$project/build/tools/pprof" -top -nodefraction 0 here.txt |
		awk '/flat%/ { found = 1; next } found { print $1, $4, $6 }' | sort
}

@test "threadcreate: the counts and names of the protobuf profile" {
	vm <<-'END'
		pprof-collect -q --profile threadcreate --debug 1 -o text.txt -- clones --raw 1000
		pprof-collect -q --profile threadcreate -o proto.pb.gz -- clones --raw 1000
	END
	check_text text.txt
	[ "$(head -n 1 text.txt)" = 'threadcreate profile: total 1000' ]
	[ "$(sed -n 's/^\([0-9]*\) @.*/\1/p' text.txt | xargs)" = '500 300 200' ]
	[ "$(top text.txt | grep -c ' site_[abc]$')" -eq 3 ]
	for name in main create_all create raw_clone; do
		[ "$(top text.txt | awk -v name=$name '$3 == name { print $2 }')" -eq 1000 ]
		[ "$(count proto.pb.gz "\$3 ~ /(^|;)$name(;|\$)/")" -eq 1000 ]
	done
	grep -qE $'^#\t0x[0-9a-f]+\t+site_a\\+0x[0-9a-f]+\t+/.*/tests/programs/clones.c:[0-9]+$' text.txt
}

@test "cpu: the name of the file and the period; pprof reads it without the process" {
	run --separate-stderr vm pprof-collect --hz 1000 --debug 2 -- split75 1
	[ "$status" -eq 0 ]
	text=$(ls pprof.split75.*.cpu.txt)
	[[ $stderr = *"go tool pprof"*"$text"* ]]
	check_text "$text"
	grep -qx '# period: 1000000 nanoseconds' "$text"
	grep -qx '# lost: 0' "$text"
	hot=$(top "$text" | awk '$3 == "hot_a" || $3 == "hot_b" { n += $2 } END { print n + 0 }')
	[ "$hot" -gt 0 ]
	[ "$hot" -le "$(sed -n '1s/.* total //p' "$text")" ]
}

@test "--all: code of different programs at one address, and truncated stacks" {
	vm <<-'END'
		pprof-collect -q --all --hz 1000 --labels pid,comm --max-frames 3 --debug 1 &
		await_session
		setarch -R burn 1
		setarch -R split75 1 >/dev/null
		kill -INT $!
		wait $!
	END
	check_text pprof.all.cpu.txt
	grep -q $'^#\t0x5.*\tburn+' pprof.all.cpu.txt
	[ "$(top pprof.all.cpu.txt | grep -cE ' (burn|hot_a|hot_b)$')" -eq 3 ]
	grep -q '^# labels: {"comm":".*", "pid":"[0-9]*"}$' pprof.all.cpu.txt
	grep -q $'^#\t0x80000000.*\t\\[truncated: ' pprof.all.cpu.txt
	grep -q '^80000000.* r-xp \[truncated:_' pprof.all.cpu.txt
	[ "$(top pprof.all.cpu.txt | grep -c ' \[\[truncated:_')" -ge 1 ]
}

# The text has a memory map, by which readers find the names of addresses.
check_mapped() { # FILE FUNCTION
	check_text "$1"
	grep -qx -e '--- Memory map: ---' "$1"
	[ "$(grep -c '@ 0x' "$1")" -ge 1 ]
	[ "$(top "$1" | grep -c " $2\$")" -eq 1 ]
}

@test "all profile types" {
	for debug in 1 2; do
		vm <<<"roles_kinds --profile all,heap,allocs --hz 1000 --block-rate 1 --debug $debug"
		for kind in cpu wall threadcreate thread block mutex growth heap allocs; do
			[[ $kind$debug != thread2 ]] || continue
			mv pprof.roles.*.$kind.txt "$kind$debug.txt"
			check_mapped "$kind$debug.txt" do_all
			grep -q '^# labels: {.*"role":"writer"' "$kind$debug.txt"
		done
		rm -f pprof.roles.*.txt
	done
	[ "$(sed -n 2p block1.txt)" = 'cycles/second=1000000000' ]
	[ "$(sed -n 3p mutex1.txt)" = 'sampling period=1' ]
	# The totals in the head: objects and bytes in use, and [allocated].
	grep -qE '^heap profile: [0-9]+: [0-9]+ \[[0-9]+: [0-9]+\] @ heap/2$' heap1.txt
	[ "$(tail -n +2 heap1.txt | sed '/^--- /,$d' | grep -c '^# VmRSS')" -eq 1 ]
}

@test "a custom profile" {
	vm <<-'END'
		customs 2 < <(exec sleep 1000) >/run/e2e/ready &
		pid=$!
		await 'grep -q ready /run/e2e/ready'
		for debug in 1 2; do
			pprof-collect -q --profile values --debug $debug -o values$debug.txt --pid $pid
		done
		kill $pid
	END
	for debug in 1 2; do
		[ "$(head -n 1 values$debug.txt)" = 'values profile: total 8' ]
		for site in site_a site_b outer_c; do check_mapped values$debug.txt $site; done
	done
}
