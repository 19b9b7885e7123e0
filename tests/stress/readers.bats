#!/usr/bin/env bats
# Readers are slow, stopped, killed, or many. The counts of records must be exact (account.c).
# The targets have a low priority, so that the readers get CPU time.

load ../e2e/lib/helpers

# Without lost records the reader was fast enough, and the test would test nothing.
some_lost() {
	grep -q '^cpu: .* taken, [1-9][0-9]* lost$' figures
}

@test "a slow reader" {
	LIMIT=10000 figures vm <<-'END'
		nice threads4 100000 >/dev/null &
		account --least 100 --hz 2000 --slow 1000 $(rounds 3 60) all
	END
	some_lost
}

@test "a reader that is stopped over and over" {
	LIMIT=10000 figures vm <<-'END'
		nice threads4 100000 >/dev/null &
		nice stormer 100000 &
		account --least 100 --hz 2000 100000 all >sums & pid=$!
		await_session
		for ((i = 0; i < $(rounds 4 100); i++)); do
			kill -STOP $pid
			sleep 0.3
			kill -CONT $pid
			sleep 0.1
		done
		echo "stopped $i times"
		kill $pid
		wait $pid
		cat sums
	END
	some_lost
}

@test "readers that are killed at any moment, and new ones that continue" {
	LIMIT=10000 figures vm <<-'END'
		nice threads4 100000 >/dev/null &
		nice stormer 100000 &
		account --least 100 --hz 2000 --kill $(rounds 4 120) all
	END
}

@test "collectors that are killed at any moment" {
	LIMIT=10000 figures vm <<-'END'
		nice threads4 100000 >/dev/null & pid=$!
		account --least 100 100000 all >sums & account=$!
		for ((i = 0; i < $(rounds 4 100); i++)); do
			pprof-collect -q --hz 2000 --profile cpu,threadcreate --all --seconds 50 &
			pprof-collect -q --hz 2000 --pid $pid --seconds 50 -o one.pb.gz &
			((i % 2)) || await_session 3	# every other time they have started
			sleep 0.$((i * 7 % 10))
			kill -KILL %3 %4
			wait %3 %4 || true
		done
		echo "$i times two collectors"
		kill $account
		wait $account
		await '[[ $(sessions) -eq 0 ]]'
		rm -f .pprof.* .one.*
		cat sums
	END
}

@test "sixteen sessions at once" {
	LIMIT=10000 figures vm <<-'END'
		nice threads4 100000 >/dev/null & pid=$!
		nice stormer 100000 &
		for i in {1..8}; do
			account --least 10 100000 $pid >one.$i & jobs+=" $!"
			account --least 10 --slow $((i * 10)) 100000 all >all.$i & jobs+=" $!"
		done
		await_session 16
		sleep $(rounds 3 60)
		kill $jobs
		all_well $jobs
		tail -qn 1 one.* all.* | sort | uniq -c
	END
}
