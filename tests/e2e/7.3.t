#!/bin/bash
# The newest kernel: all tests but those of 7.3-collector.t.
shopt -s extglob
exec "${0%/*}/suite" 7.3 \
	"${0%/*}"/!(badinput|code|custom|doctor|frames|labels|live|loss|names|overload|poll|protos|text|unwind).bats
