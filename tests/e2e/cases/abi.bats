#!/usr/bin/env bats
# The ioctls and mappings of /dev/pprof: what is refused, and how.
# shellcheck disable=SC2016 # the VM's

load ../lib/helpers

@test "wrong sizes, flags, padding, numbers, order" {
	vm <<<'start_ready idle; session errors $pid'
}

@test "wrong tables and ranges" {
	vm <<<'start_ready idle; tables errors $pid'
}

# bats test_tags=once
@test "no more tables than there may be" {
	vm as-nobody tables bounds
}

# bats test_tags=once
@test "a table made by hand unwinds what has no frame pointers" {
	vm taskset 1 tables unwind
}

@test "mappings of other sizes, rights and places" {
	vm session maps
}

@test "a tail that lies" {
	vm <<<'threads4 1000 >/dev/null & session tail $!'
}

@test "more sessions than there may be" {
	vm session many
}
