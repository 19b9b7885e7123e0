#!/usr/bin/env bats
# Names that are hard for text formats. After each test, teardown() checks that all readers
# take the files.
# shellcheck disable=SC2016 # awk's

# bats file_tags=collector
load ../lib/helpers

@test "thread names with quotes, line ends, and bytes that are not UTF-8" {
	vm pprof-collect -q --hz 1000 --labels thread,comm -o names.pb.gz -- names 200 >truth
	[ "$(grep -c '^thread._ns=' truth)" -eq 8 ]
	at_least "$(count names.pb.gz '$2 ~ /,comm=names$/ && $3 ~ /named_work;spin$/')" 500
	at_least "$(count names.pb.gz '$2 ~ /^thread=ü nïçé,/')" 50
	at_least "$(count names.pb.gz '$2 ~ /^thread=<a&b>;{c}|d,/')" 50
	# Nine names: those of eight threads, of which one is empty, and that of main.
	[ "$(show sample names.pb.gz | awk -F'\t' '/named_work/ { print $2 }' | sort -u | wc -l)" -eq 8 ]
}

@test "a process whose name is not UTF-8, and the name of the output file" {
	vm <<-'END'
		name=$'\xff"\\'
		execchain 1000000 "$name" & pid=$!
		await '[[ $(</proc/$pid/comm) = "$name" ]]'
		pprof-collect -q --hz 1000 --labels comm --seconds 2 --pid $pid
		ls
	END
	file=$(ls pprof.*.cpu.pb.gz)
	[[ $file =~ ^pprof\._+\.[0-9]+\.cpu\.pb\.gz$ ]]
	at_least "$(count "$file" '$3 ~ /spin$/')" 100
}

@test "a program whose path is not UTF-8" {
	vm <<-'END'
		cp $bin/burn $'/run/e2e/b\xff"u\nrn\\'
		pprof-collect -q --hz 1000 --labels comm -o path.pb.gz -- $'/run/e2e/b\xff"u\nrn\\' 0.5
	END
	at_least "$(count path.pb.gz '$3 ~ /(^|;)main;burn;spin$/')" 100
}
