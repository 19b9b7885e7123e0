// SPDX-License-Identifier: GPL-2.0
#include "stop.h"

#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <unistd.h>

int stop_open(void)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	return signalfd(-1, &signals, SFD_CLOEXEC);
}

int stop_take(struct stop *s)
{
	struct signalfd_siginfo signal;

	s->nr++;
	return read(s->fd, &signal, sizeof(signal)) < 0 ? -1 : 0;
}

bool stop_is_asked(const struct stop *s)
{
	struct pollfd fd = { .fd = s->fd, .events = POLLIN };

	return poll(&fd, 1, 0) == 1;
}

bool stop_is_urgent(void *ctx)
{
	struct stop *s = ctx;

	if (stop_is_asked(s))
		stop_take(s);
	return s->nr > 1;
}
