#!/usr/bin/env bats
# While samples are taken, the module is loaded and unloaded, sessions and sources start and
# stop, and CPUs go offline and online. A test fails if the kernel log has complaints. The
# targets sleep often, so that the CPU time is left for the cycles.

load ../e2e/lib/helpers

@test "load and unload: refused while a session is open, clean after" {
	LIMIT=40000 figures vm <<-'END'
		cp $module /run/e2e/pprof.ko
		trickle & pid=$!
		rmmod pprof
		trap 'insmod $module' EXIT	# the next test needs it, even after a failure here
		reload /run/e2e/pprof.ko $(rounds 6 1000) $pid
	END
}

@test "load and unload while other processes open sessions, keep profiles and listen" {
	LIMIT=40000 figures vm <<-'END'
		cp $module /run/e2e/pprof.ko
		trickle & pid=$!
		rmmod pprof
		trap 'insmod $module' EXIT
		reload --race /run/e2e/pprof.ko $(rounds 2 200) $pid
	END
}

@test "start and stop while threads come and go and programs are executed" {
	LIMIT=40000 figures vm <<-'END'
		trickle & pid=$!
		trickle execs &
		session cycle $(rounds 3 2500) $pid
		session cycle $(rounds 3 2500) all
		sixteenth=$(rounds 1 50)
		for i in {1..16}; do session cycle $sixteenth $pid & jobs+=" $!"; done
		for job in $jobs; do wait $job; done
	END
}

@test "CPUs go offline and online" {
	LIMIT=40000 figures vm <<-'END'
		cpu=/sys/devices/system/cpu/cpu1/online
		trickle execs &
		trickle & account --least 100 10000 $! >one & one=$!
		account --least 100 --tables 10000 all >all & all=$!
		for ((i = 0; i < $(rounds 3 300); i++)); do
			echo 0 >$cpu
			session cycle 1 all
			echo 1 >$cpu
			session cycle 1 all
		done
		echo "$i times CPU 1 went offline and online"
		kill $one $all
		wait $one
		wait $all
		cat one all
	END
}
