// SPDX-License-Identifier: GPL-2.0
/*
 * Maps a file below FOLDERS nested folders, and makes its page executable and not executable
 * in turns, as fast as possible, until it is killed. Each turn is an mmap event for the
 * kernel, which takes long to build the path. Prints nothing.
 *
 *	remaps FOLDERS
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program.h"

#define PAGE_BYTES	4096

static void need(int holds, const char *what)
{
	if (holds)
		return;
	perror(what);
	exit(1);
}

static int open_deep(int nr_folders)
{
	for (int i = 0; i < nr_folders; i++) {
		need(!mkdir("d", 0755), "mkdir");
		need(!chdir("d"), "chdir");
	}
	return open("file", O_RDWR | O_CREAT | O_CLOEXEC, 0644);
}

int main(int argc, char **argv)
{
	char *page;
	int fd;

	if (argc != 2)
		usage("remaps FOLDERS");
	fd = open_deep(atoi(argv[1]));
	need(fd >= 0 && !ftruncate(fd, PAGE_BYTES), "file");
	page = mmap(NULL, PAGE_BYTES, PROT_READ, MAP_PRIVATE, fd, 0);
	need(page != MAP_FAILED, "mmap");
	for (;;) {
		need(!mprotect(page, PAGE_BYTES, PROT_READ | PROT_EXEC), "mprotect");
		need(!mprotect(page, PAGE_BYTES, PROT_READ), "mprotect");
	}
}
