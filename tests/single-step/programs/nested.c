// SPDX-License-Identifier: GPL-2.0
/* Signal handlers in signal handlers: as many as a walk follows, and with "more" a few more. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define NR_FOLLOWED	8
#define NR_MORE		12

static volatile sig_atomic_t nr_left;

static void on_signal(int signal)
{
	if (--nr_left > 0)
		raise(signal);
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_NODEFER };

	nr_left = argc > 1 && !strcmp(argv[1], "more") ? NR_MORE : NR_FOLLOWED;
	if (sigaction(SIGUSR1, &action, NULL))
		return 1;
	raise(SIGUSR1);
	return nr_left;
}
