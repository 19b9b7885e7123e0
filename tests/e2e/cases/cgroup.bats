#!/usr/bin/env bats
# The processes of a cgroup, as they come and leave; and the labels of cgroups.
# shellcheck disable=SC2016 # awk's, and the VM's

load ../lib/helpers

setup_file() {
	enter "${BATS_TEST_FILENAME##*/}"
	vm <<<'insmod "$module"; mkdir -p /run/cg; mount -t cgroup2 none /run/cg'
	check_kernel_log
}

teardown_file() {
	enter "${BATS_TEST_FILENAME##*/}"
	vm <<<'rmmod pprof; umount /run/cg'
	check_kernel_log
}

# A script in the VM, with cgroups of its own: $cg/in, $cg/in/below and $cg/out.
in_vm() {
	{
		cat <<-'END'
		cg=/run/cg
		rmdir $cg/in/below $cg/in $cg/out 2>/dev/null || true
		mkdir -p $cg/in/below $cg/out
		within() { # CGROUP COMMAND...
			sh -c 'echo 0 >"$0"/cgroup.procs; exec "$@"' "$cg/$1" "${@:2}"
		}
		await_comm() { # COMM CGROUP...: the only process of each executes COMM
			local cgroup
			for cgroup in "${@:2}"; do
				await "[[ \$(cat /proc/\$(<$cg/$cgroup/cgroup.procs)/comm) = $1 ]]" 2>/dev/null
			done
		}
		END
		cat
	} | vm
}

# bats test_tags=each
@test "programs inside, below, and outside" {
	in_vm <<-'END'
		pprof-collect --profile threadcreate --labels comm --cgroup /in -o in.pb.gz 2>summary &
		await_session
		within in clones --raw 1000
		within in/below clones --raw 2000
		within out clones --raw 4000
		clones --raw 4000
		kill -INT %1
		wait %1
	END
	[[ $(<summary) = "threadcreate: 3000 threads in "*", 0 lost, "* ]]
	[ "$(count in.pb.gz)" -eq 3000 ]
	[ "$(count in.pb.gz '$3 ~ /(^|;)main;create_all;site_a;create;raw_clone$/')" -eq 1500 ]
}

# bats test_tags=each
@test "children inside, a child that clone3() puts inside, and one that it puts outside" {
	in_vm <<-'END'
		pprof-collect -q --profile threadcreate --cgroup /in -o in.pb.gz &
		await_session
		within in sh -c 'clones --raw 100; (clones --raw 200; clones --raw 400); :'
		cgroups run $cg/in clones --raw 1000
		within in cgroups run $cg/out clones --raw 8000
		kill -INT %1
		wait %1
	END
	[ "$(count in.pb.gz)" -eq 1700 ]
}

# bats test_tags=each
@test "a process that comes, leaves and comes again" {
	in_vm <<-'END'
		pprof-collect -q --profile threadcreate --labels pid --cgroup $cg/in -o in.pb.gz &
		await_session
		echo 'echo $$ >pid
		clones --raw 8000; echo 0 >/run/cg/in/cgroup.procs
		clones --raw 100; echo 0 >/run/cg/out/cgroup.procs
		clones --raw 8000; echo 0 >/run/cg/in/below/cgroup.procs
		clones --raw 200; echo 0 >/run/cg/in/cgroup.procs
		clones --raw 400; echo 0 >/run/cg/cgroup.procs
		clones --raw 8000' >moves
		sh moves
		kill -INT %1
		wait %1
	END
	[ "$(count in.pb.gz)" -eq 700 ]
}

# Its threads run all the time, on a CPU each. They do not wait for a switch.
# bats test_tags=each
@test "a process is moved while its threads run" {
	in_vm <<-'END'
		threads4 1000 & pid=$!
		await "[[ \$(ls /proc/$pid/task | wc -l) -eq 5 ]]"
		pprof-collect --hz 1000 --cgroup /in -o in.pb.gz 2>summary & collector=$!
		await_session
		sleep 0.5
		[[ $(produced cpu) -eq 0 ]]
		echo $pid >$cg/in/cgroup.procs
		await '[[ $(produced cpu) -ge 500 ]]'
		echo $pid >$cg/out/cgroup.procs
		before=$(produced cpu)
		sleep 0.5
		[[ $(produced cpu) -eq $before ]]
		echo $pid >$cg/in/below/cgroup.procs
		await '[[ $(produced cpu) -ge $((before + 500)) ]]'
		kill -INT $collector
		wait $collector
		kill $pid
	END
	at_least "$(count in.pb.gz)" 1000
	# The tables are sent after the process came, each time. Until then its stacks are truncated.
	at_least "$(count in.pb.gz '$3 ~ /;run_worker;/')" 100
	run ! grep 'ended early' summary
}

# bats test_tags=once
@test "processes that are there before, also the one that a user owns" {
	in_vm <<-'END'
		within in burn 1000 &
		within in/below as-nobody burn 1000 &
		within out burn 1000 &
		await_comm burn in in/below out
		one=$(<$cg/in/cgroup.procs)
		two=$(<$cg/in/below/cgroup.procs)
		pprof-collect -q --hz 1000 --labels pid --cgroup in --seconds 1.5 -o in.pb.gz
		printf 'one=%s\ntwo=%s\n' $one $two >truth
	END
	at_least "$(count in.pb.gz "\$2 == \"pid=$(truth one)\" && \$3 ~ /;burn;spin$/")" 100
	at_least "$(count in.pb.gz "\$2 == \"pid=$(truth two)\" && \$3 ~ /;burn;spin$/")" 100
	[ "$(count in.pb.gz "\$2 !~ /^pid=($(truth one)|$(truth two))$/")" -eq 0 ]
	# Their tables were there before the first sample.
	[ "$(count in.pb.gz '$3 ~ /^\[truncated/')" -eq 0 ]
}

@test "growth and thread: what is inside, and nothing else" {
	in_vm <<-'END'
		start_parked 8
		echo $pid >$cg/in/below/cgroup.procs
		pprof-collect -q --profile growth,thread --labels comm --cgroup /in & collector=$!
		await_session
		within in grow small >truth
		within out grow small >/dev/null
		kill -INT $collector
		wait $collector
		mv pprof.in.growth.pb.gz growth.pb.gz
		mv pprof.in.thread.pb.gz thread.pb.gz
	END
	[ "$(count thread.pb.gz)" -eq 9 ]
	[ "$(count thread.pb.gz '$3 ~ /;park_in_(futex|poll|sleep|read)/')" -eq 8 ]
	within "$(amount growth.pb.gz '$3 ~ /(^|;)main;grow;fill;/')" \
		$(($(truth fill) * 98 / 100)) $(($(truth fill) * 102 / 100))
	[ "$(count growth.pb.gz '$2 != "comm=grow" && $2 != "comm=sh"')" -eq 0 ]
}

@test "a cgroup that is removed ends the run" {
	in_vm <<-'END'
		rmdir $cg/in/below
		pprof-collect --profile threadcreate --cgroup /in -o in.pb.gz 2>summary &
		await_session
		within in clones --raw 1000
		within in clones --raw 500
		sleep 0.3
		kill -0 %1
		rmdir $cg/in
		mkdir $cg/in
		wait %1
		ls
	END
	[ "$(count in.pb.gz)" -eq 1500 ]
}

@test "the root, and the name of the file" {
	in_vm <<-'END'
		enter_empty
		pprof-collect -q --profile threadcreate --cgroup / &
		await_session
		within in/below clones --raw 1000
		clones --raw 500
		kill -INT %1
		wait %1
		pprof-collect -q --profile thread --cgroup /in/below/
		cp pprof.root.threadcreate.pb.gz "$OLDPWD"
		ls >"$OLDPWD/names"
	END
	[ "$(count pprof.root.threadcreate.pb.gz '$3 ~ /;raw_clone$/')" -eq 1500 ]
	[ "$(xargs <names)" = 'pprof.below.thread.pb.gz pprof.root.threadcreate.pb.gz' ]
}

# bats test_tags=once
@test "processes that move, fork and end all the time: none is left, and the counts are right" {
	in_vm <<-'END'
		pprof-collect --profile threadcreate --hz 1000 --cgroup /in -o in.pb.gz 2>summary &
		await_session
		for i in 1 2 3 4; do
			sh -c 'i=0; while [ $i -lt 10 ]; do
				echo 0 >/run/cg/in/cgroup.procs; clones --raw 3
				echo 0 >/run/cg/out/cgroup.procs; clones --raw 5
				i=$((i + 1)); done' &
		done
		for i in $(seq 50); do
			for pid in $(<$cg/in/cgroup.procs); do
				echo $pid >$cg/in/below/cgroup.procs || true
			done
		done 2>/dev/null &
		all_well %2 %3 %4 %5
		wait %6
		pprof-collect status >status
		kill -INT %1
		wait %1
	END
	grep 'target  *0 processes' status
	[ "$(count in.pb.gz)" -eq 120 ]
}

@test "the calls of the module" {
	in_vm <<<'cgroups errors $cg/in'
}

@test "what cannot be profiled is refused in one sentence" {
	in_vm <<-'END'
		mkdir -p $cg/out/threaded
		enter_empty
		refused "there is no cgroup '/none' below /run/cg" pprof-collect --cgroup /none
		refused "there is no cgroup '/tmp'" pprof-collect --cgroup /tmp
		refused '--cgroup takes cpu, threadcreate, thread and growth' \
			pprof-collect --profile cpu,wall --cgroup /in
		refused 'leave --children out' pprof-collect --children --cgroup /in
		refused 'exclude each other' pprof-collect --all --cgroup /in
		refused '--cgroup needs CAP_PERFMON' as-nobody pprof-collect --cgroup /in
		refused '--cgroup needs CAP_PERFMON, and CAP_SYS_PTRACE' \
			holder +perfmon pprof-collect --cgroup /in
		echo threaded >$cg/out/threaded/cgroup.type
		refused 'the cgroup is threaded' pprof-collect --cgroup /out/threaded
		rmdir $cg/out/threaded
		mkdir -p /run/v1
		if mount -t cgroup -o none,name=old none /run/v1; then
			refused "'/run/v1' is a cgroup of v1" pprof-collect --cgroup /run/v1
			umount /run/v1
		fi
	END
}

# bats test_tags=collector
@test "labels of the cgroup, the container, the pod and the unit" {
	in_vm <<-'END'
		id=$(printf '%064d' 7)
		uid=6f3c62f1_44f5_4f4b_8a5e_0a8ed6d8e2b6
		container=in/kubepods-burstable-pod$uid.slice/cri-containerd-$id.scope
		mkdir -p $cg/$container $cg/in/web.service
		within $container burn 1000 &
		within in/web.service burn 1000 &
		within out burn 1000 &
		await_comm burn $container in/web.service out
		pprof-collect -q --hz 1000 --all --labels cgroup,container,pod,unit --seconds 1.5 \
			-o all.pb.gz
		kill $(cat $cg/$container/cgroup.procs $cg/in/web.service/cgroup.procs)
		await '! grep -q populated.1 $cg/in/cgroup.events'
		rmdir $cg/$container $cg/${container%/*} $cg/in/web.service
	END
	id=$(printf '%064d' 7)
	uid=6f3c62f1-44f5-4f4b-8a5e-0a8ed6d8e2b6
	# On a busy machine the run may be over before the tables of the stacks are there.
	at_least "$(count all.pb.gz "\$3 ~ /;spin\$/ && \$2 ~ /^cgroup=.in.kubepods-burstable-pod.*\.scope,container=$id,pod=$uid\$/")" 100
	at_least "$(count all.pb.gz '$3 ~ /;spin$/ && $2 == "cgroup=/in/web.service,unit=web.service"')" 100
	at_least "$(count all.pb.gz '$3 ~ /;spin$/ && $2 == "cgroup=/out"')" 100
}

# bats test_tags=collector
@test "--by cgroup: a file of a window for each cgroup" {
	in_vm <<-'END'
		mkdir windows
		within in burn 1000 &
		within in/below burn 1000 &
		await_comm burn in in/below
		pprof-collect -q --hz 1000 --every 1s --seconds 3.5 --by cgroup --dir windows --cgroup /in
		kill $(cat $cg/in/cgroup.procs $cg/in/below/cgroup.procs)
	END
	files=(windows/*.in.cpu.pb.gz)
	at_least "${#files[@]}" 2
	at_least "$(count "${files[1]}" '$2 == "cgroup=/in" && $3 ~ /;burn;spin$/')" 50
	[ "$(count "${files[1]}" '$2 != "cgroup=/in"')" -eq 0 ]
	files=(windows/*.below.cpu.pb.gz)
	at_least "$(count "${files[1]}" '$2 == "cgroup=/in/below" && $3 ~ /;burn;spin$/')" 50
	[ "$(count "${files[1]}" '$2 != "cgroup=/in/below"')" -eq 0 ]
}
