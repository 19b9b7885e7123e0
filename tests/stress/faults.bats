#!/usr/bin/env bats
# Makes allocations and copies fail (faults.c). Only the debug kernel can inject faults.

load ../e2e/lib/helpers

@test "each call, with a fault at each point that can fail" {
	vm test -e /proc/self/fail-nth || {
		vm test ! -e /sys/kernel/debug/kmemleak	# the debug kernel must not be skipped
		skip 'this kernel injects no faults'
	}
	LIMIT=40000 figures vm <<-'END'
		rmmod pprof
		cd /sys/kernel/debug
		for kind in failslab fail_page_alloc fail_usercopy; do
			echo 0 >$kind/verbose
		done
		echo N >failslab/ignore-gfp-wait
		echo N >fail_page_alloc/ignore-gfp-wait
		echo N >fail_page_alloc/ignore-gfp-highmem
		echo 0 >fail_page_alloc/min-order
		cp $module /run/e2e/pprof.ko	# on 9p, a fault would leave a file open
		echo 'faults.bats: begin' >/dev/kmsg
		trap "echo 'faults.bats: end' >/dev/kmsg" EXIT
		as-nobody idle >/dev/null & faults /run/e2e/pprof.ko $! $(rounds 40 500) $(rounds 10 1)
		insmod $module
	END
}
