#!/bin/bash
# The newest kernel: the tests of the collector, which hardly depend on the kernel (tag
# "collector").
cd "${0%/*}/../.." || exit
exec tests/e2e/suite 7.3 --filter-tags collector tests/e2e/cases/*.bats
