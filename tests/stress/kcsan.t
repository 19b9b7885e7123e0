#!/bin/bash
# Data races: where several do the same at the same time.
exec "${0%/*}/../e2e/suite" kcsan "${0%/*}"/{processes,readers,modules,boundary}.bats \
	"${0%/*}"/../e2e/{lifecycle,loss,targets,live,wall,thread,block,mutex,growth,audit,status,roles,custom,heapstorm,rights}.bats
