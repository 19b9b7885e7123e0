#!/bin/bash
# The first kernel where tasks have their own exec state: a test or two of each source,
# tagged "each". 7.3.t has the rest.
exec "${0%/*}/suite" 7.2 --filter-tags each "${0%/*}"/*.bats
