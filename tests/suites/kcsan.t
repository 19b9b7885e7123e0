#!/bin/bash
# A kernel with KCSAN, which finds data races: the tests in which several tasks do the same at
# the same time.
cd "${0%/*}/../.." || exit
exec tests/e2e/suite kcsan tests/stress/{processes,readers,modules,boundary}.bats \
	tests/e2e/cases/{lifecycle,loss,targets,live,wall,thread,block,mutex,growth,audit,status,thread_labels,custom,heapstorm,rights}.bats
