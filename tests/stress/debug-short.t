#!/bin/bash
# What of it goes into minutes: calls of all kinds, and each with what can fail in it.
exec "${0%/*}/../e2e/suite" debug "${0%/*}"/{boundary,faults,modules}.bats
