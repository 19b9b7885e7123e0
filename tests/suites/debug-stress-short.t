#!/bin/bash
# The part of debug-stress.t that takes only minutes: all kinds of calls, in order, in races, and
# each with a tenth of the possible faults. RCU grace periods are expedited, as most of the time
# would be waiting for these. The e2e tests on this kernel run with the usual pace.
cd "${0%/*}/../.." || exit
exec tests/e2e/suite --boot rcupdate.rcu_expedited=1 debug tests/stress/{boundary,races,faults,modules}.bats
