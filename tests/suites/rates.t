#!/bin/bash
# Rates and shares that only exact time shows: one instruction is one nanosecond there.
cd "${0%/*}/../.." || exit
exec tests/e2e/suite --icount 6.12 tests/e2e/cases/icount/*.bats
