#!/bin/bash
# The RT kernels: a short run of what sleeps or interrupts differently there.
exec "${0%/*}/suite" 6.12-rt tests/e2e/{shares,threadcreate,block,mutex,growth,heapstorm,wall,roles,loss,poll}.bats
