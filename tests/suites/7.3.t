#!/bin/bash
# The newest kernel: all tests but those in 7.3-collector.t.
cd "${0%/*}/../.." || exit
exec tests/e2e/suite 7.3 --filter-tags '!collector' tests/e2e/cases/*.bats
