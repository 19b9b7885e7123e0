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
		warnx("process %d has no known allocator: no file has the symbols free and one of "
		      ALLOCATOR_NAMES ": use --profile growth", pid);
		break;
	case ESTALE:
		warnx("no known allocator found in process %d: some of its files cannot be opened: "
		      "restart it if they were updated, or run as root", pid);
		break;
	case ENOEXEC:	/* or it is of another CPU */
		warnx("process %d is of 32 bits, where a heap profile cannot probe the allocator: "
		      "use --profile growth", pid);
		break;
	case EACCES:
		warnx("cannot probe process %d: its files need CAP_SYS_PTRACE, or are mounted noexec: "
		      "run as root, or use --profile growth", pid);
		break;
	case ESRCH:
		warnx("process %d has ended, or is a kernel thread without a program: name another one",
		      pid);
		break;
	case EPERM:
		warnx("a heap profile needs CAP_PERFMON, as it puts breakpoints into code: run as "
		      "root, or use --profile growth");
		break;
	case EOPNOTSUPP:	/* for the kernels see doc/profiles.md, "Refused kernels" */
		warnx("heap profiles are off: this kernel lacks CONFIG_UPROBES or CONFIG_MEMCG, or its "
		      "uprobes crash programs: boot another, or use --profile growth");
		break;
	case EREMOTE:
		warnx("cannot probe process %d: its allocator is on FUSE, whose server could block the "
		      "machine: use another file system, or --profile growth", pid);
		break;
	case ENOTTY:
		warnx("the loaded pprof module is too old for heap profiles: take the module and "
		      "pprof-collect from one build");
		break;
	case E2BIG:
		warnx("the processes have too many allocators for one heap profile: name fewer "
		      "processes");
		break;
	default:
		warnx("cannot find or probe an allocator: %s: use --profile growth",
		      strerror(-err));
	}
}
