// SPDX-License-Identifier: GPL-2.0
#include "base/stop_signals.h"

#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <unistd.h>

/*
 * nohup(1) ignores SIGHUP. A signalfd would deliver it nevertheless: the kernel queues a blocked
 * signal even if it is ignored.
 */
static bool is_hangup_ignored(void)
{
	struct sigaction action;

	return !sigaction(SIGHUP, NULL, &action) && action.sa_handler == SIG_IGN;
}

int stop_open(void)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	if (!is_hangup_ignored())
		sigaddset(&signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	return signalfd(-1, &signals, SFD_CLOEXEC);
}

/* A terminal that closes may cause several SIGHUPs: one by its shell, another by the kernel. */
int stop_take(struct stop *s)
{
	struct signalfd_siginfo signal;

	if (read(s->fd, &signal, sizeof(signal)) < 0)
		return -1;
	if (signal.ssi_signo != SIGHUP || !s->nr)
		s->nr++;
	return 0;
}

bool stop_is_asked(const struct stop *s)
{
	struct pollfd fd = { .fd = s->fd, .events = POLLIN };

	return poll(&fd, 1, 0) == 1;
}

bool stop_is_asked_anew(struct stop *s)
{
	unsigned int before = s->nr;

	if (stop_is_asked(s))
		stop_take(s);
	return s->nr > before;
}

bool stop_is_urgent(void *ctx)
{
	struct stop *s = ctx;

	stop_is_asked_anew(s);
	return s->nr > 1;
}
