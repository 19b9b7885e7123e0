#!/bin/bash
# The oldest kernel: each source, rights, and what is compiled for it alone.
exec "${0%/*}/suite" 5.10 --filter-tags '!once' \
	"${0%/*}"/{access,rights,audit,block,growth,heap,labels,lifecycle,mutex,thread,threadcreate,unwind,wall}.bats
