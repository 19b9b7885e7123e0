#!/bin/bash
# The first kernel where tasks have their own exec state: a test or two of each source,
# tagged "each". 7.3.t has the rest.
cd "${0%/*}/../.." || exit
exec tests/e2e/suite 7.2 --filter-tags each tests/e2e/cases/*.bats
