#!/usr/bin/env bats
# The ioctls and mappings of /dev/pprof: what is refused, and how.

load helpers

@test "wrong sizes, flags, padding, numbers, order" {
	vm <<<'idle >/dev/null & session errors $!'
}

@test "wrong tables and ranges" {
	vm <<<'idle >/dev/null & tables errors $!'
}

@test "no more tables than there may be" {
	vm as-nobody tables bounds
}

@test "a table made by hand unwinds what has no frame pointers" {
	vm taskset 1 tables unwind
}

@test "mappings of other sizes, rights and places" {
	vm session maps
}

@test "a tail that lies" {
	vm <<<'threads4 20 >/dev/null & session tail $!'
}

@test "more sessions than there may be" {
	vm session many
}
