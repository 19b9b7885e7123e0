#!/bin/bash
# The RT kernels: a short run of what sleeps or interrupts differently there.
exec "${0%/*}/suite" 6.1-rt tests/e2e/{shares,threadcreate,live,block,mutex,growth,wall,loss,audit,poll,abi}.bats
