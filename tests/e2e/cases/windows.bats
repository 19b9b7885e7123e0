#!/usr/bin/env bats
# Continuous profiles: windows that follow each other.
# shellcheck disable=SC2016 # awk's

# bats file_tags=collector
load ../lib/helpers

# The sum of the counts of all files.
sum() { # FILE...
	local file n=0
	for file in "$@"; do
		n=$((n + $(count "$file")))
	done
	echo $n
}

# Each window begins where the one before it ends, to the ns, and all but the last are of whole
# seconds.
in_a_row() { # FILE...
	local file end=''
	for file in "$@"; do
		[[ -z $end || $end -eq $(show time "$file") ]] ||
			fail "$file begins at $(show time "$file"), and not at $end" || return
		end=$(($(show time "$file") + $(show duration "$file")))
		[[ $file = "${*: -1}" || $(($(show duration "$file") % 1000000000)) -eq 0 ]] ||
			fail "$file is of $(show duration "$file") ns" || return
	done
}

# A writer that is late makes a window longer: on a busy host there may be fewer than one a second.
@test "windows follow each other, and have all samples" {
	run --separate-stderr vm <<-'END'
		mkdir windows
		pprof-collect --hz 1000 --every 1s --dir windows -- burn $((5 * E2E_WIDER)) >truth
	END
	echo "$output $stderr"
	[ "$status" -eq 0 ]
	files=(windows/*Z.burn.*.cpu.pb.gz)
	at_least "${#files[@]}" 3
	[ "$(ls -A windows)" = "$(printf '%s\n' "${files[@]#*/}")" ]
	in_a_row "${files[@]}"
	[[ $stderr = "cpu: $(sum "${files[@]}") samples, 0 lost"*"${#files[@]} windows, "* ]]
	ticks=$(($(truth cpu_ns) / 1000000))
	within "$(sum "${files[@]}")" $((ticks * 95 / 100)) $((ticks * 115 / 100))
	at_least "$(count "${files[1]}" '$3 ~ /;main;burn;spin$/')" 300
}

@test "after kill -9 all files are whole, and the next run goes on" {
	vm <<-'END'
		mkdir windows
		burn 1000 & burn=$!
		windows() { find windows -name '*.pb.gz' | wc -l; }
		for i in 1 2 3; do
			before=$(windows)
			pprof-collect -q --every 1s --dir windows --pid $burn & pid=$!
			await "[[ \$(windows) -ge $((before + 2)) ]]"
			kill -KILL $pid
			wait $pid || true
			# What a run leaves that is killed while it writes
			head -c 100 /dev/urandom >windows/.pprof.abcde$i
		done
		touch windows/.pprof.other.file
		pprof-collect -q --every 1s --dir windows --pid $burn & pid=$!
		await "[[ \$(windows) -ge $(($(windows) + 2)) ]]"
		# The lock of the folder is that of the run.
		fails pprof-collect -q --every 1s --dir windows --pid $burn 2>second
		kill -INT $pid
		wait $pid
		kill $burn
		ls -A windows >left
	END
	[ "$(grep -c '^\.pprof\.' left)" -eq 1 ]
	[ "$(grep -vc '^20.*Z\.burn\.[0-9]*\.cpu\.pb\.gz$' left)" -eq 1 ]
	[[ $(<second) = 'pprof-collect: cannot use windows: another pprof-collect writes'* ]]
}

@test "--keep removes the oldest windows, and no other file" {
	vm <<-'END'
		mkdir windows
		touch windows/{20200101T000000Z.a.1.cpu.pb.gz,20200101T000000Z.txt,notes.pb.gz}
		burn 1000 & burn=$!
		pprof-collect -q --profile cpu,block --every 1s --keep 2 --dir windows --pid $burn \
			& pid=$!
		# A window is removed when two younger ones are complete.
		await '[[ $(ls windows/*.cpu.pb.gz | wc -l) -ge 2 && ! -e windows/20200101T000000Z.a.1.cpu.pb.gz ]]'
		first=$(ls windows/*.cpu.pb.gz | head -n 1)
		await "[[ ! -e $first && ! -e ${first/cpu/block} ]]"
		kill -INT $pid
		wait $pid
		kill $burn
		rm windows/notes.pb.gz windows/20200101T000000Z.txt
		ls -A windows >left
	END
	[ "$(wc -l <left)" -eq 4 ]
	[ "$(cut -d. -f4 left | sort | uniq -c | tr -s ' \n' ' ')" = ' 2 block 2 cpu ' ]
}
