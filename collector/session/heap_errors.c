// SPDX-License-Identifier: GPL-2.0
#include "session/heap_errors.h"

#include <err.h>
#include <errno.h>
#include <string.h>

#include "session/allocator_symbols.h"

void heap_error_print(pid_t pid, int err)
{
	switch (-err) {
	case ENOENT:
		warnx("process %d has no allocator that a heap profile knows: of its files none has "
		      "one of " ALLOCATOR_NAMES " in its symbol table, and free "
		      "likewise: try --profile growth", pid);
		break;
	case ESTALE:
		warnx("process %d has no known allocator in the files that could be opened, and others "
		      "could not be opened: restart it if they were updated, or run as root", pid);
		break;
	case ENOEXEC:
		warnx("process %d is of 32 bits, where a heap profile can't stop the allocator: try "
		      "--profile growth", pid);
		break;
	case EACCES:
		warnx("cannot read which files process %d has (run as root: that takes "
		      "CAP_SYS_PTRACE, besides CAP_PERFMON), or its allocator is on a file system "
		      "that is mounted noexec: try --profile growth", pid);
		break;
	case ESRCH:
		warnx("process %d has ended, or has no files of its own, as a kernel thread: name another "
		      "one", pid);
		break;
	case EPERM:
		warnx("a heap profile needs CAP_PERFMON, as it puts breakpoints into code: run as "
		      "root, or try --profile growth");
		break;
	case EOPNOTSUPP:
		warnx("this kernel has no uprobes for a heap profile (CONFIG_UPROBES, "
		      "CONFIG_MEMCG), or such as end programs (6.11 to 6.12.13, 6.13 to 6.13.2; with "
		      "shadow stacks 6.6 to 6.6.43, 6.7 to 6.10.2): boot another, or try "
		      "--profile growth");
		break;
	case EREMOTE:
		warnx("the allocator of process %d is in a file on FUSE, whose server could hold up "
		      "the whole machine: put it on another file system, or try --profile growth",
		      pid);
		break;
	case ENOTTY:
		warnx("the loaded pprof module is older than its heap profile: take module and "
		      "pprof-collect from one build");
		break;
	case E2BIG:
		warnx("the processes have too many allocators for one heap profile: name fewer of "
		      "them");
		break;
	default:
		warnx("cannot look for allocators, or stop processes there: %s: try --profile growth",
		      strerror(-err));
	}
}
