#!/usr/bin/env bats
# What our profiles say of themselves beside those that Go writes of its own program.

# bats file_tags=collector
load ../lib/helpers

build() { # PROGRAM
	GO111MODULE=off GOFLAGS='' GOPATH=/usr/share/gocode go build -o "$1" "$project/tests/text-forms/$1.go"
}

# Exactly these are the facts that differ: FACT|GO|OURS.
differ() { # KIND FACTS...
	local name=$1
	[[ $1 != thread ]] || name=goroutine
	printf '%s\n' "${@:2}" | tr '|' '\t' >expected
	./compareprotos "$1" "go.$name.proto" pprof.*."$1".pb.gz >found || fail "$1: $(<found)" || return
	diff expected found || fail "$1: expected, and found"
}

@test "heads, order, labels, mappings and functions: only what is meant differs" {
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
	# Ours are of a run, where Go's but for cpu are of the program's life.
	life='duration|not set|set'
	# What was lost and cut, which Go's can't tell.
	told='comments|not set|set'
	# Go knows where a function begins since 1.20.
	ours='filename line name start_line system_name' start=()
	[[ $(go version) != *\ go1.1[0-9]* ]] || start=("functions|filename line name system_name|$ours")
	# Ours all fall by the count: of contentions Go takes the delay, and of objects none
	# that is left when they are scaled. In Go only cpu and goroutine have labels.
	differ cpu "$told" 'falls by|none|samples' "${start[@]}"
	# golang.org/issue/6104: Go's stacks of threads' creators are empty.
	differ threadcreate "$life" "$told" 'labels|none|role' 'flags|none|functions' \
		"functions|none|$ours"
	differ block "$life" "$told" 'falls by|delay|contentions' 'labels|none|class role' "${start[@]}"
	# Readers of Go's profiles know the functions that unlock there by heart.
	differ mutex 'drop_frames|not set|set' "$life" "$told" 'falls by|delay|contentions' \
		'labels|none|role' "${start[@]}"
	# Go groups objects by their size, and hides its allocator itself.
	for kind in heap allocs; do
		differ $kind 'drop_frames|not set|set' "$life" "$told" 'falls by|none|alloc_objects' \
			'labels|bytes/|role' "${start[@]}"
	done
	# Threads are not goroutines, and tell what they wait for.
	differ thread 'sample types|goroutine/count|thread/count' \
		'period type|goroutine/count|thread/count' "$life" "$told" \
		'falls by|goroutine|thread' 'labels|id role|role state' "${start[@]}"
	# What a program keeps itself: both have no labels there.
	differ values "$life" "$told" "${start[@]}"
}
