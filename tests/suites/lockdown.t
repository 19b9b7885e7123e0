#!/bin/bash
# A kernel that is locked down, and stays so until it ends: what is refused there, and no more.
cd "${0%/*}/../.." || exit
exec tests/e2e/suite 6.12 tests/e2e/cases/lockdown/*.bats
