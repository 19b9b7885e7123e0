#!/usr/bin/env bats
# pprof-collect doctor: it finds the causes that prevent profiles, and gives the remedies.

# bats file_tags=collector
load ../lib/helpers

said() { # MARK CHECK TEXT
	grep -E "^$1 +$2 +$3" lines
}

@test "all is well" {
	vm pprof-collect doctor >lines
	cat lines
	said ok kernel '[5-7]\.[0-9.]+'
	said ok module 'loaded, version [0-9]+\.[0-9]+$'
	said ok rights 'all processes, audit and status$'
	said ok device '/dev/pprof opens'
	run ! grep '^problem' lines
}

@test "a network namespace" {
	vm unshare --net pprof-collect doctor >lines
	cat lines
	said warning rights 'all processes, but neither audit nor status, which work in the host'
	run ! grep '^problem' lines
}

@test "a pid namespace; audit and status report it, too" {
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

@test "a process, and the names that its files lack" {
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
	said problem process 'you may not profile process 1 '
}

# Below, the advice is followed: the command that doctor prints in quotes is run as root, and
# the check is ok then.

@test "an own process under Yama" {
	vm test -e /proc/sys/kernel/yama/ptrace_scope || skip 'this kernel has no Yama'
	run vm <<-'END'
		before=$(</proc/sys/kernel/yama/ptrace_scope)
		trap 'echo $before >/proc/sys/kernel/yama/ptrace_scope' EXIT
		start_ready as-nobody idle
		echo 0 >/proc/sys/kernel/yama/ptrace_scope
		as-nobody pprof-collect doctor --pid $pid
		echo 1 >/proc/sys/kernel/yama/ptrace_scope
		code=0
		as-nobody pprof-collect doctor --pid $pid || code=$?
		as-nobody pprof-collect -q --unwind fp --seconds 0.1 --pid $pid -o - >fp.pb.gz
		as-nobody pprof-collect -q -o - -- true >started.pb.gz
		pprof-collect doctor --pid $pid | sed 's/^/root: /'
		exit $code
	END
	[ "$status" -eq 1 ]
	echo "$output" >lines
	cat lines
	said ok process '[0-9]+ \(idle\) can be profiled$'
	said problem process 'you may not trace process [0-9]+ '
	said 'root: ok' process '[0-9]+ \(idle\) can be profiled$'
}

@test "a process of 32 bits" {
	vm <<-'END' >lines
		spin32 & pid=$!
		await '[[ $(cat /proc/$pid/comm) = spin32 ]]'
		kill -STOP $pid
		pprof-collect doctor --pid $pid
		kill -KILL $pid
	END
	cat lines
	said warning '32 bits' 'it has 32-bit code \(i386 or x32\): '
}

@test "the module is not loaded: insmod" {
	vm <<-'END' >lines
		rmmod pprof
		cp "$module" pprof.ko
		fails pprof-collect doctor
		follow_advice problem module
	END
	cat lines
	said problem module "not loaded: run 'insmod pprof\.ko' as root$"
	[ "$(grep -cE '^[a-z]+ +device' lines)" -eq 1 ]
	said ok module 'loaded, version'
}

# In an empty folder: with the kernel's own modules depmod would take minutes.
@test "the module is installed, but not loaded: modprobe" {
	vm <<-'END' >lines
		rmmod pprof
		folder=/lib/modules/$(uname -r)
		mv $folder kernel-modules
		trap 'rm -r $folder; mv kernel-modules $folder' EXIT
		mkdir -p $folder/updates
		cp "$module" $folder/updates
		touch $folder/modules.order $folder/modules.builtin
		depmod
		follow_advice problem module
	END
	cat lines
	said problem module "not loaded: run 'modprobe pprof' as root$"
}

@test "the device is missing: mknod" {
	vm <<-'END' >lines
		rm /dev/pprof
		follow_advice problem device
	END
	cat lines
	said problem device "there is no /dev/pprof: run 'mknod -m 666 /dev/pprof c 10 [0-9]+' as root$"
}

@test "only root may open the device: chmod" {
	vm <<-'END' >lines
		chmod 600 /dev/pprof
		AS=as-nobody follow_advice problem device
	END
	cat lines
	said problem device "only root may open /dev/pprof, maybe by a rule of udev: run 'chmod 666 /dev/pprof' as root"
}

@test "only a group may open the device: usermod" {
	vm <<-'END' >lines
		trap 'chgrp root /dev/pprof; chmod 666 /dev/pprof' EXIT
		groupadd perf
		chgrp perf /dev/pprof
		chmod 660 /dev/pprof
		AS='setpriv --reuid nobody --regid nogroup --init-groups' follow_advice problem device
	END
	cat lines
	said problem device "only the group perf may open /dev/pprof: run 'usermod -aG perf nobody' as root"
}

# The commands of the manual, with another group.
@test "a user without rights: setcap" {
	vm <<-'END' >lines
		file=$bin/pprof-collect
		trap 'setcap -r $file; chmod 755 $file; chgrp root $file' EXIT
		as-nobody pprof-collect doctor
		chgrp nogroup $file
		chmod 750 $file
		setcap cap_perfmon,cap_sys_ptrace,cap_net_admin+ep $file
		as-nobody pprof-collect doctor
		fails setpriv --reuid 1 --regid 1 --clear-groups sh -c "$file doctor"
	END
	cat lines
	said warning rights 'only processes of this user: run as root for all, or see NOTES in pprof-collect'
	said ok rights 'all processes, audit and status$'
}
