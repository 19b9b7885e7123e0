#!/usr/bin/env bats
# The overload limit with several profile types and sessions, in a VM where an instruction
# takes a nanosecond and the host steals no time.
# shellcheck disable=SC2016,SC2034 # awk's $, and LIMIT, which vm reads

load ../../lib/helpers

export LIMIT=0

@test "the rate of wall falls, and each process keeps its time" {
	run --separate-stderr vm <<-'END'
		percent=/sys/module/pprof/parameters/overload_percent
		# The file is read here, so that the run below need not wait for the host.
		bash -c 'deep --depth 120 0.1' >/dev/null
		echo 1 >$percent
		pprof-collect --profile wall --hz 10000 --labels pid -o slow.pb.gz -- \
			bash -c 'deep --depth 120 1 >one & deep --depth 120 1 >two; wait' &
		await_session
		await 'pprof-collect status | tee status | grep overload'
		wait $!
		echo 25 >$percent
	END
	[ "$status" -eq 0 ]
	grep -E 'wall at 10000 Hz \(overload: [0-9.]+ Hz\)' status
	[[ $stderr = *"pprof-collect: sampling took too much of a CPU, and the rate fell from 10000 to "* ]]
	[ "$(show period slow.pb.gz)" -ge 200000 ]
	show comment slow.pb.gz | grep -q '^overload: the rate fell from 10000 to '
	# Three processes: the shell, which waits, and two that share the CPU until both have ended.
	# The shell may begin long before: it may wait for files of the host.
	ticks=$(($(show duration slow.pb.gz) / 100000))
	shared=$((($(truth cpu_ns one) + $(truth cpu_ns two)) / 100000))
	show sample slow.pb.gz | awk -F'\t' '{ n[$2] += $1 } END { for (pid in n) print n[pid] }' |
		sort -n >counts
	echo "$ticks ticks, $shared of them shared"
	cat counts
	[ "$(wc -l <counts)" -eq 3 ]
	within "$(tail -n 1 counts)" $((ticks * 90 / 100)) $((ticks * 103 / 100))
	head -n 2 counts |
		while read -r n; do within "$n" $((shared * 90 / 100)) $((ticks * 103 / 100)); done
}

# One clock is below the limit by a factor of less than two. Eight clocks exceed it.
@test "the limit is for the sum of all sessions" {
	vm <<-'END'
		percent=/sys/module/pprof/parameters/overload_percent
		deep --depth 120 >/dev/null & target=$!
		trap 'kill $target; echo 25 >$percent' EXIT
		for share in 1 2 4 8 16 32; do
			echo $share >$percent
			pprof-collect --hz 2000 --seconds 1 --pid $target -o alone.pb.gz 2>alone
			grep 'the rate fell' alone || break
			rm alone.pb.gz
		done
		echo "share=$share" >truth
		for i in 1 2 3 4; do
			mkdir $i
			(cd $i && exec pprof-collect -q --profile cpu,wall --hz 2000 --seconds 3 --pid $target) &
			pids[i]=$!
		done
		wait "${pids[@]}"
	END
	cat truth
	[ "$(show period alone.pb.gz)" -eq 500000 ]
	# Without overload the sum would be eight times 2,000.
	for file in [1-4]/*.pb.gz; do
		echo "$file $(show period "$file")"
	done | tee periods
	[ "$(wc -l <periods)" -eq 8 ]
	awk '{ hz += 1e9 / $2 } END { print hz, "Hz"; exit !(hz <= 3 * 2000) }' periods
	# The target has a CPU for itself, but for the work of the collectors.
	for file in [1-4]/*.pb.gz; do
		ticks=$(($(show duration "$file") / 500000))
		echo "$file: $(count "$file") of $ticks"
		[[ $file = *wall* ]] && least=97 || least=60
		within "$(count "$file")" $((ticks * least / 100)) $((ticks * 102 / 100))
	done
}
