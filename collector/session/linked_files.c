// SPDX-License-Identifier: GPL-2.0
#include "session/linked_files.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "arch/machine.h"
#include "base/clock.h"
#include "procfs/live_thread.h"
#include "procfs/mapped_file.h"
#include "procfs/procfs.h"
#include "process/command.h"
#include "base/regular_file.h"

#define MAX_PHDRS	64
#define LIST_BYTES	65536
#define LIST_MS		5000
#define NS_PER_MS	UINT64_C(1000000)
#define MAX_LINKER_ARGUMENTS	16	/* of a dynamic linker, with its program */

extern char **environ;

static void add(struct linked_files *l, int fd)
{
	if (fd < 0)
		return;
	if (l->nr < sizeof(l->fds) / sizeof(*l->fds))
		l->fds[l->nr++] = fd;
	else
		close(fd);
}

void linked_files_fini(struct linked_files *l)
{
	while (l->nr)
		close(l->fds[--l->nr]);
}

static bool read_at(int fd, uint64_t offset, void *to, size_t bytes)
{
	return pread(fd, to, bytes, offset) == (ssize_t)bytes;
}

/*
 * Returns: 1 for a 64-bit program; 0 for a script or another file; -ENOEXEC for an ELF file of
 * 32 bits or of another CPU.
 */
static int read_header(int fd, Elf64_Ehdr *ehdr)
{
	if (!read_at(fd, 0, ehdr, sizeof(*ehdr)) || memcmp(ehdr->e_ident, ELFMAG, SELFMAG))
		return 0;
	if (ehdr->e_ident[EI_CLASS] != ELFCLASS64 || ehdr->e_machine != ARCH_MACHINE)
		return -ENOEXEC;
	return (ehdr->e_type == ET_EXEC || ehdr->e_type == ET_DYN) &&
	       ehdr->e_phentsize == sizeof(Elf64_Phdr);
}

/* The files of a process */

struct opening {
	pid_t pid;
	size_t nr;
	size_t nr_unopened;
	uint64_t addresses[LINK_MAP_MAX];
	int fds[LINK_MAP_MAX];	/* -1: not found yet */
};

/*
 * /proc/PID/map_files needs CAP_CHECKPOINT_RESTORE: without it, the file is opened by its path.
 * Returns: a descriptor, or a negative errno.
 */
static int open_mapped(pid_t pid, const struct maps_entry *e, const char *name)
{
	const struct mapped_inode inode = { e->dev_major, e->dev_minor, e->ino };
	char path[PATH_MAX + 32];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, pid, e->start,
		 e->end);
	fd = mapped_open(path, &inode);
	if (fd >= 0 || *name != '/' || e->deleted)
		return fd;
	snprintf(path, sizeof(path), "/proc/%d/root%s", pid, name);
	return mapped_open(path, &inode);
}

/* A procfs_maps() callback: opens the files that are mapped at opening->addresses. */
static int open_those_in(void *ctx, const struct maps_entry *e, const char *name)
{
	struct opening *opening = ctx;

	for (size_t i = 0; i < opening->nr; i++) {
		if (opening->fds[i] >= 0 || opening->addresses[i] < e->start ||
		    opening->addresses[i] >= e->end)
			continue;
		opening->fds[i] = open_mapped(opening->pid, e, name);
		opening->nr_unopened += opening->fds[i] < 0 && *name == '/';
	}
	return 0;
}

int linked_files_of_process(struct linked_files *l, pid_t pid)
{
	struct opening opening = { .pid = live_thread(pid) };
	char path[32];
	Elf64_Ehdr ehdr;
	int fd;

	l->nr = 0;
	l->nr_unopened = 0;
	snprintf(path, sizeof(path), "/proc/%d/exe", opening.pid);
	fd = regular_open(path);
	if (fd < 0)
		return fd == -ENOENT ? -ESRCH : fd;
	add(l, fd);
	if (read_header(fd, &ehdr) < 0)
		return -ENOEXEC;
	opening.nr = link_map_read(opening.pid, opening.addresses);
	memset(opening.fds, -1, sizeof(opening.fds));
	procfs_maps(opening.pid, open_those_in, &opening);
	for (size_t i = 0; i < opening.nr; i++)
		add(l, opening.fds[i]);
	l->nr_unopened = opening.nr_unopened;
	return 0;
}

/* The files of a program that is not executed yet */

/* Reads the path of the dynamic linker. Returns: false if the program names none. */
static bool find_interpreter(int fd, const Elf64_Ehdr *ehdr, char path[PATH_MAX])
{
	Elf64_Phdr phdr;

	for (int i = 0; i < ehdr->e_phnum && i < MAX_PHDRS; i++) {
		if (!read_at(fd, ehdr->e_phoff + i * sizeof(phdr), &phdr, sizeof(phdr)))
			return false;
		if (phdr.p_type != PT_INTERP)
			continue;
		if (phdr.p_filesz < 2 || phdr.p_filesz >= PATH_MAX ||
		    !read_at(fd, phdr.p_offset, path, phdr.p_filesz))
			return false;
		path[phdr.p_filesz] = 0;
		return *path == '/';
	}
	return false;
}

/* Reads the output of a child until it ends, text is full, or LIST_MS have passed. */
static void read_output(int fd, char *text, size_t size)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + LIST_MS * NS_PER_MS, now = 0;
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	size_t len = 0;
	ssize_t got = 1;

	while (got > 0 && len + 1 < size && (now = clock_ns(CLOCK_MONOTONIC)) < end &&
	       poll(&ready, 1, (end - now) / NS_PER_MS) > 0) {
		got = read(fd, text + len, size - 1 - len);
		len += got > 0 ? got : 0;
	}
	text[len] = 0;
}

/* Returns: the pid, or -1. arguments are those after --list. */
static pid_t start_list(char *interpreter, char *const *arguments, int out)
{
	char list[] = "--list", *argv[MAX_LINKER_ARGUMENTS + 3] = { interpreter, list };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t none;
	pid_t pid;
	int err;

	for (int i = 0; i < MAX_LINKER_ARGUMENTS && arguments[i]; i++)
		argv[i + 2] = arguments[i];
	sigemptyset(&none);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	err = posix_spawn(&pid, interpreter, &actions, &attr, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attr);
	return err ? -1 : pid;
}

/*
 * Runs the dynamic linker with --list, as ldd(1) does. It is the program's own interpreter, so no
 * file is executed that the program would not execute. text is empty after a failure.
 */
static void list_files(char *interpreter, char *const *arguments, char *text, size_t size)
{
	int fds[2];
	pid_t pid;

	*text = 0;
	if (pipe2(fds, O_CLOEXEC))
		return;
	pid = start_list(interpreter, arguments, fds[1]);
	close(fds[1]);
	if (pid > 0) {
		read_output(fds[0], text, size);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	close(fds[0]);
}

/*
 * A line is "NAME => PATH (ADDRESS)" or "PATH (ADDRESS)". The vdso has a name without a slash, and
 * is left out. A path may be relative, as in LD_PRELOAD.
 */
static void add_line(struct linked_files *l, char *line)
{
	char *path = strstr(line, "=> "), *end;

	path = path ? path + 3 : line + strspn(line, " \t");
	end = strrchr(path, '(');
	if (!end || end == path)
		return;
	end[-1] = 0;
	if (!strchr(path, '/'))
		return;
	add(l, regular_open(path));
}

/*
 * Returns the index in argv of the program that a dynamic linker is to start, or 0: argv[0] is no
 * dynamic linker, or starts none. glibc's options have a value, except for --inhibit-cache.
 */
static int find_started(char *const *argv, const char *path)
{
	int i = 1;

	if (strcmp(basename(path), ARCH_LINKER))
		return 0;
	while (argv[i] && !strncmp(argv[i], "--", 2)) {
		if (strcmp(argv[i], "--inhibit-cache") && argv[i + 1])
			i++;
		i++;
	}
	return argv[i] && i <= MAX_LINKER_ARGUMENTS ? i : 0;
}

/* Adds the files that the dynamic linker lists. Returns: 1, or 0 if it listed nothing. */
static int add_listed(struct linked_files *l, char *interpreter, char *const *arguments)
{
	char text[LIST_BYTES], *rest, *line;
	size_t nr = l->nr;

	list_files(interpreter, arguments, text, sizeof(text));
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		add_line(l, line);
	return l->nr > nr;
}

int linked_files_of_program(struct linked_files *l, char *const *argv)
{
	char path[PATH_MAX], interpreter[PATH_MAX], *program[] = { path, NULL };
	int fd, is_known, started;
	Elf64_Ehdr ehdr;

	l->nr = 0;
	l->nr_unopened = 0;
	fd = command_find(argv[0], path) ? regular_open(path) : -1;
	started = fd < 0 ? 0 : find_started(argv, path);
	add(l, started ? regular_open(argv[started]) : fd);
	is_known = fd < 0 ? 0 : read_header(fd, &ehdr);
	if (started)
		close(fd);
	if (is_known <= 0)
		return is_known;
	if (started)
		return add_listed(l, path, argv + 1);
	if (!find_interpreter(fd, &ehdr, interpreter))
		return 1;
	return add_listed(l, interpreter, program);
}
