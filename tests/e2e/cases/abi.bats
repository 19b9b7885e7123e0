#!/usr/bin/env bats
# The ioctls and mappings of /dev/pprof: wrong calls are refused with the right errno.
# shellcheck disable=SC2016 # the VM's

load ../lib/helpers

@test "wrong sizes, flags, padding, numbers and order of calls" {
	vm <<<'start_ready idle; session errors $pid'
}

@test "wrong tables and ranges" {
	vm <<<'start_ready idle; tables errors $pid'
}

# bats test_tags=once
@test "the bound on the tables of a user" {
	vm as-nobody tables bounds
}

# bats test_tags=once
@test "a table written by hand unwinds code without frame pointers" {
	vm taskset 1 tables unwind
}

@test "mappings with wrong sizes, rights and offsets" {
	vm session maps
}

@test "wrong values of the tail of a ring" {
	vm <<<'threads4 1000 >/dev/null & session tail $!'
}

@test "the bound on sessions" {
	vm session many
}
