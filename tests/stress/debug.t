#!/bin/bash
# On the kernel that sees most of what can go wrong.
exec "${0%/*}/../e2e/suite" debug "${0%/*}"/*.bats
