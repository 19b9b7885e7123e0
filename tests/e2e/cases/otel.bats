#!/usr/bin/env bats
# Labels that programs publish for OpenTelemetry, and by the Custom Label ABI.
# shellcheck disable=SC2016 # awk's and the VM's

load ../lib/helpers

# Checks that all samples of FUNCTION in a profile have LABELS, except FEW at most.
labelled() { # PROFILE FUNCTION LABELS FEW
	local all
	all=$(count "$1" "\$3 ~ /;$2;/")
	at_least "$all" 100
	at_least "$(count "$1" "\$3 ~ /;$2;/ && \$2 == \"$3\"")" $((all - $4))
}

# bats test_tags=collector
@test "a process context names the service" {
	vm pprof-collect -q --hz 1000 --labels resource --children -o named.pb.gz -- \
		published at-once 0.5 'web shop'
	# The first samples are taken before main().
	labelled named.pb.gz after 'service.name=web shop,service.version=1.2' 0
	labelled named.pb.gz child '' 0
}

# bats test_tags=collector
@test "without --labels resource no process is read" {
	vm pprof-collect -q --hz 1000 -o plain.pb.gz -- published at-once 0.5 shop
	labelled plain.pb.gz after '' 0
}

# bats test_tags=collector
@test "a process context that is published late" {
	vm pprof-collect -q --hz 1000 --labels resource -o late.pb.gz -- published late 1 shop
	labelled late.pb.gz before '' 250
	labelled late.pb.gz after 'service.name=shop,service.version=1.2' 800
}

# bats test_tags=collector
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

# Checks a profile of traced with --labels trace.
check_traced() { # PROFILE
	labelled "$1" first 'trace_id=00000000000000000000000000000001,span_id=0000000000000002,http_route=/a,user=x' 0
	labelled "$1" second 'trace_id=00000000000000000000000000000003,span_id=0000000000000004,http_route=/b' 0
	labelled "$1" invalid '' 0
	labelled "$1" none '' 0
}

# bats test_tags=each
@test "thread contexts of a program" {
	vm pprof-collect -q --hz 1000 --labels trace -o traced.pb.gz -- traced 0.3
	check_traced traced.pb.gz
}

@test "thread contexts of a static program" {
	vm pprof-collect -q --hz 1000 --labels trace -o static.pb.gz -- traced-static 0.3
	check_traced static.pb.gz
}

@test "thread contexts of a library, in three ways" {
	for way in initial gnu desc; do
		vm <<<"pprof-collect -q --hz 1000 --labels trace -o $way.pb.gz -- \
			traced-dlopen 0.3 \$bin/libtraced-$way.so"
		check_traced $way.pb.gz
	done
}

@test "thread contexts of a library with musl" {
	vm <<<'pprof-collect -q --hz 1000 --labels trace -o musl.pb.gz -- \
		traced-musl 0.3 $bin/libtraced-musl.so'
	check_traced musl.pb.gz
}

@test "thread contexts of a program that runs" {
	vm <<-'END'
		traced-dlopen 1000 $bin/libtraced-desc.so & pid=$!
		await 'grep -q libtraced /proc/$pid/maps && [[ $(ls /proc/$pid/task | wc -l) -eq 3 ]]'
		pprof-collect -q --hz 1000 --labels trace,resource --seconds 1 -o runs.pb.gz --pid $pid
		kill $pid
	END
	labelled runs.pb.gz first 'trace_id=00000000000000000000000000000001,span_id=0000000000000002,http_route=/a,user=x,service.name=traced' 0
}

# Checks a profile of labelled with --labels trace.
check_labelled() { # PROFILE
	labelled "$1" first 'customer=7,query=select' 0
	labelled "$1" second 'customer=8' 0
	labelled "$1" none '' 0
}

# bats test_tags=each
@test "custom labels of a program" {
	vm pprof-collect -q --hz 1000 --labels trace -o custom.pb.gz -- labelled 0.3
	check_labelled custom.pb.gz
}

@test "custom labels of a library, and of one with another layout" {
	vm <<-'END'
		pprof-collect -q --hz 1000 --labels trace -o one.pb.gz -- labelled-dlopen 0.3 $bin/liblabelled.so
		pprof-collect -q --hz 1000 --labels trace -o two.pb.gz -- labelled-dlopen 0.3 $bin/liblabelled-2.so
	END
	check_labelled one.pb.gz
	labelled two.pb.gz first '' 0
}

@test "without --labels trace no thread context is read" {
	vm <<-'END'
		pprof-collect -q --hz 1000 -o plain.pb.gz -- traced 0.1
		pprof-collect -q --hz 1000 -o custom.pb.gz -- labelled 0.1
	END
	labelled plain.pb.gz first '' 0
	labelled custom.pb.gz first '' 0
}

# bats test_tags=once
@test "both contexts of ddtrace, a tracer for Python" {
	[[ -x $project/build/tools/ddtrace/bin/ddtrace-run ]] || skip 'ddtrace is not installed'
	cat >traced.py <<-'END'
		import threading, time
		from ddtrace.trace import tracer

		def work():
		    with tracer.trace("work") as span:
		        print("trace_id=%032x,span_id=%016x" % (span.trace_id, span.span_id), flush=True)
		        end = time.thread_time() + 1
		        while time.thread_time() < end:
		            sum(range(1000))

		threads = [threading.Thread(target=work) for _ in range(2)]
		for thread in threads: thread.start()
		for thread in threads: thread.join()
	END
	vm <<-END
		export DD_SERVICE=shop DD_ENV=test DD_TRACE_AGENT_URL=http://127.0.0.1:1
		pprof-collect -q --hz 1000 --labels trace,resource -o ddtrace.pb.gz -- \
			$project/build/tools/ddtrace/bin/python traced.py >truth 2>errors
	END
	[ "$(wc -l <truth)" -eq 2 ]
	while read -r ids; do
		at_least "$(count ddtrace.pb.gz "\$2 ~ /^$ids/ && \$2 ~ /service.name=shop/")" 500
	done <truth
	# Each label is that of one of the two spans.
	[ "$(count ddtrace.pb.gz '$2 ~ /trace_id=/')" -eq "$(count ddtrace.pb.gz "$(
		sed 's|.*|$2 ~ /^&/|' truth | paste -sd'#' | sed 's/#/ || /'
	)")" ]
}
