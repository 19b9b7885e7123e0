#!/bin/bash
# Where the kernel sees most of what can go wrong: all but what debug-heap.t runs.
shopt -s extglob
exec "${0%/*}/suite" debug "${0%/*}"/!(heap|heapstorm).bats
