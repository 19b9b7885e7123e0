#!/bin/bash
# The newest kernel: the collector's own tests, and those of what asks the kernel for little.
cd "${0%/*}/../.." || exit
exec tests/e2e/suite 7.3 --filter-tags collector tests/e2e/cases/*.bats
