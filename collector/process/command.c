// SPDX-License-Identifier: GPL-2.0
#include "process/command.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/regular_file.h"

#define PAGE_BYTES	4096

struct command {
	pid_t pid;
	int fd;
	/*
	 * One byte to the child lets it execute. The child sends the errno of execvp() back. A
	 * successful exec closes its end.
	 */
	int socket;
};

void command_start_now(struct command_start *start)
{
	sigprocmask(SIG_BLOCK, NULL, &start->blocked);
	getrlimit(RLIMIT_NOFILE, &start->files);
	start->on_child = signal(SIGCHLD, SIG_DFL);
}

/* For a folder X_OK is the right to search it. */
static bool may_be_executed(const char *path)
{
	struct stat st;

	if (access(path, X_OK) || stat(path, &st))
		return false;
	if (!S_ISREG(st.st_mode))
		errno = EACCES;
	return S_ISREG(st.st_mode);
}

/* Like execvp(), searches on after EACCES, but remembers it. */
static bool find_in_path(const char *program, char path[PATH_MAX])
{
	const char *list = getenv("PATH"), *end;
	int len, err = ENOENT;

	for (list = list ? list : "/bin:/usr/bin"; list; list = *end ? end + 1 : NULL) {
		end = strchrnul(list, ':');
		len = end - list;
		if (snprintf(path, PATH_MAX, "%.*s%s%s", len, list, len ? "/" : "./", program) >=
		    PATH_MAX)
			continue;
		if (may_be_executed(path))
			return true;
		if (errno == EACCES)
			err = EACCES;
	}
	errno = err;
	return false;
}

bool command_find(const char *program, char path[PATH_MAX])
{
	errno = *program ? ENAMETOOLONG : ENOENT;
	if (!*program || strlen(program) >= PATH_MAX)
		return false;
	if (!strchr(program, '/'))
		return find_in_path(program, path);
	strcpy(path, program);
	return may_be_executed(path);
}

/*
 * Maps a page of the program as code, which the child inherits.
 * Returns: the page, or MAP_FAILED if the program is not a readable ELF file.
 */
static void *map_program(const char *program)
{
	void *page = MAP_FAILED;
	char path[PATH_MAX], magic[SELFMAG];
	int fd = command_find(program, path) ? regular_open(path) : -1;

	if (fd < 0)
		return page;
	if (pread(fd, magic, SELFMAG, 0) == SELFMAG && !memcmp(magic, ELFMAG, SELFMAG))
		page = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	close(fd);
	return page;
}

/* The child: waits for the byte of command_go(), executes, or sends the errno. */
static void run_child(int socket, char **argv, const struct command_start *start)
{
	int err;
	char go;

	if (read(socket, &go, 1) != 1)
		_exit(127);
	setrlimit(RLIMIT_NOFILE, &start->files);
	signal(SIGCHLD, start->on_child);
	sigprocmask(SIG_SETMASK, &start->blocked, NULL);
	execvp(argv[0], argv);
	err = errno;
	if (write(socket, &err, sizeof(err)) != sizeof(err))
		_exit(126);
	_exit(127);
}

struct command *command_new(char **argv, const struct command_start *start)
{
	struct command *p = calloc(1, sizeof(*p));
	int sockets[2];
	void *page;

	if (!p)
		return NULL;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets))
		goto free;
	page = map_program(argv[0]);
	p->pid = fork();
	if (!p->pid) {
		close(sockets[0]);
		run_child(sockets[1], argv, start);
	}
	if (page != MAP_FAILED)
		munmap(page, PAGE_BYTES);
	close(sockets[1]);
	p->socket = sockets[0];
	if (p->pid < 0)
		goto close;
	p->fd = syscall(SYS_pidfd_open, p->pid, 0);
	if (p->fd >= 0)
		return p;
	kill(p->pid, SIGKILL);
	waitpid(p->pid, NULL, 0);
close:
	close(p->socket);
free:
	free(p);
	return NULL;
}

void command_free(struct command *p)
{
	if (!p)
		return;
	close(p->socket);	/* ends a child that still waits for command_go() */
	kill(p->pid, SIGTERM);	/* the child is not reaped yet, so its pid is not reused */
	waitpid(p->pid, NULL, WNOHANG);
	close(p->fd);
	free(p);
}

pid_t command_pid(const struct command *p)
{
	return p->pid;
}

int command_fd(const struct command *p)
{
	return p->fd;
}

int command_go(struct command *p)
{
	ssize_t len;
	int err;

	if (send(p->socket, "", 1, MSG_NOSIGNAL) != 1)
		return -errno;
	do
		len = read(p->socket, &err, sizeof(err));
	while (len < 0 && errno == EINTR);
	return len == sizeof(err) ? -err : 0;
}
