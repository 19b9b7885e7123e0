#!/bin/bash
# At full speed, which races otherwise than the debug kernel. Calls, faults and modules
# are in debug-short.t.
exec "${0%/*}/../e2e/suite" 6.12 "${0%/*}"/{processes,readers}.bats
