#!/bin/bash
# The heap profiles' breakpoints there: a third of the time that all take, in a VM of their own.
exec "${0%/*}/suite" debug "${0%/*}"/{heap,heapstorm}.bats
