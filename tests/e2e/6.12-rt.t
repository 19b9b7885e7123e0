#!/bin/bash
# The RT kernels: a short run of what sleeps or interrupts differently there, without the
# tests of what is alike on all kernels, tagged "once".
exec "${0%/*}/suite" 6.12-rt --filter-tags '!once' \
	"${0%/*}"/{shares,threadcreate,block,mutex,growth,heapstorm,wall,roles,loss,poll}.bats
