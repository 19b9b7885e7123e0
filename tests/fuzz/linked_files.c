// SPDX-License-Identifier: GPL-2.0
// sources: collector/session/linked_files.c collector/procfs/link_map.c
// libs: -Wl,--wrap=posix_spawn,--wrap=pipe2,--wrap=kill,--wrap=waitpid
/*
 * Input: the file of a program, FILE_BYTES long, and the list that its dynamic linker prints. No
 * more files are returned than fit, and none stays open. No program is executed.
 */
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "session/linked_files.h"
#include "procfs/procfs.h"
#include "process/command.h"
#include "base/regular_file.h"

#define FILE_BYTES	512
#define PROGRAM		"/nowhere/program"
#define LINKER		"/nowhere/ld-linux-x86-64.so.2"
#define LIST_PID	1234567

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int __wrap_posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
		       const posix_spawnattr_t *attr, char *const *argv, char *const *env);
int __real_pipe2(int fds[2], int flags);
int __wrap_pipe2(int fds[2], int flags);
int __wrap_kill(pid_t pid, int signal);
pid_t __wrap_waitpid(pid_t pid, int *status, int options);

static const uint8_t *list;
static size_t list_bytes;
static int program, nr_open;

static void check(bool holds)
{
	if (!holds)
		abort();
}

bool command_find(const char *name, char path[PATH_MAX])
{
	strcpy(path, name);
	return true;
}

struct mapped_inode;

int regular_open(const char *path)
{
	(void)path;
	nr_open++;
	return dup(program);
}

int mapped_open(const char *path, const struct mapped_inode *inode)
{
	(void)inode;
	return regular_open(path);
}

pid_t live_thread(pid_t pid)
{
	return pid;
}

int procfs_maps(pid_t pid, procfs_maps_fn fn, void *ctx)
{
	(void)pid;
	(void)fn;
	(void)ctx;
	return 0;
}

/* The pipe holds what the child would have written, and has no other writer. */
int __wrap_pipe2(int fds[2], int flags)
{
	int ret = __real_pipe2(fds, flags);

	check(!ret && write(fds[1], list, list_bytes) == (ssize_t)list_bytes);
	return ret;
}

int __wrap_posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
		       const posix_spawnattr_t *attr, char *const *argv, char *const *env)
{
	(void)actions;
	(void)attr;
	(void)env;
	check(*path == '/' && !strcmp(argv[2], PROGRAM));
	*pid = LIST_PID;
	return 0;
}

int __wrap_kill(pid_t pid, int signal)
{
	check(pid == LIST_PID && signal == SIGKILL);
	return 0;
}

pid_t __wrap_waitpid(pid_t pid, int *status, int options)
{
	(void)status;
	(void)options;
	return pid;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t bytes = size < FILE_BYTES ? size : FILE_BYTES;
	struct linked_files l;
	char *const direct[] = { PROGRAM, NULL }, *const by_linker[] = { LINKER, PROGRAM, NULL };
	int before = dup(0), after;

	close(before);
	program = memfd_create("fuzz", MFD_CLOEXEC);
	check(program >= 0 && write(program, data, bytes) == (ssize_t)bytes);
	list = data + bytes;
	list_bytes = size - bytes < 65536 ? size - bytes : 65536;
	nr_open = 0;
	linked_files_of_program(&l, size % 2 ? direct : by_linker);
	check(l.nr <= LINK_MAP_MAX + 1 && (int)l.nr <= nr_open);
	linked_files_fini(&l);
	close(program);
	after = dup(0);
	close(after);
	check(after == before);
	return 0;
}
