// SPDX-License-Identifier: GPL-2.0
#include "cli/check_arguments.h"

#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>

#include "cli/options.h"
#include "device/error_text.h"
#include "process/command.h"

static int check_pids(const struct settings *s)
{
	for (size_t i = 0; i < s->nr_pids; i++)
		if (kill(s->pids[i], 0) && errno == ESRCH) {
			device_error_print_attach(s->pids[i], -ESRCH);
			return -1;
		}
	return 0;
}

static int check_program(const char *program)
{
	char path[PATH_MAX];

	if (command_find(program, path))
		return 0;
	warnx("cannot run '%s': %s: name a program that exists and may be executed", program,
	      strerror(errno));
	return -1;
}

int check_arguments(const struct options *options)
{
	if (options->command != OPTIONS_DOCTOR && check_pids(&options->run))
		return -1;
	return options->run.program ? check_program(options->run.program[0]) : 0;
}
