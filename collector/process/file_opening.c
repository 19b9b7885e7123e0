// SPDX-License-Identifier: GPL-2.0
#include "process/file_opening.h"

#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "procfs/live_thread.h"
#include "procfs/mapped_file.h"

/*
 * Tries three paths. map_files leads to the mapped file itself, also if it is deleted, but needs
 * CAP_CHECKPOINT_RESTORE. The next is the path in the root of the process. The last is the path in
 * the root of this process: the other two fail if the process is gone. mapped_open() accepts only
 * the right inode: another file may be there by now.
 */
int file_opening_open(const struct mapped_files_key *key, const struct mapped_files_mapping *m)
{
	const struct mapped_inode inode = { key->dev_major, key->dev_minor, key->ino };
	pid_t task = live_thread(m->pid);
	char path[PATH_MAX + 32];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/map_files/%lx-%lx", task, (long)m->start,
		 (long)m->end);
	fd = mapped_open(path, &inode);
	if (fd >= 0)
		return fd;
	snprintf(path, sizeof(path), "/proc/%d/root%s", task, key->path);
	fd = mapped_open(path, &inode);
	return fd >= 0 ? fd : mapped_open(key->path, &inode);
}

/* Runtimes generate code in such files, too: .NET maps one twice, to write and to execute. */
static bool may_be_memory(const char *path)
{
	return !strncmp(path, "/memfd:", 7) || !strcmp(path, "/anon_hugepage");
}

bool file_opening_is_elf(int fd)
{
	char magic[SELFMAG];

	return fd >= 0 && pread(fd, magic, SELFMAG, 0) == SELFMAG &&
	       !memcmp(magic, ELFMAG, SELFMAG);
}

bool file_opening_is_memory(const char *path, int fd)
{
	return may_be_memory(path) && !file_opening_is_elf(fd);
}
