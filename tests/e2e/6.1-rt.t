#!/bin/bash
# The older RT kernel: what sleeps or interrupts differently there, beside 6.12-rt.
exec "${0%/*}/suite" 6.1-rt tests/e2e/{block,live,loss}.bats
