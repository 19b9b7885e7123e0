#!/bin/bash
# A kernel without high-resolution timers: the sources with ticks. The others are in 7.3.t.
cd "${0%/*}/../.." || exit
exec tests/e2e/suite --boot highres=off 6.12 tests/e2e/cases/lowres/*.bats
