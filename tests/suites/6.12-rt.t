#!/bin/bash
# An RT kernel: one or two tests of each source (tag "each"), and the tests of code that
# sleeps or is interrupted in other places there (tag "rt").
cd "${0%/*}/../.." || exit
exec tests/e2e/suite 6.12-rt --filter-tags each --filter-tags 'rt,!once' tests/e2e/cases/*.bats
