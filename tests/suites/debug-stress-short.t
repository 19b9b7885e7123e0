#!/bin/bash
# What of it goes into minutes: calls of all kinds, and each with a tenth of what can fail
# in it. Most of that would be waiting for RCU, at whose usual pace the e2e tests run on
# this kernel.
cd "${0%/*}/../.." || exit
exec tests/e2e/suite --boot rcupdate.rcu_expedited=1 debug tests/stress/{boundary,faults,modules}.bats
