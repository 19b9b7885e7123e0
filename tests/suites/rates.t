#!/bin/bash
# Rates, shares and costs that take exact time: an instruction takes one nanosecond (--icount).
cd "${0%/*}/../.." || exit
exec tests/e2e/suite --icount 6.12 tests/e2e/cases/icount/*.bats
