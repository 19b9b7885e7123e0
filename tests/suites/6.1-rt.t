#!/bin/bash
# The older RT kernel: a test or two of each source, tagged "each".
cd "${0%/*}/../.." || exit
exec tests/e2e/suite 6.1-rt --filter-tags each tests/e2e/cases/*.bats
