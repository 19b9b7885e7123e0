#!/bin/bash
# An RT kernel: a test or two of each source, tagged "each", and what
# sleeps or interrupts differently there, tagged "rt".
cd "${0%/*}/../.." || exit
exec tests/e2e/suite 6.12-rt --filter-tags each --filter-tags 'rt,!once' tests/e2e/cases/*.bats
