#!/bin/bash
# What make check tries; bookworm-short.t has the rest, and make check-fresh all on both.
exec "${0%/*}/run" trixie unit user
