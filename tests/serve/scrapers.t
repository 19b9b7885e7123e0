#!/bin/bash
# Real scrapers, and the newest pprof: see scrapers.bats. Those that cannot be built are skipped.
#
#   PARCA_SOURCE=DIR ALLOY_SOURCE=DIR tests/serve/scrapers.t
cd "${0%/*}/../.." || exit
tests/serve/clients build/clients || exit
exec tests/e2e/suite 7.3 tests/serve/scrapers.bats
