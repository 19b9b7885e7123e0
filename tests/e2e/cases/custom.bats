#!/usr/bin/env bats
# Custom profiles of programs whose values are known.
# shellcheck disable=SC2016 # awk's and the VM's

# bats file_tags=collector
load ../lib/helpers

# Runs the script on standard input in the VM, while a program, as $pid, keeps its profiles.
kept() { # COMMAND...
	vm <<-END
		rm -f /run/e2e/end
		mkfifo /run/e2e/end
		$* </run/e2e/end >/run/e2e/ready &
		pid=\$!
		trap 'rm -f /run/e2e/end /run/e2e/ready' EXIT
		exec 9>/run/e2e/end
		await 'grep -q ready /run/e2e/ready'
		cp /run/e2e/ready truth
		$(cat)
		exec 9>&-
		wait \$pid || true
	END
}

# Checks the profile "values" of the program customs; COUNT is even.
check_customs() { # PROFILE COUNT
	[ "$(count "$1")" -eq $((1 + $2 / 2 + 3 * $2)) ]
	[ "$(count "$1" '$3 ~ /;work;site_a$/')" -eq $(($2 / 2)) ]
	[ "$(count "$1" '$3 ~ /;work;site_b$/')" -eq $((2 * $2)) ]
	[ "$(count "$1" '$3 ~ /;work;outer_c$/')" -eq "$2" ]
	[ "$(count "$1" '$3 == "lostProfileEvent"')" -eq 1 ]
	[ "$(truth counted)" -eq "$(count "$1")" ]
}

@test "each value has the stack of the call that added it" {
	kept customs 1000 <<<'pprof-collect --profile values -o v.pb.gz --pid $pid 2>summary'
	check_customs v.pb.gz 1000
	grep '^values: 3501 values in ' summary
}

@test "threads that add the same values at once" {
	kept customs 500 8 <<<'pprof-collect -q --profile values -o v.pb.gz --pid $pid'
	check_customs v.pb.gz 500
	[ "$(truth doubled)" -eq $((7 * 2000)) ]
}

@test "a deep stack is truncated, and shows it" {
	kept customs 2 <<<'pprof-collect -q --profile deep -o v.pb.gz --pid $pid'
	[ "$(show sample v.pb.gz | cut -f 3)" = "[truncated: too deep]$(printf ';dig%.0s' {1..32})" ]
}

@test "the name of the output file, labels, and text" {
	kept customs 2 <<-'END'
		pprof-collect -q --profile values --labels pid,comm --pid $pid
		pprof-collect -q --profile values --debug 1 -o text.txt --pid $pid
		pprof-collect -q --profile empty --debug 1 -o empty.txt --pid $pid
	END
	[ "$(count pprof.customs.*.values.pb.gz '$2 ~ /comm=customs/ && $2 ~ /pid=/')" -eq 8 ]
	[ "$(head -n 1 text.txt)" = 'values profile: total 8' ]
	[ "$(sed -n 's/^\([0-9]*\) @.*/\1/p' text.txt | xargs)" = '4 2 1 1' ]
	[ "$(head -n 1 empty.txt)" = 'empty profile: total 0' ]
	"$lib/read-profile" text.txt text
}

@test "pprof-collect list" {
	kept customs 100 <<<'pprof-collect list --pid $pid' >list
	grep -x 'values 351' list
	grep -x 'deep 1' list
	grep -x 'empty 0' list
	grep -x 'thread 1' list
	grep -x 'cpu 0' list
	LC_ALL=C sort -c -k 1,1 list
}

@test "a user may read own processes only" {
	vm <<-'END'
		enter_empty
		customs 2 >/dev/null < <(sleep 100) &
		await 'pprof-collect list --pid '$!' | grep -q values'
		refused 'you may not profile process' as-nobody pprof-collect list --pid $!
		refused 'you may not profile process' as-nobody pprof-collect --profile values --pid $!
		kill $!
		rm -f /run/e2e/gate; mkfifo -m 666 /run/e2e/gate
		as-nobody sh -c 'customs 2 >/dev/null </run/e2e/gate &
			exec 9>/run/e2e/gate
			until pprof-collect list --pid $! | grep -x "values 8"; do sleep 0.1; done' &
		wait $!
	END
}

@test "wrong options are refused" {
	kept customs 2 <<-'END'
		enter_empty
		refused "process $pid keeps no such profile: see 'pprof-collect list --pid $pid'" pprof-collect --profile value --pid $pid
		refused "process $$ keeps no such profile: see" pprof-collect --profile value --pid $$
		refused 'takes one --pid' pprof-collect --profile value --all
		refused 'takes one --pid' pprof-collect --profile value -- true
		refused 'the profile types are' pprof-collect --profile cpu,values --pid $pid
		refused 'leave out' pprof-collect --profile values --labels tid --pid $pid
		refused 'no process has the pid' pprof-collect list --pid 4000000
		refused 'give --pid PID' pprof-collect list
	END
}

@test "wrong arguments, names, order and files" {
	vm client errors
	vm as-nobody client errors
}

@test "the bounds on profiles, values and frames" {
	LIMIT=1000 vm client bounds
}

@test "children and threads, while values are added and removed" {
	vm <<<'client forks "$(rounds 20 2000)"'
}

@test "threads with file tables of their own, and a client's number that is another file" {
	vm client files
	vm as-nobody client files
}

@test "the quota of a user: processes that have ended do not count" {
	vm as-nobody client heirs 5
	LIMIT=1000 vm as-nobody client crowd 1024
	LIMIT=1000 vm client crowd 1025 | grep '^one more process: success'
}

@test "execs, exits and inherited files, while all values are read" {
	LIMIT=10000 vm <<<'client storm "$(rounds 10 2000)"'
	LIMIT=10000 vm <<<'as-nobody client storm "$(rounds 10 2000)"'
}

@test "after an exec or a kill no value stays, though a child keeps the file open" {
	vm <<-'END'
		for i in $(seq "$(rounds 3 200)"); do
			client leave sleep 1000 >/dev/null &
			pid=$!
			await_sleep $pid
			pprof-collect list --pid $pid >/run/e2e/list
			grep -q '^thread ' /run/e2e/list
			fails grep '^v ' /run/e2e/list
			child=$(cat /proc/$pid/task/$pid/children)
			pprof-collect list --pid $child >/run/e2e/list
			grep -q '^thread ' /run/e2e/list
			fails grep '^v ' /run/e2e/list
			kill -9 $pid $child
			wait $pid || true
			customs 2000 4 </dev/null >/dev/null &
			pid=$!
			sleep "0.0$((RANDOM % 10))"
			kill -9 $pid || true
			wait $pid || true
		done
	END
	vm <<<'await "rmmod pprof"; insmod "$module"'
}

@test "the module cannot be unloaded while a client file is open" {
	vm <<-'END'
		exec 7>/dev/pprof
		fails rmmod pprof
		exec 7>&-
		as-nobody client leave sleep 1000 >/dev/null &
		pid=$!
		await_sleep $pid
		fails rmmod pprof
		kill $(cat /proc/$pid/task/$pid/children) $pid
		wait $pid || true
		await "rmmod pprof"
		insmod "$module"
	END
}

@test "values are added and removed while they are read" {
	LIMIT=1000 vm <<-'END'
		client forks 100000 >/dev/null &
		pid=$!
		await 'pprof-collect list --pid $pid 2>/dev/null | grep -q "^v "'
		for i in 1 2 3 4 5; do
			pprof-collect -q --profile v --debug 1 -o - --pid $pid >/run/e2e/text
			grep -q '^v profile: total [0-5]$' /run/e2e/text
		done
		kill $pid
		wait $pid || true
		fails pprof-collect -q --profile v --debug 1 -o - --pid $pid >/run/e2e/text 2>/run/e2e/err
		grep 'no process' /run/e2e/err
	END
}

@test "a reader that waits for its own memory delays readers of the same session only" {
	vm <<-'END'
		sysctl -qw vm.unprivileged_userfaultfd=1
		as-nobody readers
	END
}

@test "the example: open connections by their port" {
	kept connections 7001 7002 <<-'END'
		for i in 1 2 3; do eval "exec 2$i<>/dev/tcp/127.0.0.1/7001"; done
		exec 30<>/dev/tcp/127.0.0.1/7002
		await 'pprof-collect list --pid $pid | grep -x "connections 4" >/dev/null'
		pprof-collect -q --profile connections -o four.pb.gz --pid $pid
		echo quit >&21
		exec 30>&-
		await 'pprof-collect list --pid $pid | grep -x "connections 2" >/dev/null'
	END
	[ "$(count four.pb.gz '$3 ~ /;accept_user$/')" -eq 3 ]
	[ "$(count four.pb.gz '$3 ~ /;accept_admin$/')" -eq 1 ]
}
