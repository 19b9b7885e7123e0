#!/usr/bin/env bats
# Wrong input: the collector prints one sentence with a remedy, and exits with an error. It
# leaves no file behind, and loses no existing file.
# shellcheck disable=SC2016 # awk's

# bats file_tags=collector
load ../lib/helpers

@test "no module" {
	vm <<-'END'
		enter_empty
		rmmod pprof
		trap 'insmod $module' EXIT
		for command in '--pid 1' --all audit status; do
			refused 'module is not loaded' pprof-collect $command
		done
		refused 'modprobe pprof' pprof-collect -- true
		# Wrong arguments come first.
		refused "command 'statsu': is neither a subcommand" pprof-collect statsu
		refused "cannot run '/no/such'" pprof-collect -- /no/such
		refused 'cannot write /no/such/x.pb.gz' pprof-collect --pid 1 -o /no/such/x.pb.gz
		for command in '' audit list; do
			refused 'no process has the pid 4000000' pprof-collect $command --pid 4000000
		done
	END
}

@test "a module with another version of the interface" {
	vm <<-'END'
		enter_empty
		LD_PRELOAD=$bin/otherabi.so \
			refused 'has version 99.' pprof-collect --pid $$
	END
}

@test "no such process" {
	vm <<-'END'
		enter_empty
		refused 'no process has the pid 4000000' pprof-collect --pid 4000000
		refused 'no process has the pid 4000000' pprof-collect --pid $$,4000000
		true & wait
		refused "no process has the pid $!" pprof-collect --pid $!
	END
}

@test "arguments that are no numbers, or out of range" {
	vm <<-'END'
		enter_empty
		for seconds in 0 -1 abc '' 1e99 nan 1s; do
			refused "--seconds '$seconds': must be" pprof-collect --pid $$ --seconds "$seconds"
		done
		for hz in 0 -1 20000 10001 abc ''; do
			refused "--hz '$hz': must be a whole number from 1 to 10000" \
				pprof-collect --pid $$ --hz "$hz"
		done
		for pages in 0 7 9 100 32768; do
			refused "--buffer-pages '$pages': must be" pprof-collect --pid $$ --buffer-pages $pages
		done
		for pid in 0 -1 abc 99999999999 ''; do
			refused "--pid '$pid': must be" pprof-collect --pid "$pid"
		done
		refused "--pid '': must be" pprof-collect --pid 1,,
		refused "--max-stacks '0': must be" pprof-collect --pid $$ --max-stacks 0
		refused "--seconds '0': must be" pprof-collect audit --seconds 0
		refused "--pid 'x': must be" pprof-collect audit --pid x
	END
}

@test "unknown words, and options that exclude each other" {
	vm <<-'END'
		enter_empty
		kinds='cpu, wall, threadcreate, thread, block, mutex, growth, heap, allocs and all'
		refused "--profile 'cpu,goroutine': the profile types are $kinds" \
			pprof-collect --pid 1 --profile cpu,goroutine
		refused "--profile 'goroutine': is no profile type" \
			pprof-collect --pid 1 --profile goroutine
		refused "--labels 'pid,color': the labels are" pprof-collect --pid 1 --labels pid,color
		refused 'nothing to profile: give' pprof-collect
		refused 'exclude each other' pprof-collect --all --pid 1
		refused 'exclude each other' pprof-collect --pid 1 -- true
		refused 'leave --output out' pprof-collect --pid 1 -o x --profile cpu,threadcreate
		refused 'leave --live out, or --debug' pprof-collect --pid 1 --profile threadcreate --live --debug 1
		refused "audit 'x'" pprof-collect audit x
		refused "status 'x'" pprof-collect status x
	END
}

@test "a program that cannot be run" {
	vm <<-'END'
		enter_empty
		refused "cannot run '/no/such'" pprof-collect -- /no/such
		refused "cannot run '/etc/passwd'" pprof-collect -- /etc/passwd
		refused "cannot run '/etc'" pprof-collect -- /etc
		refused "cannot run ''" pprof-collect -- ''
	END
}

@test "an output that cannot be written" {
	vm <<-'END'
		enter_empty
		for file in /no/such/x.pb.gz /proc/x.pb.gz /run; do
			refused "cannot write $file" pprof-collect --pid $$ --seconds 1 -o $file
		done
		refused 'cannot write -: ' sh -c 'exec pprof-collect --all --seconds 0.1 -qo - >/dev/full'
		refused 'cannot write pprof.' sh -c 'cd /sys; exec pprof-collect --pid 1 --seconds 1'
	END
}

@test "another user's FIFO" {
	vm <<-'END'
		enter_empty
		mkfifo /run/e2e/anothers
		chown nobody /run/e2e/anothers
		cat /run/e2e/anothers >/run/e2e/got & reader=$!
		refused "is another user's FIFO" pprof-collect --all --seconds 1 -o /run/e2e/anothers
		kill $reader
		[[ ! -s /run/e2e/got ]]
	END
}

@test "a FIFO without a reader" {
	vm <<-'END'
		enter_empty
		mkfifo fifo
		pprof-collect --all --seconds 1 -o fifo & pid=$!
		await '[[ $(</proc/$pid/comm) = pprof-collect && $(</proc/$pid/syscall) = 257\ * ]]'	# openat
		kill $pid
		code=0
		wait $pid || code=$?
		[[ $code -eq 143 ]]
	END
}

@test "existing files are kept" {
	vm <<-'END'
		burn 1000 & pid=$!
		await '[[ $(</proc/$pid/comm) = burn ]]'
		name=pprof.burn.$pid.cpu
		echo mine >$name.pb.gz
		for _ in 1 2; do
			pprof-collect --hz 1000 --pid $pid --seconds 0.3 2>&1 | tail -n 1
		done
		[[ $(<$name.pb.gz) = mine ]]
		rm $name.pb.gz
		[[ $(ls -A) = "$name.001.pb.gz"$'\n'"$name.002.pb.gz" ]]
		echo old >named.pb.gz
		pprof-collect -q --hz 1000 --pid $pid --seconds 0.3 -o named.pb.gz
	END
	for file in pprof.burn.*.00[12].pb.gz named.pb.gz; do
		at_least "$(count "$file" '$3 ~ /;burn;spin$/')" 10
	done
}

@test "a full disk" {
	vm <<-'END'
		enter_empty
		mount -t tmpfs -o size=4k full .
		cd .
		# Random text makes the profile larger than a page, however short the run is.
		noise=$(od -An -v -tx1 -N 8000 /dev/urandom | tr -d ' \n')
		refused 'the disk is full: free space or give another path' \
			pprof-collect -q --drop-frames "$noise" -- true
		echo old >x
		fails pprof-collect -q --drop-frames "$noise" -o x -- true 2>said
		cat said
		[[ $(ls -A) = $'said\nx' && $(<x) = old ]]
		cd /
		umount /run/e2e/empty
	END
}

@test "a target that ends during the run" {
	vm <<-'END'
		for how in -oends.pb.gz '-oearly.pb.gz --seconds 90'; do
			hold 'exec burn 1'
			pprof-collect -q --hz 1000 --pid $pid $how & collector=$!
			await_session
			release
			wait $collector
			fails kill -0 $pid 2>/dev/null
		done
		hold 'exit 3'
		pprof-collect -q --hz 10000 --pid $pid -o nothing.pb.gz &
		await_session
		release
		wait $!
	END
	at_least "$(count ends.pb.gz '$3 ~ /;burn;spin$/')" 50
	at_least "$(count early.pb.gz '$3 ~ /;burn;spin$/')" 50
	within "$(show duration early.pb.gz)" 1 80000000000
}

@test "a target that does nothing" {
	vm <<-'END'
		start_ready idle
		pprof-collect --pid $pid --seconds 0.5 -o idle.pb.gz 2>said
		pprof-collect -q --profile threadcreate --seconds 0.5 --pid $pid -o none.pb.gz
	END
	[[ $(head -n 1 said) = 'cpu: 0 samples in '* ]]
	[ "$(count idle.pb.gz)" -eq 0 ]
}

@test "targets that end at any moment" {
	vm <<-'END'
		for i in {1..12}; do
			burn 0.$((i / 4))$((i % 4)) >/dev/null &
			code=0
			pprof-collect -q --hz 1000 --pid $! -o $i.pb.gz 2>said || code=$?
			cat said
			case $code in
			0) [[ ! -s said && -s $i.pb.gz ]] ;;
			*) [[ $(<said) = *"no process has the pid $!"* && ! -e $i.pb.gz ]] ;;
			esac
			wait
		done
	END
}
