#!/bin/bash
# The older RT kernel: a test or two of each source, tagged "each".
exec "${0%/*}/suite" 6.1-rt --filter-tags each "${0%/*}"/*.bats
