#!/bin/bash
# Tests which lines dmesg-clean prints as complaints, and which it does not. Prints TAP.
set -euo pipefail
cd "$(dirname "$0")"

number=0

look() { # CODE NAME: expects this exit code for the log on standard input
	local code=0 found
	number=$((number + 1))
	found=$(./dmesg-clean -) || code=$?
	[[ $code -eq $1 && ($code -ne 1 || $found) ]] || printf 'not '
	echo "ok $number - $2"
}

# The kernel logs this when it could not disarm a kprobe.
not_disarmed='[ 1.0] ------------[ cut here ]------------
[ 1.0] Failed to disarm kprobe-ftrace at perf_event_mmap+0x0/0x10 (error -12)
[ 1.0] WARNING: CPU: 0 PID: 9 at kernel/kprobes.c:1130 __disarm_kprobe_ftrace+0x10/0x20
[ 1.0] Call Trace:
[ 1.0]  </TASK>'

# The kernel logs this when it had no memory for the static keys of a module.
no_keys='[ 1.0] Failed to allocate memory: jump_label may not work properly.
[ 1.0] WARNING: CPU: 0 PID: 9 at kernel/jump_label.c:840 jump_label_module_notify+0x1/0x2
[ 1.0] Call Trace:
[ 1.0]  </TASK>
[ 1.0] WARNING: CPU: 0 PID: 9 at kernel/jump_label.c:794 jump_label_del_module+0x1/0x2
[ 1.0] Call Trace:
[ 1.0]  </TASK>'

race() { # MODULE
	printf '%s\n' '[ 1.0] BUG: KCSAN: data-race in a / b' '[ 1.0] ' \
		"[ 1.0]  a+0x1/0x2 $1" '[ 1.0] ' '[ 1.0] ==================='
}

echo 1..27
look 0 'nothing' </dev/null
look 0 'a line that is no complaint' <<<'[ 1.0] Linux version 6.12: it warns of BUGs'
look 1 'a warning' <<<$'[ 1.0] one\r\n[ 1.0] WARNING: CPU: 0 PID: 1 at a.c:1\r'
look 1 'a NUL before it' < <(printf '[ 1.0] \0 BUG: bad\n')
look 1 'lockdep' <<<'[ 1.0] WARNING: possible circular locking dependency detected'
look 1 'a collector that ends by a signal' <<<'[ 1.0] pprof-collect[12]: segfault at 0 ip 0'
look 1 'a breakpoint that was left' <<<'[ 1.0] traps: allocs[12] trap int3 ip:1 sp:2 error:0'
look 0 'a process that faults' <<<'[ 1.0] wildstack[9] general protection fault ip:1 sp:2'
look 0 'memory that ran out' <<<$'[ 1.0] sh invoked oom-killer: x\n[ 1.0] Call Trace:\n[ 1.0] </TASK>'
look 1 'the same stack without it' <<<'[ 1.0] Call Trace:'
look 0 'a race of the kernel alone' < <(race '')
look 1 "the module's race" < <(race '[pprof]')
look 0 'a race of paths, in a file that the module opens' < <(race $'\n[ 1.0]  do_filp_open+0x1/0x2\n[ 1.0]  b+0x1/0x2 [pprof]')
look 1 "the module's race in the next stack" < <(race $'\n[ 1.0]  do_filp_open+0x1/0x2\n[ 1.0] \n[ 1.0]  b+0x1/0x2 [pprof]')
look 0 'a race of a thread that the module wakes' < <(race $'\n[ 1.0]  __wake_up_common+0x1/0x2\n[ 1.0]  b+0x1/0x2 [pprof]')
look 0 'a race of a work item, which the module queues' < <(race $'\n[ 1.0]  queue_work_on+0x1/0x2\n[ 1.0]  b+0x1/0x2 [pprof]')
look 0 'a race of the CPU that runs a timer, which the module stops' < <(race $'\n[ 1.0]  hrtimer_active+0x1/0x2\n[ 1.0]  b+0x1/0x2 [pprof]')
look 1 "the module's race with that" < <(race $'[pprof]\n[ 1.0] \n[ 1.0]  hrtimer_active+0x1/0x2\n[ 1.0]  b+0x1/0x2 [pprof]')
look 1 "the module's race as it is woken" < <(race $'[pprof]\n[ 1.0]  __wake_up_common+0x1/0x2\n[ 1.0]  b+0x1/0x2')
look 0 "the kernel's race, in an interrupt of the module's work" < <(race $'\n[ 1.0]  asm_a+0x1/0x2\n[ 1.0]  b+0x1/0x2 [pprof]\n[ 1.0] \n[ 1.0] Reported by Kernel Concurrency Sanitizer on:\n[ 1.0] Workqueue: events_unbound b [pprof]')
look 1 'a kprobe that stayed' <<<"$not_disarmed"
look 0 'the same where faults are made' <<<"faults.bats: begin
$not_disarmed
faults.bats: end"
look 1 'the same after that' <<<"faults.bats: begin
faults.bats: end
$not_disarmed"
look 1 'a load without memory' <<<"$no_keys"
look 0 'the same where faults are made' <<<"faults.bats: begin
$no_keys"
look 1 'another warning there' <<<"faults.bats: begin
$no_keys
[ 1.0] WARNING: CPU: 0 PID: 9 at mm/slab.c:1 f+0x1/0x2"

# A log that could not be searched is not clean.
broken=$(mktemp -d)
PATH=$broken:$PATH
trap 'rm -r "$broken"' EXIT
printf '#!/bin/sh\nexit 3\n' >"$broken/awk"
chmod +x "$broken/awk"
look 2 'a filter that dies' <<<'[ 1.0] all is well'
