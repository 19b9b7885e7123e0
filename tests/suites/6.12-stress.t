#!/bin/bash
# At full speed, which races otherwise than the debug kernel. Calls, faults and modules
# are in debug-stress-short.t.
cd "${0%/*}/../.." || exit
exec tests/e2e/suite 6.12 tests/stress/{processes,readers}.bats
