#!/bin/bash
# Debian 12's kernel: a test or two of each source, tagged "each", and rights.
cd "${0%/*}/../.." || exit
exec tests/e2e/suite 6.1 --filter-tags each --filter-tags 'rights,!once' tests/e2e/cases/*.bats
