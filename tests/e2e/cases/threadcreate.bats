#!/usr/bin/env bats
# Thread creations by the stack of the creator: the counts are exact.
# shellcheck disable=SC2016 # awk's

load ../lib/helpers

# bats test_tags=each
@test "10,000 threads by three functions" {
	run --separate-stderr vm pprof-collect --profile threadcreate -o raw.pb.gz -- clones --raw 10000
	[ "$status" -eq 0 ]
	[[ ${stderr_lines[0]} = "threadcreate: 10000 threads in "*", 0 lost, "* ]]
	[ "$(count raw.pb.gz '$3 ~ /(^|;)main;create_all;site_a;create;raw_clone$/')" -eq 5000 ]
	[ "$(count raw.pb.gz '$3 ~ /(^|;)main;create_all;site_b;create;raw_clone$/')" -eq 3000 ]
	[ "$(count raw.pb.gz '$3 ~ /(^|;)main;create_all;site_c;create;raw_clone$/')" -eq 2000 ]
	[ "$(count raw.pb.gz)" -eq 10000 ]
	[ "$(show comment raw.pb.gz | head -n 1)" = 'lost: 0' ]
}

# glibc has a pointer in rbp there, which is no frame pointer.
# bats test_tags=once
@test "2,000 threads by pthread_create: with --unwind fp all are counted, and marked as truncated" {
	vm pprof-collect -q --profile threadcreate --unwind fp -o pthread.pb.gz -- clones 2000
	[ "$(count pthread.pb.gz)" -eq 2000 ]
	[ "$(count pthread.pb.gz '$3 !~ /^\[truncated: /')" -eq 0 ]
}

@test "four creators at once" {
	vm pprof-collect -q --profile threadcreate --labels tid -o storm.pb.gz -- stormer 1.5 >truth
	[ "$(truth created)" -ge 100 ]
	[ "$(count storm.pb.gz)" -eq "$(truth created)" ]
	[ "$(show sample storm.pb.gz | cut -f 2 | sort -u | wc -l)" -eq 5 ]
}

@test "cpu and threadcreate in one run, a file each" {
	run --separate-stderr vm pprof-collect --hz 1000 --profile cpu,threadcreate -- clones --raw 10000
	[ "$status" -eq 0 ]
	cpu=$(ls pprof.clones.*.cpu.pb.gz)
	created=$(ls pprof.clones.*.threadcreate.pb.gz)
	[ "$(count "$created")" -eq 10000 ]
	at_least "$(count "$cpu" '$3 ~ /site_[abc];create;raw_clone$/')" 20
	[[ $stderr = *"$cpu"* ]]
	[[ $stderr = *"$created"* ]]
}

# bats test_tags=each
@test "threads of a process that runs, and of its children" {
	vm <<-'END'
		hold 'clones --raw 1000; clones --raw 2000'
		pprof-collect -q --profile threadcreate --children --labels pid --pid $pid -o tree.pb.gz &
		await_session
		release
		all_well %1 %2
	END
	[ "$(count tree.pb.gz)" -eq 3000 ]
	[ "$(show sample tree.pb.gz | awk -F'\t' '{ n[$2] += $1 } END { for (i in n) print n[i] }' |
		sort -n | xargs)" = '1000 2000' ]
}
