#!/bin/bash
# The oldest kernel: the sources, rights, and what is compiled for it alone.
exec "${0%/*}/suite" 5.10 --filter-tags '!once' \
	"${0%/*}"/{access,rights,audit,block,growth,heap,labels,mutex,threadcreate}.bats
