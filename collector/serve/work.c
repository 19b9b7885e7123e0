// SPDX-License-Identifier: GPL-2.0
/*
 * A profile is a run of `pprof-collect profile`. A run gives up its rights before it reads foreign
 * files, so a process can do one run only. Work that needs two runs, or converts the result of one,
 * forks: the children write into files in memory. This process gives up its own rights, and then
 * reads these files.
 */
#include "serve/work.h"

#include <err.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aggregate/profile_types.h"
#include "base/stop_signals.h"
#include "device/device.h"
#include "device/error_text.h"
#include "push/push_settings.h"
#include "run/privileges.h"
#include "run/profile_list.h"
#include "run/run.h"
#include "serve/collection.h"
#include "serve/convert.h"
#include "serve/recorder.h"
#include "serve/symbols.h"
#include "serve/targets.h"
#include "session/settings.h"
#include "symbol/elf_symbolizer.h"

#define NS_PER_SECOND	UINT64_C(1000000000)

static void fill_settings(struct settings *s, const struct settings *from,
			  const struct serve_collection *c, pid_t *pid)
{
	*s = *from;
	s->quiet = true;
	s->output = "-";
	s->flame = NULL;
	*pid = c->pid;
	serve_targets_choose(s, pid);
	s->profile_types = 1U << c->type;
	s->custom = c->type == PROFILE_TYPE_CUSTOM ? c->custom : NULL;
	s->duration_ns = c->seconds * NS_PER_SECOND;
	s->debug = c->is_flame ? 0 : c->debug;
}

/* recorder is the socket of a recorder that counts the type, or -1 for a run. */
static int take_profile(const struct serve_collection *c, const struct settings *from,
			int recorder)
{
	static const struct push_settings no_push;
	struct settings s;
	int stop_fd;
	pid_t pid;

	if (recorder >= 0)
		return serve_recorder_ask(recorder, c->type, c->is_flame ? 0 : c->debug,
					  STDOUT_FILENO, STDERR_FILENO);
	stop_fd = stop_open();
	fill_settings(&s, from, c, &pid);
	if (stop_fd < 0) {
		warnx("cannot watch for signals: %s: raise 'ulimit -n'", strerror(errno));
		return SERVE_FAILED;
	}
	return run_profile(&s, &no_push, stop_fd, NULL) ? SERVE_FAILED : SERVE_DONE;
}

static bool is_in_list(const struct pprof_custom_name *names, int nr, const char *name)
{
	for (int i = 0; i < nr; i++)
		if (!strncmp((const char *)names[i].name, name, PPROF_CUSTOM_NAME_BYTES))
			return true;
	return false;
}

/* Without the module there are no custom profiles, so a name is unknown. */
static int check_custom(const struct serve_collection *c)
{
	struct pprof_custom_name names[PPROF_MAX_CUSTOM_PROFILES];
	struct device *d;
	int nr;

	if (!c->pid || !c->custom[0])
		return SERVE_UNKNOWN;
	d = device_open();
	if (!d && (errno == ENOENT || errno == ENXIO || errno == ENODEV))
		return SERVE_UNKNOWN;
	if (!d) {
		device_error_print_open();
		return SERVE_FAILED;
	}
	nr = device_custom_list(d, c->pid, names, PPROF_MAX_CUSTOM_PROFILES);
	device_close(d);
	if (nr < 0) {
		device_error_print_custom(c->pid, nr);
		return SERVE_FAILED;
	}
	return is_in_list(names, nr, c->custom) ? SERVE_DONE : SERVE_UNKNOWN;
}

static int check_type(const struct serve_collection *c, const struct settings *settings)
{
	const char *refusal = serve_targets_refusal(settings, c->pid, c->type);

	if (c->type == PROFILE_TYPE_CUSTOM)
		return check_custom(c);
	if (refusal)
		warnx("%s", refusal);
	return refusal ? SERVE_FAILED : SERVE_DONE;
}

/* The child ends with this process. */
static pid_t fork_profile(const struct serve_collection *c, const struct settings *settings,
			  int recorder, int out_fd)
{
	pid_t parent = getpid(), pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || dup2(out_fd, STDOUT_FILENO) < 0)
		_exit(SERVE_FAILED);
	_exit(take_profile(c, settings, recorder));
}

/*
 * Takes a profile into a file in memory.
 * Returns: its descriptor, which the caller closes; or -1 after it printed the cause.
 */
static int take_into_memory(const struct serve_collection *c, const struct settings *settings,
			    int recorder)
{
	int fd = memfd_create("profile", MFD_CLOEXEC), status = 0;
	pid_t pid = fd < 0 ? -1 : fork_profile(c, settings, recorder, fd);

	if (pid > 0 && waitpid(pid, &status, 0) == pid && !status)
		return fd;
	if (pid < 0)
		warnx("cannot start a profile: %s: end other processes, or free memory",
		      strerror(errno));
	else if (WIFSIGNALED(status))
		warnx("the profile was ended by signal %d: ask again", WTERMSIG(status));
	if (fd >= 0)
		close(fd);
	return -1;
}

/* This process only reads what its children wrote. */
static int give_up_rights(void)
{
	const struct privileges_seal seal = { 0 };

	return privileges_seal(&seal) ? -1 : privileges_end_profile(&(int){ -1 }, 1);
}

static int take_changed(const struct serve_collection *c, const struct settings *settings,
			int recorder)
{
	int fd = take_into_memory(c, settings, recorder), err = -1;

	if (fd < 0)
		return SERVE_FAILED;
	if (!give_up_rights())
		err = serve_convert(c, fd);
	close(fd);
	return err ? SERVE_FAILED : SERVE_DONE;
}

/* Takes the stacks of threads now and after some seconds, and writes the difference. */
static int take_difference(const struct serve_collection *c, const struct settings *settings)
{
	struct serve_collection now = *c;
	int first, second = -1, err = -1;

	now.seconds = 0;
	first = take_into_memory(&now, settings, -1);
	if (first >= 0) {
		poll(NULL, 0, c->seconds * 1000);
		second = take_into_memory(&now, settings, -1);
	}
	if (second >= 0 && !give_up_rights())
		err = serve_convert_difference(c, first, second);
	if (first >= 0)
		close(first);
	if (second >= 0)
		close(second);
	return err ? SERVE_FAILED : SERVE_DONE;
}

static int profile(const struct serve_collection *c, const struct settings *settings, int recorder)
{
	int code = check_type(c, settings);

	if (code != SERVE_DONE)
		return code;
	if (c->type == PROFILE_TYPE_THREAD && c->seconds)
		return take_difference(c, settings);
	if (c->is_flame || (c->is_goroutine && c->debug < 2))
		return take_changed(c, settings, recorder);
	return take_profile(c, settings, recorder);
}

static int list(const struct serve_collection *c)
{
	return !c->pid || profile_list_print(c->pid, stdout) ? SERVE_FAILED : SERVE_DONE;
}

static int symbols(const struct serve_collection *c, int text_fd)
{
	const struct privileges_seal seal = { .asks_servers = elf_symbolizer_has_servers() };

	if (privileges_seal(&seal))
		return SERVE_FAILED;
	return serve_symbols_write(c->pid, text_fd, stdout) ? SERVE_FAILED : SERVE_DONE;
}

int serve_work(const struct serve_collection *c, const struct settings *settings, int fd)
{
	switch (c->kind) {
	case SERVE_PROFILE:
		return profile(c, settings, fd);
	case SERVE_CUSTOM_EXISTS:
		return check_custom(c);
	case SERVE_LIST:
		return list(c);
	case SERVE_SYMBOLS:
		return symbols(c, fd);
	}
	return SERVE_FAILED;
}
