#!/bin/bash
# Debian 13's kernel: the tests that depend on the kernel. It leaves out the collector's own
# tests (tag "collector", in 7.3-collector.t), and single tests that one kernel is enough for
# (tag "once", in 7.3.t). Those of heap are in 6.12-rt.t, whose kernel has the same source.
cd "${0%/*}/../.." || exit
exec tests/e2e/suite 6.12 --filter-tags '!once,!collector,!heap' tests/e2e/cases/*.bats
