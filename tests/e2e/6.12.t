#!/bin/bash
# Debian 13's kernel: what meets the kernel. That is all but the collector's alone (code is
# its mappings and names), the walk's, the custom profiles', the overload's and poll()'s,
# and but for the tests of that sort in other files, tagged "once". The heap's are in
# 6.12-rt.t, on the same source. 7.3.t has all.
shopt -s extglob
exec "${0%/*}/suite" 6.12 --filter-tags '!once' \
	"${0%/*}"/!(badinput|code|custom|doctor|frames|heap|heapstorm|labels|live|loss|names|overload|poll|protos|text|unwind).bats
