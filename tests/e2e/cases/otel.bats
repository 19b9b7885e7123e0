#!/usr/bin/env bats
# Labels that programs publish for OpenTelemetry.
# shellcheck disable=SC2016 # awk's and the VM's

load ../lib/helpers

# The samples of FUNCTION in a profile all have LABELS, but for FEW of them.
labelled() { # PROFILE FUNCTION LABELS FEW
	local all
	all=$(count "$1" "\$3 ~ /;$2;/")
	at_least "$all" 100
	at_least "$(count "$1" "\$3 ~ /;$2;/ && \$2 == \"$3\"")" $((all - $4))
}

@test "a process context names the service" {
	vm pprof-collect -q --hz 1000 --labels resource --children -o named.pb.gz -- \
		published at-once 0.5 'web shop'
	# The first samples are taken before main().
	labelled named.pb.gz after 'service.name=web shop,service.version=1.2' 0
	labelled named.pb.gz child '' 0
}

@test "without --labels resource no process is read" {
	vm pprof-collect -q --hz 1000 -o plain.pb.gz -- published at-once 0.5 shop
	labelled plain.pb.gz after '' 0
}

@test "a process context that is published late" {
	vm pprof-collect -q --hz 1000 --labels resource -o late.pb.gz -- published late 1 shop
	labelled late.pb.gz before '' 250
	labelled late.pb.gz after 'service.name=shop,service.version=1.2' 800
}

@test "each process has its own service" {
	vm <<-'END'
		published at-once 1000 shop & first=$!
		published at-once 1000 cart & second=$!
		await 'grep -q OTEL_CTX /proc/$first/maps && grep -q OTEL_CTX /proc/$second/maps'
		pprof-collect -q --hz 1000 --labels pid,resource --seconds 1 -o two.pb.gz --pid $first,$second
		kill $first $second
		echo first=$first second=$second | tr ' ' '\n' >truth
	END
	all=$(count two.pb.gz '$3 ~ /;after;/')
	at_least "$all" 500
	[ "$(count two.pb.gz "\$2 ~ /^pid=$(truth first),service.name=shop/ ||
		\$2 ~ /^pid=$(truth second),service.name=cart/")" -eq "$(count two.pb.gz 1)" ]
}
