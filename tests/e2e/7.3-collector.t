#!/bin/bash
# The newest kernel: the collector's own tests, and those of what asks the kernel for little.
exec "${0%/*}/suite" 7.3 \
	"${0%/*}"/{badinput,code,custom,doctor,frames,labels,live,loss,names,overload,poll,protos,text,unwind}.bats
