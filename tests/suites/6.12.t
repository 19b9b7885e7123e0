#!/bin/bash
# Debian 13's kernel: what meets the kernel. That is all but the tests of 7.3-collector.t,
# and but for those of that sort in other files, tagged "once". The heap's are in 6.12-rt.t,
# on the same source. 7.3.t has all.
cd "${0%/*}/../.." || exit
exec tests/e2e/suite 6.12 --filter-tags '!once,!collector,!heap' tests/e2e/cases/*.bats
