#!/bin/bash
# Where the kernel sees most of what can go wrong: all but what debug-heap.t runs.
shopt -s extglob
cd "${0%/*}/../.." || exit
exec tests/e2e/suite debug tests/e2e/cases/!(heap|heapstorm).bats
