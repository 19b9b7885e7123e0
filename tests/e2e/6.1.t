#!/bin/bash
# The older kernel: all but what is the collector's alone (code is its mappings and
# names), or the walk's, which are the same code there.
shopt -s extglob
exec "${0%/*}/suite" 6.1 "${0%/*}"/!(badinput|code|doctor|frames|labels|protos|text|unwind).bats
