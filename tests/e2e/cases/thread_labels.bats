#!/usr/bin/env bats
# Labels of threads, compared with a program that knows the CPU time of each label.
# shellcheck disable=SC2016 # awk's and the VM's

load ../lib/helpers

# Checks the shares of CPU time of `roles spin`.
check_roles() { # PROFILE
	local all
	all=$(count "$1" '$3 ~ /;spin$/')
	part() { # NS LABELS FUNCTION
		about "$(count "$1" "\$2 == \"$3\" && \$3 ~ /;$4;/")" "$all" "$(truth "$2")" "$(
			awk -F= '{ n += $2 } END { printf "%.0f\n", n }' truth
		)"
	}
	part reader_ns role=reader reader
	part parse_ns role=reader,step=parse reader
	part writer_ns role=writer writer
	part heir_ns role=writer heir
	part plain_ns '' plain
}

# bats test_tags=each
@test "each sample has the labels of its thread at that time" {
	vm pprof-collect -q --hz 1000 -o roles.pb.gz -- roles spin 0.6 >truth
	check_roles roles.pb.gz
	[ "$(count roles.pb.gz '$2 ~ /role=writer/ && $3 ~ /;(reader|plain);/')" -eq 0 ]
	[ "$(count roles.pb.gz '$2 ~ /step=/ && $2 !~ /role=reader/')" -eq 0 ]
}

@test "the module cannot be unloaded while a process with labels runs" {
	vm <<-'END'
		roles spin 1000 &
		await '[[ $(ls /proc/$!/task | wc -l) -eq 5 ]]'
		fails rmmod pprof
		kill $!
		wait $! || true
		await "rmmod pprof"
		insmod "$module"
	END
}

@test "labels from before the run, together with those of --labels" {
	vm <<-'END'
		roles spin 1000 &
		# The fifth thread comes after its creator has set labels: all have theirs.
		await '[[ $(ls /proc/$!/task | wc -l) -eq 5 ]]'
		pprof-collect -q --hz 1000 --labels thread --seconds 3 -o before.pb.gz --pid $!
		kill $!
	END
	[ "$(count before.pb.gz '$2 == "thread=roles,role=reader,step=parse" && $3 ~ /;reader;/')" -ge 200 ]
	[ "$(count before.pb.gz '$2 == "thread=roles,role=writer" && $3 ~ /;heir;/')" -ge 400 ]
}

# The samples with FUNCTION in the profile of a type, one or more, all have LABELS.
labelled() { # TYPE FUNCTION LABELS
	local all
	all=$(count pprof.roles.*."$1".pb.gz "\$3 ~ /;$2(;|\$)/")
	[ "$all" -gt 0 ]
	[ "$(count pprof.roles.*."$1".pb.gz "\$3 ~ /;$2(;|\$)/ && \$2 ~ /^$3\$/")" -eq "$all" ]
}

# bats test_tags=once
@test "all profile types" {
	vm <<<'roles_kinds --profile all,heap,allocs --block-rate 1 --hz 1000'
	labelled cpu 'do_all;slice' role=writer
	labelled wall 'do_all;(slice|usleep|touch|wait_for_end)' role=writer
	labelled wall 'await_lock;(pthread_mutex_lock|wait_for_end)' role=reader
	labelled block 'do_all;.*sleep' class=sleep,role=writer
	labelled block 'await_lock;.*lock.*' class=futex,role=reader
	labelled mutex 'do_all;.*' role=writer
	labelled growth 'touch' role=writer
	labelled growth 'touch;.*' role=writer
	labelled threadcreate 'do_all;.*' role=writer
	labelled threadcreate 'main;.*' ''
	labelled thread 'do_all;.*' 'state=[a-z0-9_]*,role=writer'
	labelled thread 'await_lock;.*' 'state=[a-z0-9_]*,role=reader'
	labelled thread 'main;.*' 'state=[a-z0-9_]*'
	for kind in heap allocs; do
		labelled $kind 'do_all;allocate' role=writer
		labelled $kind 'await_lock;allocate' role=reader
		labelled $kind 'main;.*allocate' ''
		# All objects are counted, and the bytes of those that are in use.
		[ "$(count pprof.roles.*.$kind.pb.gz '$3 ~ /;allocate$/')" -eq 24 ]
		[ "$(amount pprof.roles.*.$kind.pb.gz '$2 == "role=writer" && $3 ~ /;allocate$/')" -eq $((4 << 20)) ]
	done
}

# bats test_tags=once
@test "text" {
	vm <<-'END'
		roles kinds < <(exec sleep 1000) >/run/e2e/ready &
		pid=$!
		await 'grep -q ready /run/e2e/ready'
		await '[[ $(cat /proc/$pid/task/*/syscall | grep -c "^0 ") -eq 3 ]]'	# in read()
		pprof-collect -q --profile thread --debug 1 -o text.txt --pid $pid
		pprof-collect -q --profile thread --debug 2 -o dump.txt --pid $pid
		kill $pid
	END
	[ "$(grep -c '^# labels: {"role":"[a-z]*", "state":"io"}$' text.txt)" -eq 2 ]
	[ "$(grep -c '^# labels: {"state":"io"}$' text.txt)" -eq 1 ]
	"$lib/read-profile" text.txt text
	grep -A 20 '\[read\(, .*\)\?\] {"role":"reader"}:$' dump.txt | grep -m 1 '^await_lock'
	[ "$(grep -c '^thread .*\]:$' dump.txt)" -eq 1 ]
}

@test "a change of labels takes no system call" {
	vm roles change 1000000 >truth
	[ "$(truth changed)" -eq 1 ]
	figures echo "$(truth ns) ns for 2,000,000 changes"
}

@test "wrong arguments, and the values that a slot may have" {
	vm labeller errors
	vm as-nobody labeller errors
}

# bats test_tags=once
@test "the bounds on label sets, labels and threads" {
	vm labeller bounds
	LIMIT=300 vm <<-'END'
		rights=4500 none=2500	# a debug kernel creates few threads a second
		[[ ! -e /proc/self/fail-nth ]] || rights=300 none=300
		labeller threads $rights
		as-nobody labeller threads $none
	END
}

@test "the threads of a user leave slots for other users" {
	LIMIT=300 vm <<-'END'
		threads=1200
		[[ ! -e /proc/self/fail-nth ]] || threads=100
		mkfifo /run/e2e/end /run/e2e/told
		trap 'rm -f /run/e2e/end /run/e2e/told' EXIT
		exec 8<>/run/e2e/told 9<>/run/e2e/end
		hold() { # USER
			setpriv --reuid "$1" --regid "$1" --clear-groups labeller hold $threads \
				</run/e2e/end >/run/e2e/told 8>&- 9>&- &
			read -r heirs <&8
			echo "$heirs" >>truth
		}
		hold 1000
		hold 1000
		hold 1001
		exec 9>&-
		wait
		rest=$((2048 - 2 - threads))
		[[ $rest -lt $threads ]] || rest=$threads
		diff truth <(printf '%s\n' $threads $rest $threads)
	END
}

@test "children have no labels of their parent" {
	vm <<<'labeller forks "$(rounds 20 2000)"'
}

@test "the label page cannot be mapped a second time while the kernel maps it" {
	vm <<<'labeller remaps "$(rounds 20 5000)"'
}

# The label sets of all samples, each once.
all_labels() { # PROFILE
	show sample "$1" | cut -f 2 | sort -u
}

# bats test_tags=once
@test "garbage in the slots is no label, and does not change labels of other processes" {
	vm <<-'END'
		roles spin 1000 &
		true=$!
		pprof-collect -q --hz 1000 --seconds 3 -o true.pb.gz --pid $true &
		collector=$!
		pprof-collect -q --all --profile wall,block --hz 1000 --seconds 3 &
		while kill -0 $collector; do
			pprof-collect -q --all --profile thread -o - >/dev/null
			sleep 0.2
		done 2>/dev/null &
		pprof-collect -q --hz 1000 -o hostile.pb.gz -- labeller hostile "$(rounds 3 300)" >said
		grep -q ', 0 problems$' said
		all_well %2 %3 %4
		kill $true
	END
	[ "$(all_labels true.pb.gz | xargs)" = 'role=reader role=reader,step=parse role=writer' ]
	all_labels hostile.pb.gz | grep -x role=hostile
	run ! grep -vx '\(k=.*\|l=.*\|role=hostile\|role=child\|\)' <<<"$(all_labels hostile.pb.gz)"
}

@test "after an exec by another thread no labels stay, though a child keeps the file open" {
	vm <<-'END'
		for i in $(seq "$(rounds 5 200)"); do
			labeller leave /usr/bin/yes >/dev/null &
			pid=$!
			await '[[ $(cat /proc/$pid/comm) = yes ]]'
			pprof-collect -q --hz 1000 --seconds 0.2 -o yes$i.pb.gz --pid $pid
			child=$(cat /proc/$pid/task/$pid/children)
			kill -9 $pid $child
			wait $pid || true
		done
	END
	for profile in yes*.pb.gz; do
		[ "$(count "$profile")" -ge 20 ]
		[ "$(all_labels "$profile")" = '' ]
	done
	vm <<<'await "rmmod pprof"; insmod "$module"'
}
