#!/usr/bin/env bats
# The scrapers of Parca and Alloy, and a person with the newest pprof, take profiles of one program
# at once, from one server. tests/serve/clients builds them. Each sum must be what was sampled.
# shellcheck disable=SC2016 # the VM's

load ../e2e/lib/helpers

clients=$project/build/clients

# Takes profiles of a program that is stopped at first, and in the end. So no sample is part of an
# answer that a scraper does not wait for.
take_profiles() { # FOLDER_OF_THE_CLIENTS
	local name pid server scrapers=() jobs=()
	contended 1000000000 >/dev/null &
	pid=$!
	await_sleep "$pid"
	kill -STOP "$pid"
	pprof-collect serve --pid "$pid" --profile mutex,block,allocs 2>served &
	server=$!
	await 'grep -qs "serving on" served'
	for name in alloy parca; do
		[[ -x $1/$name ]] || continue
		scrapers+=("$name")
		mkdir "$name"
		"$1/$name" 127.0.0.1:6060 "$name" >"$name.times" 2>"$name.log" &
		jobs+=($!)
	done
	await_rounds 1
	kill -CONT "$pid"
	[[ ! -x $1/pprof ]] || visit "$1/pprof"
	await_rounds 3
	kill -STOP "$pid"
	await_rounds 2
	curl -sS http://127.0.0.1:6060/metrics >metrics
	for name in mutex block allocs goroutine; do
		curl -sS "http://127.0.0.1:6060/debug/pprof/$name" >"$name.end"
	done
	kill -KILL "$pid" "$server" "${jobs[@]}"
}

last() { # FOLDER/TYPE: the number of the last profile
	local n=0
	while [[ -e $1.$((n + 1)) ]]; do n=$((n + 1)); done
	echo $n
}

# Waits until each scraper has so many further profiles of each type.
await_rounds() { # NUMBER
	local name type
	local -A wanted
	for name in "${scrapers[@]}"; do
		for type in process_cpu memory block mutex goroutine; do
			wanted[$name/$type]=$(($(last "$name/$type") + $1))
		done
	done
	for type in "${!wanted[@]}"; do
		until [[ -e $type.${wanted[$type]} ]]; do
			kill -0 "$server" "${jobs[@]}"
			sleep 0.2
		done
	done
}

visit() { # PPROF
	local url=http://127.0.0.1:6060/debug/pprof name
	export PPROF_TMPDIR=$PWD
	mkdir person
	for name in profile wall mutex block allocs threadcreate growth; do
		"$1" -timeout 100 -seconds 2 -proto -output "person/$name" "$url/$name"
	done
	for name in mutex block allocs thread goroutine; do
		"$1" -timeout 100 -proto -output "person/$name.now" "$url/$name"
	done
}

setup_file() {
	enter "${BATS_TEST_FILENAME##*/}"
	vm <<<'insmod "$module"'
	LIMIT=1500 vm <<-END
		$(declare -f take_profiles last await_rounds visit)
		take_profiles $clients
	END
	check_kernel_log
}

setup() {
	cd "$E2E_WORK/tests/${BATS_TEST_FILENAME##*/}" || return
}

teardown() { :; }

needs() { # CLIENT
	[[ -x $clients/$1 ]] || skip "there is no $1: see tests/serve/clients"
}

metric() { # NAME TYPE
	sed -n "s/^pprof_$1_total{[a-z]*=\"$2\"} //p" metrics
}

# The sum of the samples of profiles.
sum() { # FILE...
	local file total=0
	for file; do
		[[ ! -e $file ]] || total=$((total + $(count "$file")))
	done
	echo "$total"
}

# Stacks with their values that add up: for memory, those of all allocations.
values() { # FILE
	show sample "$1" | cut -f 1-4 | LC_ALL=C sort
}

profiles_of() { # SCRAPER TYPE
	find "$1" -name "$2.*[0-9]"
}

@test "the server answered each request, and lost nothing" {
	grep -E '^pprof_(http_answers|work|lost_records)' metrics
	[ "$(metric http_answers 4xx)" -eq 0 ]
	[ "$(metric http_answers 5xx)" -eq 0 ]
	[ "$(metric work failed)" -eq 0 ]
	[ "$(metric work busy)" -eq 0 ]
	[ "$(metric lost_records cpu)" -eq 0 ]
}

@test "CPU time: all have together what was sampled" {
	all=$(sum alloy/process_cpu.*[0-9] parca/process_cpu.*[0-9] person/profile)
	echo "$all samples"
	[ "$all" -eq "$(metric samples cpu)" ]
	[ "$all" -gt 0 ]
}

# Each wait for a lock is a sample. Not so for block: it samples short waits, and scales them.
@test "mutex: the end is what was sampled" {
	all=$(sum mutex.end person/mutex)
	echo "$all unlocks"
	[ "$all" -eq "$(metric samples mutex)" ]
	[ "$all" -gt 0 ]
}

@test "Parca has the stacks and values of the end" {
	needs parca
	run ! grep -i err parca.log
	diff <(values mutex.end) <(values "parca/mutex.$(last parca/mutex)")
	diff <(values block.end) <(values "parca/block.$(last parca/block)")
	diff <(values allocs.end) <(values "parca/memory.$(last parca/memory)")
	diff <(values goroutine.end) <(values "parca/goroutine.$(last parca/goroutine)")
}

# Alloy stores differences. They must add up to the end.
@test "Alloy has the stacks and values of the end" {
	needs alloy
	run ! grep -i err alloy.log
	for type in mutex block memory; do
		mapfile -t files < <(profiles_of alloy $type)
		"$project/pprof-collect" merge --output $type.sum "${files[@]}"
	done
	diff <(values mutex.end) <(values mutex.sum)
	diff <(values block.end) <(values block.sum)
	diff <(values allocs.end) <(values memory.sum)
	diff <(values goroutine.end) <(values "alloy/goroutine.$(last alloy/goroutine)")
}

@test "the newest pprof takes each profile" {
	needs pprof
	for name in profile wall mutex block allocs mutex.now block.now allocs.now; do
		[ "$(sum person/$name)" -gt 0 ]
	done
	[ "$(sum person/thread.now)" -eq 2 ]
	[ "$(sum person/goroutine.now)" -eq 2 ]
}

@test "how long after its window a profile of CPU time came" {
	mapfile -t files < <(find . -maxdepth 1 -name '*.times')
	figures awk '$1 == "process_cpu" { n++; if ($3 > most) most = $3; sum += $3 }
		END { printf "%d profiles, on average %d ms late, at most %d ms\n", n, n ? sum / n : 0, most }' \
		/dev/null "${files[@]}"
}
