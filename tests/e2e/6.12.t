#!/bin/bash
# Debian 13's kernel: what meets the kernel. That is all but the collector's alone (code is
# its mappings and names), the walk's, the custom profiles', the overload's and poll()'s,
# and but for the tests of that sort in other files, tagged "once". 7.3.t has those.
shopt -s extglob
exec "${0%/*}/suite" 6.12 --filter-tags '!once' \
	"${0%/*}"/!(badinput|code|custom|doctor|frames|labels|live|loss|names|overload|poll|protos|text|unwind).bats
