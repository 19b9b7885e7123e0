#!/bin/bash
# The heap profiles' breakpoints there: a third of the time that all take, in a VM of their own.
cd "${0%/*}/../.." || exit
exec tests/e2e/suite debug tests/e2e/cases/{heap,heapstorm}.bats
