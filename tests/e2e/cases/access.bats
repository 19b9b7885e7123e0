#!/usr/bin/env bats
# Rights to profile a process: the rules of /proc/PID/auxv and mem, or CAP_PERFMON.
# shellcheck disable=SC2016 # awk's

# bats file_tags=rights
load ../lib/helpers

@test "a user may profile an own process" {
	vm <<-'END'
		as-nobody burn 1000 & pid=$!
		await '[[ $(cat /proc/$!/comm) = burn ]]'
		as-nobody pprof-collect -q --hz 1000 --seconds 1 --pid $pid -o - >own.pb.gz
		as-nobody pprof-collect -q --hz 1000 -o - -- sh -c "burn $E2E_WIDER >&2" >start.pb.gz
	END
	at_least "$(count own.pb.gz '$3 ~ /(^|;)main;burn;spin$/')" 100
	at_least "$(count start.pb.gz '$3 ~ /(^|;)main;burn;spin$/')" 100
}

@test "a user may not profile a process of another user or of root, alone or with an own one" {
	vm <<-'END'
		setpriv --reuid 1 idle & other=$!
		as-nobody idle & own=$!
		await "[[ \$(cat /proc/$other/comm) = idle && \$(cat /proc/$own/comm) = idle ]]"
		enter_empty
		for pids in $other $$ 1 $own,1; do
			refused "you may not profile process ${pids#*,} " \
				as-nobody pprof-collect --seconds 1 --pid $pids
		done
	END
}

# Unwind tables say where the kernel reads. With false tables a user can read any memory of
# the process, so they take the right to trace it. So does its system call, as in /proc/PID/syscall.
# bats test_tags=once
@test "with Yama an own process has no tables, but a child has, and root may use them" {
	vm test -e /proc/sys/kernel/yama/ptrace_scope || skip 'this kernel has no Yama'
	vm <<-'END'
		before=$(</proc/sys/kernel/yama/ptrace_scope)
		trap 'echo $before >/proc/sys/kernel/yama/ptrace_scope' EXIT
		echo 1 >/proc/sys/kernel/yama/ptrace_scope
		as-nobody burn 1000 & pid=$!
		await '[[ $(cat /proc/$pid/comm) = burn ]]'
		enter_empty
		refused "you may not trace process $pid " \
			as-nobody pprof-collect --seconds 1 --pid $pid
		refused "you may not trace process $pid " \
			as-nobody pprof-collect --profile thread --pid $pid
		cd - >/dev/null
		as-nobody pprof-collect -q --hz 1000 --unwind fp --seconds 1 --pid $pid -o - >fp.pb.gz
		as-nobody pprof-collect -q --hz 1000 -o - -- sh -c 'burn 1 >&2' >child.pb.gz
		pprof-collect -q --hz 1000 --seconds 1 --pid $pid -o root.pb.gz
		as-nobody sleep 1000 & pid=$!
		await '[[ $(</proc/$pid/syscall) =~ ^(35|230)\  ]]'
		as-nobody look syscall $pid >words
		echo 0 >/proc/sys/kernel/yama/ptrace_scope
		as-nobody look syscall $pid >>words
	END
	[ "$(<words)" = $'hidden\ndata' ]
	for file in fp child root; do
		at_least "$(count $file.pb.gz '$3 ~ /;spin$/')" 100
	done
}

@test "an own process that is undumpable: only root may profile it" {
	vm <<-'END'
		start_ready as-nobody idle --undumpable
		enter_empty
		refused "you may not profile process $pid " \
			as-nobody pprof-collect --seconds 1 --pid $pid
		cd - >/dev/null
		umask 0
		pprof-collect -q --seconds 0.2 --pid $pid -o root.pb.gz
		pprof-collect -q --seconds 0.2 --pid $pid --debug 1
		[[ $(stat -c %a root.pb.gz pprof.*.txt) = $'600\n600' ]]
	END
}

@test "an own process that becomes undumpable: only root gets further stacks" {
	vm <<-'END'
		as-nobody pprof-collect -q --hz 1000 -o - -- sh -c 'hides 0.5 0.5 >&2' >own.pb.gz
		pprof-collect -q --hz 1000 -o root.pb.gz -- hides 0.5 0.5
	END
	for file in own root; do
		at_least "$(count $file.pb.gz '$3 ~ /(^|;)main;open_work;spin$/')" 100
	done
	[ "$(count own.pb.gz '$3 ~ /hidden_work/')" -eq 0 ]
	at_least "$(count own.pb.gz '$3 == "[truncated: no user stack]"')" 100
	at_least "$(count root.pb.gz '$3 ~ /(^|;)main;hidden_work;spin$/')" 100
}

@test "an own process that becomes undumpable: only root sees in which call it waits" {
	vm <<-'END'
		as-nobody pprof-collect -q --profile block -o - -- sh -c 'hides 0.1 0.1 >&2' >own.pb.gz
		pprof-collect -q --profile block -o root.pb.gz -- hides 0.1 0.1
	END
	for file in own root; do
		at_least "$(amount $file.pb.gz '$2 == "class=sleep" && $3 ~ /;open_work;/')" 190000000
	done
	[ "$(amount own.pb.gz '$2 != "class=other" && $3 == "[truncated: no user stack]"')" -eq 0 ]
	at_least "$(amount own.pb.gz '$2 == "class=other" && $3 == "[truncated: no user stack]"')" 190000000
	at_least "$(amount root.pb.gz '$2 == "class=sleep" && $3 ~ /;hidden_work;/')" 190000000
}

# Bits of linux/capability.h: 1, 2 and 3 for files, 19 SYS_PTRACE, 38 PERFMON, 40
# CHECKPOINT_RESTORE, and 12 NET_ADMIN for the audit, which writes no file. The thread that compiles
# tables has PERFMON alone.
@test "the collector gives up rights that it does not need; the program it starts keeps them" {
	vm <<-'END'
		effective() { grep -h CapEff "$@" | sort -u; }
		burn 1000 & pid=$!
		pprof-collect -q --pid $pid --seconds 1000 -o - >/dev/null & collector=$!
		pprof-collect audit --stacks >/dev/null 2>&1 & audit=$!
		await "grep -q 'CapEff:.*8000e$' /proc/$collector/status"
		await "grep -q 'CapEff:.*81004$' /proc/$audit/status"
		{ effective /proc/$collector/task/*/status; effective /proc/$audit/status; } >given_up
		pprof-collect -q -o - -- sh -c 'cat /proc/self/status >program' >/dev/null
		effective /proc/self/status >before
		effective program >after
		kill -INT $collector $audit
		wait $collector
		wait $audit
	END
	cat given_up
	[ "$(sed 's/.*\t0*//' given_up | tr '\n' ' ')" = '4000000000 1400008000e 14000081004 ' ]
	diff before after
}

@test "an undumpable process, profiled by a user with CAP_SYS_PTRACE in its namespace" {
	vm <<-'END'
		cat >run <<-'IN'
			hides 0.01 1000 >/run/e2e/hidden &
			until [ -s /run/e2e/hidden ]; do sleep 0.1; done
			pprof-collect -q --hz 1000 --seconds 1 --pid $! -o - >user.pb.gz
			kill $!
		IN
		install -m 666 /dev/null /run/e2e/hidden
		install -m 666 /dev/null user.pb.gz
		as-nobody unshare --user --map-root-user sh run
	END
	at_least "$(count user.pb.gz '$3 ~ /;hidden_work;spin$/')" 100
}

# A session needs rights to all of its targets. The last target may be attached late.
# bats test_tags=once
@test "undumpable processes in two user namespaces: not both in one session" {
	vm <<-'END'
		cat >run <<-'IN'
			hidden() { # FILE COMMAND...
				"${@:2}" hides 0.01 1000 >"$1" &
				until [ -s "$1" ]; do sleep 0.1; done
			}
			profile() { # PIDS
				pprof-collect -q --hz 1000 --seconds 1 --labels pid --pid "$1" -o -
			}
			cd /run/e2e/namespaces
			hidden outer.out env; outer=$!
			hidden inner.out unshare --user --map-root-user; inner=$!
			profile $outer >outer.pb.gz
			profile $inner >inner.pb.gz
			profile $outer,$inner >both.pb.gz
			kill $outer $inner
			printf 'outer=%s\ninner=%s\n' $outer $inner >truth
		IN
		mkdir -m 777 /run/e2e/namespaces
		as-nobody unshare --user --map-root-user bash run
		cp /run/e2e/namespaces/* .
	END
	for target in outer inner; do
		at_least "$(count $target.pb.gz '$3 ~ /;hidden_work;spin$/')" 100
		at_least "$(count both.pb.gz "\$2 == \"pid=$(truth $target)\" &&
			\$3 == \"[truncated: no user stack]\"")" 100
	done
	[ "$(count both.pb.gz '$3 ~ /hidden_work/')" -eq 0 ]
}

@test "no user, not even root, may profile a kernel thread" {
	vm <<-'END'
		enter_empty
		refused 'process 2 is a kernel thread' pprof-collect --seconds 1 --pid 2
		refused 'process 2 is' as-nobody pprof-collect --seconds 1 --pid 2
	END
}

@test "only root may use --all, audit and status" {
	vm <<-'END'
		enter_empty
		refused '--all needs CAP_PERFMON' as-nobody pprof-collect --seconds 1 --all
		refused 'cannot follow thread creations' as-nobody pprof-collect audit --seconds 1
		refused 'cannot list sessions' as-nobody pprof-collect status
	END
}

@test "CAP_PERFMON is enough for all processes, with CAP_SYS_PTRACE for the names" {
	# Stacks are complete once the collector has read the files: some seconds on a busy host.
	local seconds=1
	until
		vm <<-END
			burn 1000 &
			holder +perfmon,+sys_ptrace \
				pprof-collect -q --hz 1000 --all --seconds $seconds -o - >all.pb.gz
		END
		[[ $(count all.pb.gz '$3 ~ /;burn;spin$/') -ge 100 ]]
	do
		seconds=$((seconds * 2))
		[[ $seconds -le 32 ]] || fail 'few stacks are whole'
	done
}

# Programs that ptrace would refuse: setuid ones, and ones that the user may execute but not read.
@test "a target that executes a program with more rights, or an unreadable one, is dropped" {
	for mode in 4755 711; do
		run --separate-stderr vm <<-END
			install -m $mode \$bin/burn /run/e2e/other
			hold "burn \$E2E_WIDER; exec /run/e2e/other 1" as-nobody
			await '[[ \$(cat /proc/\$pid/comm) = sh ]]'
			as-nobody pprof-collect -q --hz 1000 --children --pid \$pid -o - >$mode.pb.gz &
			await_session
			release
			wait %2
		END
		[ "$status" -eq 0 ]
		[[ $stderr = *"ended early: they executed a program that you may not look into"* ]]
		at_least "$(count $mode.pb.gz '$3 ~ /(^|;)main;burn;spin$/')" 100
		[ "$(show mapping $mode.pb.gz | grep -c other)" -eq 0 ]
	done
}

# Unwind tables read any word of memory, so CAP_PERFMON alone is not enough for them.
@test "such a target is kept for root, and for a user with CAP_PERFMON without tables" {
	vm <<-'END'
		install -m 4755 $bin/burn /run/e2e/suid
		keeps() { # NAME OPTIONS COMMAND...
			local name=$1 options=$2
			shift 2
			hold "exec /run/e2e/suid $E2E_WIDER" as-nobody
			"$@" pprof-collect -q --hz 1000 --labels comm $options --pid $pid -o - \
				>$name.pb.gz 2>$name.said &
			collector=$!
			await_session
			release
			wait $collector
		}
		keeps root '' env
		keeps tables '' holder +perfmon,+sys_ptrace
		keeps fp '--unwind fp' holder +perfmon
		keeps refused '' holder +perfmon
	END
	for name in root tables; do
		at_least "$(count $name.pb.gz '$3 ~ /(^|;)main;burn;spin$/')" 100
	done
	at_least "$(count fp.pb.gz '$2 ~ /comm=suid/')" 100
	grep 'ended early: they executed a program that you may not look into' refused.said
}
