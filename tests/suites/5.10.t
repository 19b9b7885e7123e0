#!/bin/bash
# The oldest kernel: one or two tests of each source (tag "each"), and the tests of rights,
# whose code differs for this kernel.
cd "${0%/*}/../.." || exit
exec tests/e2e/suite 5.10 --filter-tags each --filter-tags 'rights,!once' tests/e2e/cases/*.bats
