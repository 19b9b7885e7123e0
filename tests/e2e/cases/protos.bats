#!/usr/bin/env bats
# The fields of our profiles, compared with profiles that Go writes of its own program.

# bats file_tags=collector
load ../lib/helpers

build() { # PROGRAM
	GO111MODULE=off GOFLAGS='' GOPATH=/usr/share/gocode go build -o "$1" "$project/tests/text-forms/$1.go"
}

# Exactly these facts differ: FACT|GO|OURS.
differ() { # KIND FACTS...
	local name=$1
	[[ $1 != thread ]] || name=goroutine
	printf '%s\n' "${@:2}" | tr '|' '\t' >expected
	./compareprotos "$1" "go.$name.proto" pprof.*."$1".pb.gz >found || fail "$1: $(<found)" || return
	diff expected found || fail "$1: expected, and found"
}

@test "heads, order, labels, mappings and functions: only known facts differ" {
	build goprofiles
	build compareprotos
	./goprofiles .
	vm <<-'END'
		roles_kinds --profile all,heap,allocs --block-rate 1
		customs 100 < <(exec sleep 1000) >/run/e2e/ready & pid=$!
		await 'grep -q ready /run/e2e/ready'
		pprof-collect -q --profile values --pid $pid
		kill $pid
	END
	# Ours are about a run. Go's, but for cpu, are about the life of the program.
	life='duration|not set|set'
	# Our comments have the lost and truncated samples.
	told='comments|not set|set'
	# Go sets start_line since version 1.20.
	ours='filename line name start_line system_name' start=()
	[[ $(go version) != *\ go1.1[0-9]* ]] || start=("functions|filename line name system_name|$ours")
	# Our samples are in falling order of the count. Go's contentions are in the order of
	# the delay, and its objects in none after scaling. In Go only cpu and goroutine have
	# labels.
	differ cpu "$told" 'falls by|none|samples' "${start[@]}"
	# Go does not record the stacks of creators: golang.org/issue/6104.
	differ threadcreate "$life" "$told" 'labels|none|role' 'flags|none|functions' \
		"functions|none|$ours"
	differ block "$life" "$told" 'falls by|delay|contentions' 'labels|none|class role' "${start[@]}"
	# Ours name the functions that unlock. For Go's profiles readers know these.
	differ mutex 'drop_frames|not set|set' "$life" "$told" 'falls by|delay|contentions' \
		'labels|none|role' "${start[@]}"
	# Go has a label for the size of objects, and leaves its allocator out of the stacks.
	for kind in heap allocs; do
		differ $kind 'drop_frames|not set|set' "$life" "$told" 'falls by|none|alloc_objects' \
			'labels|bytes/|role' "${start[@]}"
	done
	# Ours are threads, not goroutines, and have a label for the state.
	differ thread 'sample types|goroutine/count|thread/count' \
		'period type|goroutine/count|thread/count' "$life" "$told" \
		'falls by|goroutine|thread' 'labels|id role|role state' "${start[@]}"
	# Custom profiles: neither has labels.
	differ values "$life" "$told" "${start[@]}"
}
