#!/bin/bash
# The kernel where tasks have their own exec state first: what that meets, and each source.
exec "${0%/*}/suite" 7.2 --filter-tags '!once' \
	"${0%/*}"/{access,rights,threadcreate,block,mutex,heap,labels}.bats
