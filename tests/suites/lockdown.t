#!/bin/bash
# Kernel lockdown, which lasts until the VM ends: the calls that it must refuse, and no others.
cd "${0%/*}/../.." || exit
exec tests/e2e/suite 6.12 tests/e2e/cases/lockdown/*.bats
