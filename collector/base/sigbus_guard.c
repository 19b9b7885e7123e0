// SPDX-License-Identifier: GPL-2.0
#include "base/sigbus_guard.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>

static __thread sigjmp_buf *guard;

/* The fault is synchronous: this runs in the faulting thread, and guard is that thread's. */
static void on_sigbus(int sig)
{
	if (guard)
		siglongjmp(*guard, 1);
	/* After the return the access is repeated. It then kills the process with a core. */
	signal(sig, SIG_DFL);
}

int sigbus_guard(int (*fn)(void *arg), void *arg)
{
	/* With SA_NODEFER the handler blocks no signal, so the jump has no mask to restore. */
	const struct sigaction sa = { .sa_handler = on_sigbus, .sa_flags = SA_NODEFER };
	sigjmp_buf *const outer = guard;
	sigjmp_buf here;
	int ret;

	/* Set at each call and never removed: no thread removes it while another one needs it. */
	sigaction(SIGBUS, &sa, NULL);
	if (sigsetjmp(here, 0)) {
		guard = outer;
		return -EIO;
	}
	guard = &here;
	ret = fn(arg);
	guard = outer;
	return ret;
}
