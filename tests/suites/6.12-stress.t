#!/bin/bash
# Stress tests at full speed: other races appear than on the slow debug kernel. The other
# stress tests are in debug-stress-short.t.
cd "${0%/*}/../.." || exit
exec tests/e2e/suite 6.12 tests/stress/{processes,readers}.bats
