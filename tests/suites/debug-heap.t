#!/bin/bash
# The debug kernel: the tests of heap. They take a third of the time of all tests, so they
# have a VM of their own.
cd "${0%/*}/../.." || exit
exec tests/e2e/suite debug tests/e2e/cases/{heap,heapstorm}.bats
