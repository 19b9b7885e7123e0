#!/bin/bash
# The part of tests/fresh/run that make check runs on Debian 12. trixie-short.t has other
# checks, and make check-fresh runs all of them on both releases.
exec "${0%/*}/run" bookworm compiler demo e2e real
