// SPDX-License-Identifier: GPL-2.0
/*
 * A library for LD_PRELOAD, which stands for a parser bug in pprof-collect: it runs code in two
 * functions of libelf and libdw that get bytes of a profiled file. elf_memory() is called by the
 * thread that compiles unwind tables, and dwfl_report_elf() by the thread that finds symbols.
 *
 * At its first call each one tries to reach the process $VICTIM and the files of the machine. The
 * second one prints what came of both, as the first thread may not write.
 */
#include <dlfcn.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static char seen[4096];
static bool table_thread_tried, main_thread_tried;

static void note(const char *thread, const char *what, long result)
{
	size_t len = strlen(seen);

	snprintf(seen + len, sizeof(seen) - len, "%s %s %s\n", thread, what,
		 result < 0 ? strerrorname_np(errno) : "done");
}

static void try_all(const char *thread)
{
	char *const argv[] = { (char *)"/bin/true", NULL };
	char path[64];
	int victim = atoi(getenv("VICTIM"));

	snprintf(path, sizeof(path), "/proc/%d/mem", victim);
	note(thread, "execute", execv(argv[0], argv));
	note(thread, "trace", ptrace(PTRACE_SEIZE, victim, NULL, NULL));
	note(thread, "signal", kill(victim, 0));
	note(thread, "read-memory", open(path, O_RDONLY | O_CLOEXEC));
	note(thread, "write-memory", open(path, O_WRONLY | O_CLOEXEC));
	note(thread, "read-file", open("/etc/passwd", O_RDONLY | O_CLOEXEC));
	note(thread, "write-file", open("/etc/passwd", O_WRONLY | O_CLOEXEC));
	note(thread, "make-file", open("/run/e2e/made", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	note(thread, "make-output", open("made", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	note(thread, "set-mode", chmod("/run/e2e/victim", 04755));
	note(thread, "namespace", unshare(CLONE_NEWUSER));
	note(thread, "network", socket(AF_INET, SOCK_STREAM, 0));
}

Elf *elf_memory(char *image, size_t size)
{
	Elf *(*next)(char *image, size_t size) = dlsym(RTLD_NEXT, "elf_memory");

	if (!table_thread_tried)
		try_all("tables");
	table_thread_tried = true;
	return next(image, size);
}

Dwfl_Module *dwfl_report_elf(Dwfl *dwfl, const char *name, const char *file_name, int fd,
			     GElf_Addr base, bool add_p_vaddr)
{
	Dwfl_Module *(*next)(Dwfl *dwfl, const char *name, const char *file_name, int fd,
			     GElf_Addr base, bool add_p_vaddr) = dlsym(RTLD_NEXT, "dwfl_report_elf");

	if (!main_thread_tried) {
		try_all("symbols");
		fputs(seen, stderr);
	}
	main_thread_tried = true;
	return next(dwfl, name, file_name, fd, base, add_p_vaddr);
}
