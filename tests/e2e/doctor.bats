#!/usr/bin/env bats
# pprof-collect doctor: what keeps profiles from being taken.

load helpers

said() { # MARK CHECK TEXT
	grep -E "^$1 +$2 +$3" lines
}

@test "all is well" {
	vm pprof-collect doctor >lines
	cat lines
	said ok kernel '6\.[0-9.]+'
	said ok module 'loaded, version [0-9]+\.[0-9]+$'
	said ok rights 'all processes, audit and status$'
	said ok device '/dev/pprof opens'
	run ! grep '^problem' lines
}

@test "a container with its own network" {
	vm unshare --net pprof-collect doctor >lines
	cat lines
	said warning rights 'all processes, but neither audit nor status: they work in the host'
	run ! grep '^problem' lines
}

@test "a container with its own pids: audit and status say so, too" {
	vm unshare --pid --fork --mount-proc pprof-collect doctor >lines
	cat lines
	said warning rights 'all processes of this pid namespace, but neither audit nor status'
	run ! grep '^problem' lines
	vm <<-'END'
		enter_empty
		refused "in the host's pid namespace" unshare --pid --fork pprof-collect status
		refused "in the host's pid namespace" unshare --pid --fork pprof-collect audit
	END
}

@test "a process, with what its files lack" {
	vm <<-'END' >lines
		cp "$(type -p burn)" stripped
		strip stripped
		./stripped 1000 >/dev/null & pid=$!
		await "grep -q libc /proc/$pid/maps"
		pprof-collect doctor --pid $pid
		kill $pid
	END
	cat lines
	said ok process '[0-9]+ \(stripped\) can be profiled$'
	said warning names '/.*/stripped has names? '
	said ok files '[0-9]+ with debug info, [0-9]+ with symbols only$'
}

@test "a user without rights" {
	run vm <<-'END'
		as-nobody pprof-collect doctor
		as-nobody pprof-collect doctor --pid 1
	END
	[ "$status" -eq 1 ]
	echo "$output" >lines
	cat lines
	[ "$(grep -c '^warning  rights     only processes of this user' lines)" -eq 2 ]
	[ "$(grep -c '^ok       device' lines)" -eq 2 ]
	said problem process 'process 1 is not yours'
}

@test "one's own process where Yama keeps tracers off" {
	vm test -e /proc/sys/kernel/yama/ptrace_scope || skip 'this kernel has no Yama'
	run vm <<-'END'
		before=$(</proc/sys/kernel/yama/ptrace_scope)
		trap 'echo $before >/proc/sys/kernel/yama/ptrace_scope' EXIT
		start_ready as-nobody idle
		echo 0 >/proc/sys/kernel/yama/ptrace_scope
		as-nobody pprof-collect doctor --pid $pid
		echo 1 >/proc/sys/kernel/yama/ptrace_scope
		as-nobody pprof-collect doctor --pid $pid
	END
	[ "$status" -eq 1 ]
	echo "$output" >lines
	cat lines
	said ok process '[0-9]+ \(idle\) can be profiled$'
	said problem process 'process [0-9]+ may not be traced by you'
}

@test "the module is not loaded" {
	run vm <<-'END'
		rmmod pprof
		cp "$module" pprof.ko
		code=0
		pprof-collect doctor || code=$?
		insmod pprof.ko
		exit $code
	END
	[ "$status" -eq 1 ]
	echo "$output" >lines
	cat lines
	said problem module "not loaded: run 'insmod pprof\.ko' as root$"
	run ! grep -E '^[a-z]+ +device' lines
	vm pprof-collect doctor
}
