#!/bin/bash
# The oldest kernel: a test or two of each source, tagged "each", and rights, which are
# compiled for it alone.
cd "${0%/*}/../.." || exit
exec tests/e2e/suite 5.10 --filter-tags each --filter-tags 'rights,!once' tests/e2e/cases/*.bats
