#!/bin/bash
# The first kernel where each task has its own exec state: one or two tests of each source
# (tag "each"). 7.3.t has the others.
cd "${0%/*}/../.." || exit
exec tests/e2e/suite 7.2 --filter-tags each tests/e2e/cases/*.bats
