#!/bin/bash
# The debug kernel, which finds most kinds of faults: all tests but those in debug-heap.t.
shopt -s extglob
cd "${0%/*}/../.." || exit
exec tests/e2e/suite debug tests/e2e/cases/!(heap|heapstorm).bats
