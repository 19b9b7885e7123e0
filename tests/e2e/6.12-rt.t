#!/bin/bash
# An RT kernel: a test or two of each source, tagged "each", and what
# sleeps or interrupts differently there, tagged "rt".
exec "${0%/*}/suite" 6.12-rt --filter-tags each --filter-tags 'rt,!once' "${0%/*}"/*.bats
