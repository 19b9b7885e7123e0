#!/bin/bash
# Debian 12's kernel: one or two tests of each source (tag "each").
cd "${0%/*}/../.." || exit
exec tests/e2e/suite 6.1 --filter-tags each tests/e2e/cases/*.bats
