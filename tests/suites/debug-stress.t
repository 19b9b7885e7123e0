#!/bin/bash
# On the kernel that sees most of what can go wrong.
cd "${0%/*}/../.." || exit
exec tests/e2e/suite debug tests/stress/*.bats
