#!/bin/bash
# Debian 12's kernel: a test or two of each source, tagged "each", and rights.
exec "${0%/*}/suite" 6.1 --filter-tags each --filter-tags 'rights,!once' "${0%/*}"/*.bats
