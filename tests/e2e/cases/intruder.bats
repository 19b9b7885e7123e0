#!/usr/bin/env bats
# A parser bug in the collector must not make the owner of a hostile file root: what each thread
# of root's collector may still do, by phase.

# bats file_tags=rights
load ../lib/helpers

# Prints for each thread of the process $collector: the phase, the thread, its capabilities and its
# mode of seccomp. The thread that compiles unwind tables is the second one.
# shellcheck disable=SC2016 # for the VM
show_rights='
	show_rights() { # PHASE
		local task thread caps
		for task in /proc/$collector/task/*; do
			thread=main; [ ${task##*/} = $collector ] || thread=tables
			caps=$(capsh --decode=$(awk "/^CapEff:/ { print \$2 }" $task/status))
			caps=${caps#*=}
			echo $1 $thread ${caps//cap_/} $(awk "/^Seccomp:/ { print \$2 }" $task/status)
		done
	}
'

# The pipe is full, so the collector waits in write() for its reader when it has found the symbols.
@test "capabilities and filters of a profile, by phase" {
	vm >seen <<-END
		$show_rights
		enter_empty
		burn 1000 >/dev/null & pid=\$!
		mkfifo -m 600 out
		exec 3<>out
		head -c 65536 /dev/zero >&3
		XDG_CACHE_HOME=/dev/null pprof-collect -q --pid \$pid -o out & collector=\$!
		await_session
		show_rights samples
		kill -INT \$collector
		await "grep -q '^1 ' /proc/\$collector/syscall"
		show_rights output
		head -c 65536 <&3 >/dev/null
		wait \$collector
		kill \$pid
	END
	compare <<-'END'
		samples main dac_override,dac_read_search,fowner,sys_ptrace,perfmon,checkpoint_restore 2
		samples tables perfmon 2
		output main dac_override,dac_read_search,fowner 2
		output tables perfmon 2
	END
}

@test "capabilities and filters of an audit, and of a profile of a program" {
	vm >seen <<-END
		$show_rights
		enter_empty
		pprof-collect audit --stacks >audit & collector=\$!
		await "[[ -s audit ]]"
		show_rights audit
		kill -INT \$collector
		wait \$collector
		pprof-collect -q --unwind fp -- burn 1000 >/dev/null & collector=\$!
		await_session
		show_rights program
		kill -INT \$collector
		wait \$collector
	END
	compare <<-'END'
		audit main dac_read_search,net_admin,sys_ptrace,perfmon,checkpoint_restore 2
		program main dac_override,dac_read_search,fowner,kill,sys_ptrace,perfmon,checkpoint_restore 2
	END
}

@test "code that a parser bug runs reaches no process, and no file beside the profile" {
	vm >lsm <<-'END'
		[[ -e /sys/kernel/security/lsm ]] || mount -t securityfs none /sys/kernel/security
		cat /sys/kernel/security/lsm
	END
	[[ $(<lsm) =~ landlock ]] || skip 'this kernel has no Landlock'
	vm >seen <<-'END'
		enter_empty
		touch /run/e2e/victim
		burn 1000 >/dev/null & pid=$!
		export VICTIM=$pid XDG_CACHE_HOME=/dev/null
		LD_PRELOAD=$bin/intruder.so pprof-collect -q --pid $pid --seconds 1 -o profile 2>&1
		[[ -s profile && ! -e /run/e2e/made && ! -u /run/e2e/victim ]]
		kill $pid
	END
	compare <<-'END'
		tables execute EPERM
		tables trace EPERM
		tables signal EPERM
		tables read-memory EPERM
		tables write-memory EPERM
		tables read-file EPERM
		tables write-file EPERM
		tables make-file EPERM
		tables make-output EPERM
		tables set-mode EPERM
		tables namespace EPERM
		tables network EPERM
		symbols execute EPERM
		symbols trace EPERM
		symbols signal EPERM
		symbols read-memory EACCES
		symbols write-memory EACCES
		symbols read-file done
		symbols write-file EACCES
		symbols make-file EACCES
		symbols make-output done
		symbols set-mode EPERM
		symbols namespace EPERM
		symbols network EPERM
	END
}
