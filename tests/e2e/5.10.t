#!/bin/bash
# The oldest kernel: a test or two of each source, tagged "each", and rights, which are
# compiled for it alone.
exec "${0%/*}/suite" 5.10 --filter-tags each --filter-tags 'rights,!once' "${0%/*}"/*.bats
