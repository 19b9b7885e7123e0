// SPDX-License-Identifier: GPL-2.0
#include "base/sigbus_guard.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>

static __thread sigjmp_buf *guard;

/* The fault is synchronous: the guard that is seen is the faulting thread's. */
static void on_sigbus(int sig)
{
	if (guard)
		siglongjmp(*guard, 1);
	/* Returning repeats the access, which then kills us with a core. */
	signal(sig, SIG_DFL);
}

int sigbus_guard(int (*fn)(void *arg), void *arg)
{
	/* SA_NODEFER: the jump needs no signal mask restored. */
	const struct sigaction sa = { .sa_handler = on_sigbus, .sa_flags = SA_NODEFER };
	sigjmp_buf *const outer = guard;
	sigjmp_buf here;
	int ret;

	/* Each time: never undone, threads can't take it from each other. */
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
