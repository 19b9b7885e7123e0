#!/usr/bin/env bats
# Rights as tables: a row is a user that looks, a column an object. look.c explains the words.

# bats file_tags=rights
load ../lib/helpers

# The columns:
#   - a process of the user nobody, of another user, and of root
#   - an undumpable process of nobody (its file is unreadable)
#   - a kernel thread
#   - the first process with unwind tables, as the collector does
#   - the process of the other user, in a session for all
#   - thread creations
#   - the list of sessions
#
# A row of the standard input is a name, and a command that runs look with other rights.
# Prints the words for each name. PIDS and OTHER are for the script behind.
look() {
	{
		cat <<-'END'
			start() { # COMMAND...
				"$@" 1000 >/dev/null &
				pids+=($!)
			}
			row() { # NAME COMMAND...
				echo "$1" $("${@:2}" sh -c '
					for pid in $PIDS 2; do look process $pid; done
					set -- $PIDS
					look tables $1
					look everybody $2
					look audit
					look status')
			}
			install -m 711 $bin/blink /run/e2e/unreadable
			start as-nobody blink
			start setpriv --reuid 1 blink
			start blink
			start as-nobody env /run/e2e/unreadable
			export PIDS=${pids[*]}
			start as-nobody blink
			export OTHER=$!
			for pid in "${pids[@]}"; do await_sleep $pid; done
		END
		sed 's/^/row /'
	} | LIMIT=300 vm
}

# CAP_SYS_PTRACE alone does not open /proc/PID/auxv of other users.
@test "users and capabilities" {
	look >seen <<-'END'
		root env
		perfmon holder +perfmon
		net_admin holder +net_admin
		sys_ptrace holder +sys_ptrace
		nobody as-nobody
	END
	compare <<-'END'
		root        data  data    data    data    EOPNOTSUPP  data  data   data   data
		perfmon     data  data    data    data    EOPNOTSUPP  data  data   EPERM  EPERM
		net_admin   data  EACCES  EACCES  EACCES  EOPNOTSUPP  data  EPERM  EPERM  data
		sys_ptrace  data  EACCES  EACCES  EACCES  EOPNOTSUPP  data  EPERM  EPERM  EPERM
		nobody      data  EACCES  EACCES  EACCES  EOPNOTSUPP  data  EPERM  EPERM  EPERM
	END
}

# Root of a user namespace has no rights outside of it. By the rules of ptrace it may not even
# trace processes of its own user there. Pids are those of the caller's namespace, in which the
# targets have none. Netlink has pids of the initial namespace, and is refused in others.
@test "namespaces" {
	look >seen <<-'END'
		user as-nobody unshare --user --map-root-user
		pid unshare --pid --fork --mount-proc
		pid_only unshare --pid --fork
		net unshare --net
	END
	compare <<-'END'
		user      EACCES EACCES  EACCES  EACCES  EOPNOTSUPP  EACCES  EPERM    EPERM   EPERM
		pid       ESRCH  ESRCH   ESRCH   ESRCH   ESRCH       ESRCH   nothing  EPERM   EPERM
		pid_only  ESRCH  ESRCH   ESRCH   ESRCH   ESRCH       ESRCH   nothing  EPERM   EPERM
		net       data   data    data    data    EOPNOTSUPP  data    data     ENOENT  ENOENT
	END
}

# The columns, see "look calls":
#   - of a process of root: the exec id, the names of its profiles (there are none), the
#     values of one
#   - of a child of the caller: attaching it, samples of all sources
#   - probes of heap
#   - labels of the caller
@test "calls and sources: none shows a kernel address" {
	vm >seen <<-'END'
		start_ready blink 1000
		row() { # NAME COMMAND...
			echo "$1" $("${@:2}" look calls $pid)
		}
		row root env
		row perfmon holder +perfmon
		row net_admin holder +net_admin
		row sys_ptrace holder +sys_ptrace
		row nobody as-nobody
		row user as-nobody unshare --user --map-root-user
	END
	compare <<-'END'
		root        data    data    ENOENT  data  data  data   data
		perfmon     data    data    ENOENT  data  data  data   data
		net_admin   EACCES  EACCES  EACCES  data  data  EPERM  data
		sys_ptrace  EACCES  EACCES  EACCES  data  data  EPERM  data
		nobody      EACCES  EACCES  EACCES  data  data  EPERM  data
		user        EACCES  EACCES  EACCES  data  data  EPERM  data
	END
}

# The module asks the true /proc for rights, or else refuses.
# bats test_tags=once
@test "an empty /proc, and false ones" {
	look >seen <<-'END'
		nothing behind nothing as-nobody
		files behind files as-nobody
		fifos behind fifos as-nobody
		binds behind binds as-nobody
		root behind fifos env
	END
	compare <<-'END'
		nothing  EACCES  EACCES  EACCES  EACCES  EOPNOTSUPP  EACCES  EPERM  EPERM  EPERM
		files    EACCES  EACCES  EACCES  EACCES  EOPNOTSUPP  EACCES  EPERM  EPERM  EPERM
		fifos    EACCES  EACCES  EACCES  EACCES  EOPNOTSUPP  EACCES  EPERM  EPERM  EPERM
		binds    data    EACCES  EACCES  EACCES  EOPNOTSUPP  EPERM   EPERM  EPERM  EPERM
		root     data    data    data    data    EOPNOTSUPP  data    data   data   data
	END
}

# While the module waits for that /proc, it must not keep the memory of the process alive.
# bats test_tags=once
@test "a /proc that never answers does not keep a process's memory" {
	vm <<<'modprobe -q fuse; chmod 666 /dev/fuse' || skip 'this kernel has no FUSE'
	vm <<-'END'
		available() { awk '/^MemAvailable/ { print $2 }' /proc/meminfo; }
		before=$(available)
		python3 -c 'import time; x = b"x" * (100 << 20); time.sleep(1000)' & holder=$!
		await "[[ \$(available) -lt $((before - 80000)) ]]"
		as-nobody stuck $holder >asked & stuck=$!
		await '[[ -s asked ]]'
		kill -KILL $holder
		await "[[ \$(available) -gt $((before - 50000)) ]]"
		kill -KILL $stuck
		await '[[ $(</sys/module/pprof/refcnt) -eq 0 ]]'
	END
}

@test "processes of a pid namespace, by their pids in it" {
	vm >seen <<-'END'
		inside() { # NAME COMMAND...
			rm -f /run/e2e/blinks
			install -m 666 /dev/null /run/e2e/blinks
			"${@:2}" sh -c 'blink 1000 >/run/e2e/blinks &
				until [ -s /run/e2e/blinks ]; do sleep 0.1; done
				echo $0 $! $(look process $!) $(look everybody $!)' "$1"
		}
		inside root unshare --pid --fork --mount-proc
		inside root unshare --pid --fork
		inside nobody as-nobody unshare --user --map-root-user --pid --fork --mount-proc
		inside nobody as-nobody unshare --user --map-root-user --pid --fork
	END
	compare <<-'END'
		root    2  data    data
		root    2  data    data
		nobody  2  data    EPERM
		nobody  2  EACCES  EPERM
	END
}

# bats test_tags=once
@test "a setuid program that any thread executes, while its user attaches" {
	LIMIT=1000 vm <<-'END'
		install -m 4755 $bin/suid /run/e2e/suid
		as-nobody execrace /run/e2e/suid $(rounds 10 300)
	END
}

@test "a listener that joined all multicast groups before gets no thread creations" {
	vm <<-'END'
		rmmod pprof
		as-nobody groups >heard &
		await '[[ -s heard ]]'
		insmod $module
		pprof-collect audit --json >audit 2>/dev/null &
		await '[[ $(</sys/module/pprof/refcnt) -ge 1 ]]'
		clones --raw 100 >/dev/null
		kill -INT %2
		wait %2
		kill %1
	END
	[ "$(wc -l <audit)" -ge 100 ]
	cat heard
	[[ $(<heard) =~ ^joined\ [1-9][0-9]*$ ]]
}

# Tables decide which memory is read. CAP_PERFMON alone is a right to stacks.
@test "unwind tables of other users' processes take CAP_SYS_PTRACE" {
	vm >seen <<-'END'
		setpriv --reuid 1 blink 1000 >/dev/null & pid=$!
		await_sleep $pid
		for caps in +perfmon +perfmon,+sys_ptrace +sys_ptrace; do
			echo $caps $(holder $caps look process $pid) $(holder $caps look tables $pid) \
				$(holder $caps look everybody $pid) $(holder $caps look all_tables $pid)
		done
	END
	compare <<-'END'
		+perfmon data EPERM data EPERM
		+perfmon,+sys_ptrace data data data data
		+sys_ptrace EACCES EACCES EPERM EPERM
	END
}

@test "kernel.perf_event_paranoid, or the parameter users, keeps users out" {
	vm >seen <<-'END'
		enter_empty
		paranoid=/proc/sys/kernel/perf_event_paranoid
		parameter=/sys/module/pprof/parameters/users
		trap 'echo 2 >$paranoid; echo -1 >$parameter' EXIT
		row() {
			echo "$1" $(as-nobody look process $pid) $(look process $pid) \
				$(holder +perfmon look process $pid)
		}
		as-nobody burn 1000 >/dev/null & pid=$!
		await '[[ $(</proc/$pid/comm) = burn ]]'
		for value in -1 2 3; do echo $value >$paranoid; row "sysctl $value"; done
		refused 'kernel.perf_event_paranoid is over 2' as-nobody pprof-collect --pid $$ --seconds 1
		pprof-collect status
		echo 1 >$parameter; row 'parameter 1'
		echo 0 >$parameter; echo 2 >$paranoid; row 'parameter 0'
		AS=as-nobody follow_advice problem device >advice
	END
	compare <<-'END'
		sysctl -1 data data data
		sysctl 2 data data data
		sysctl 3 EACCES data data
		pprof-collect: users may not profile (kernel.perf_event_paranoid is over 2): run as root, or let root write 1 to /sys/module/pprof/parameters/users
		no sessions
		users may not profile (kernel.perf_event_paranoid is 3)
		parameter 1 data data data
		parameter 0 EACCES data data
	END
}

# Ids 0 to 5 of a user namespace that nobody made, which are 100000 to 100005 outside.
@test "all ids of a user namespace have the sessions of one user" {
	vm >seen <<-'END'
		enter_empty
		mkfifo -m 666 mapped end
		as-nobody unshare --user --keep-caps bash -c '
			read <mapped
			for id in {0..5}; do
				setpriv --reuid $id bash -c "exec 3<>/dev/pprof && echo opened && read <end" &
			done
			wait' >said 2>&1 &
		await 'ns=$(readlink /proc/$!/ns/user) && [[ $ns != $(readlink /proc/self/ns/user) ]]'
		await '[[ $(</proc/$!/comm) = bash ]]'
		echo '0 100000 6' >/proc/$!/uid_map
		echo >mapped
		await '[[ $(wc -l <said) -eq 6 ]]'
		sort said
	END
	compare <<-'END'
		bash: line 1: /dev/pprof: Too many open files
		bash: line 1: /dev/pprof: Too many open files
		opened
		opened
		opened
		opened
	END
}

# CPU 1 is isolated as for nohz_full: no kernel thread that may run elsewhere is woken there.
# bats test_tags=once
@test "a user interrupts the CPUs that he does not use less than 20 times a second" {
	LIMIT=400 vm <<-'END'
		echo 1 >/sys/devices/virtual/workqueue/cpumask
		ps -eo pid= | while read -r pid; do taskset -p 1 $pid >/dev/null 2>&1 || true; done
		for mode in start setup snapshot; do as-nobody interrupts $mode; done >rates
		ps -eo pid= | while read -r pid; do taskset -p 3 $pid >/dev/null 2>&1 || true; done
		echo 3 >/sys/devices/virtual/workqueue/cpumask
		cat rates
	END
	figures cat rates
	while IFS='=' read -r mode rate; do
		within "$rate" 0 20 || { echo "$mode: $rate"; return 1; }
	done <rates
}

# 128 pages of each CPU are free, as with perf. The rest counts as locked memory, of which the user
# may have 128 KiB here.
@test "the buffers of a user's second session count for RLIMIT_MEMLOCK" {
	vm <<-'END'
		start_ready as-nobody idle
		ulimit -l 128
		as-nobody pprof-collect -q --pid $pid -o - >one.pb.gz & one=$!
		await_session 1
		enter_empty
		refused "maybe by 'ulimit -l'" as-nobody pprof-collect --pid $pid --seconds 1
		as-nobody pprof-collect -q --buffer-pages 8 --pid $pid --seconds 0.1 -o - >two.pb.gz
		kill -INT $one
		wait $one
		as-nobody pprof-collect -q --pid $pid --seconds 0.1 -o - >three.pb.gz
	END
}

@test "an unprivileged user's sessions and rings are few and small" {
	vm as-nobody session user
	vm session bounds
}
