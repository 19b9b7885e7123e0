#!/bin/bash
# The older kernel: all but what is the collector's alone (code is its mappings and
# names), the walk's, the custom profiles', the overload's or poll()'s, which are the same
# code there and ask the kernel for nothing that changed; but for live and loss, which
# 6.1-rt.t runs; and but for the tests of that sort in other files, tagged "once".
shopt -s extglob
exec "${0%/*}/suite" 6.1 --filter-tags '!once' \
	"${0%/*}"/!(badinput|code|custom|doctor|frames|labels|live|loss|names|overload|poll|protos|text|unwind).bats
