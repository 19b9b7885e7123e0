#!/bin/bash
# All stress tests on the debug kernel, which finds most kinds of faults.
cd "${0%/*}/../.." || exit
exec tests/e2e/suite debug tests/stress/*.bats
