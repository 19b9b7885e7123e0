#!/usr/bin/env bats
# Processes start and end as fast as they can, or are traced, stopped and killed, while all
# processes are sampled at 1 kHz. The counts of records must be exact (account.c). In some
# tests a collector runs, too: then processes have ranges and tables, which children inherit.
# shellcheck disable=SC2016 # awk's

load ../e2e/lib/helpers

@test "a storm of threads" {
	LIMIT=10000 figures vm <<-'END'
		account --least 100 100000 all >sums & pid=$!
		stormer $(rounds 3 60)
		clones --raw $(rounds 2000 100000)
		kill $pid
		wait $pid
		cat sums
	END
	at_least "$(truth created figures | head -n 1)" 500
}

@test "a fork bomb" {
	LIMIT=10000 figures vm <<-'END'
		account --least 100 --tables 100000 all >sums & pid=$!
		pprof-collect -q --hz 1000 -o bomb.pb.gz -- \
			prlimit --nproc=200 as-nobody bomb $(rounds 500 2000)
		kill $pid
		wait $pid
		cat sums
	END
	at_least "$(truth forks figures)" 500
}

@test "programs that execute themselves, from any of their threads" {
	LIMIT=10000 figures vm <<-'END'
		execs=$(rounds 100 1000)
		hold "exec execloop $execs"
		pprof-collect -q --hz 1000 --pid $pid -o loop.pb.gz & loop=$!
		account --least 100 --tables 100000 $pid >one & one=$!
		account --least 100 100000 all >all & all=$!
		await_session 3
		release
		all_well $pid $loop
		wait $one || { cat one; exit 1; }
		kill $all
		wait $all
		cat one all
		echo "execs=$execs"
	END
	# The process events have all execs, or count them as lost.
	at_least "$(awk '$1 == "events:" { print $2; exit }' figures)" "$(truth execs figures)"
}

# At the end of do_exit(), objects that a thread points to may have been freed.
@test "threads whose CPU is taken from them as they end" {
	LIMIT=10000 figures vm <<-'END'
		tails hog &
		hold "exec tails $(rounds 5 30)"
		account --least 100 --hz 10000 100000 $pid >sums & account=$!
		await_session
		release
		wait $pid
		wait $account
		cat sums
	END
}

@test "1,000 short-lived processes" {
	LIMIT=10000 figures vm <<-'END'
		account --least 100 100000 all >sums & pid=$!
		pprof-collect -q --all --hz 1000 --labels comm,pid --profile cpu,threadcreate \
			--seconds 1000 & all=$!
		await_session 2
		forks 1000 8
		kill $pid
		wait $pid
		kill -INT $all
		wait $all
		cat sums
	END
	[ "$(count pprof.all.cpu.pb.gz '$2 ~ /comm=forks/ && $3 ~ /;child_work(;|$)/')" -ge 1000 ]
	# A busy host delivers one tick in seven: then only half of the processes have a sample.
	at_least "$(show sample pprof.all.cpu.pb.gz | cut -f 2 | grep comm=forks | sort -u | wc -l)" 400
}

@test "pids that are used again" {
	LIMIT=10000 figures vm <<-'END'
		pidreuse $(rounds 4 500)
	END
}

@test "signals as fast as they come" {
	LIMIT=10000 figures vm <<-'END'
		hold "exec sigstorm $(rounds 3 60)"
		account --least 100 --hz 2000 100000 $pid >sums & account=$!
		await_session
		release
		all_well $pid $account
		cat sums
	END
	at_least "$(truth signals figures)" 300
}

# A program is sampled in each of these states (odd.c).
@test "traced, jailed, vforking, and with memory that no process fills in" {
	LIMIT=10000 figures vm <<-'END'
		for kind in traced jailed vforks absent; do
			odd $kind & pid=$!
			traced=0
			[[ $kind != traced ]] || traced='[1-9][0-9]*'
			await 'grep -q "^TracerPid:\s$traced$" /proc/$pid/status'
			account --least 100 $(rounds 1 20) $pid >sums
			grep -q "^TracerPid:\s$traced$" /proc/$pid/status
			[[ $kind != absent ]] || pprof-collect -q --hz 1000 --unwind fp \
				--seconds 0.5 --pid $pid -o absent.pb.gz
			kill -KILL $pid
			wait $pid || true
			echo $kind
			cat sums
		done
	END
	at_least "$(count absent.pb.gz '$3 ~ /^\[truncated: stack not readable\]/')" 100
}

@test "stopped and frozen processes" {
	LIMIT=10000 figures vm <<-'END'
		mkdir -p /run/e2e/cgroup
		mount -t cgroup2 none /run/e2e/cgroup
		group=/run/e2e/cgroup/frozen
		mkdir $group
		threads4 10000 >/dev/null & pid=$!
		echo $pid >$group/cgroup.procs
		hold() { echo 1 >$group/cgroup.freeze; await "grep -q 'frozen 1' $group/cgroup.events"; }
		let_go() { echo 0 >$group/cgroup.freeze; }
		hold
		account 1 $pid >none
		account --least 10 100000 $pid >some & account=$!
		await_session
		for ((i = 0; i < $(rounds 4 300); i++)); do
			let_go
			sleep 0.05
			hold
			kill -STOP $pid
			let_go
			sleep 0.02
			hold
			kill -CONT $pid
		done
		echo "$i times stopped, and frozen twice"
		let_go
		kill $pid
		wait $account
		rmdir $group
		umount /run/e2e/cgroup
		cat none some
		grep -qx 'cpu: 0 produced, 0 taken, 0 lost' none
	END
}

# Memory runs out in a cgroup, for a session's rings, and by SysRq-f in the whole system.
@test "memory runs out" {
	LIMIT=10000 figures vm <<-'END'
		mkdir -p /run/e2e/cgroup
		mount -t cgroup2 none /run/e2e/cgroup
		echo +memory >/run/e2e/cgroup/cgroup.subtree_control
		group=/run/e2e/cgroup/small
		mkdir $group
		echo 64M >$group/memory.max
		killed() { # PID
			local code=0
			wait $1 || code=$?
			[[ $code -eq 137 ]]
		}
		account --least 100 100000 all >sums & account=$!
		for ((i = 0; i < $(rounds 2 50); i++)); do
			sh -c "echo \$\$ >$group/cgroup.procs; exec /usr/bin/tail /dev/zero" & hog=$!
			pprof-collect -q --hz 1000 --pid $hog -o hog.pb.gz || true
			sh -c "echo \$\$ >$group/cgroup.procs; exec session full"
			killed $hog
		done
		echo "$i times no memory in a cgroup, and for rings"
		for ((i = 0; i < $(rounds 2 50); i++)); do
			sh -c 'echo 1000 >/proc/self/oom_score_adj; exec burn 1000' & hog=$!
			pprof-collect -q --hz 1000 --pid $hog -o hog.pb.gz & collector=$!
			await_session 2
			echo f >/proc/sysrq-trigger
			killed $hog
			wait $collector
		done
		echo "$i times the OOM killer"
		kill $account
		wait $account
		rmdir $group
		umount /run/e2e/cgroup
		cat sums
	END
}
