#!/bin/bash
# What make check tries; trixie-short.t has the rest, and make check-fresh all on both.
exec "${0%/*}/run" bookworm compiler demo e2e real
