// SPDX-License-Identifier: GPL-2.0
#include "device/error_text.h"

#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "session/allocator_symbols.h"
#include "device/device.h"

const char *complain_mend(int err)
{
	switch (-err) {
	case ENOMEM:
		return "free memory, or raise the limit of this service or container";
	case EINTR:
	case EAGAIN:
		return "try again";
	case EINVAL:
	case ENOTTY:
	case EOPNOTSUPP:
		return "take the module and pprof-collect from one build";
	default:
		return "run 'pprof-collect doctor'";
	}
}

void complain_open_text(int err, char *text, size_t size)
{
	unsigned int major, minor;

	switch (-err) {
	case ENOENT:
	case ENXIO:
	case ENODEV:
		snprintf(text, size, "the pprof module is not loaded (load it as root with 'modprobe "
			 "pprof' or 'insmod pprof.ko'), or this container has no /dev/pprof");
		break;
	case EPROTO:
		dev_foreign_abi(&major, &minor);
		snprintf(text, size, "the loaded pprof module speaks version %u.%u of the interface "
			 "and this program %u.%u: take both from one build", major, minor,
			 PPROF_ABI_MAJOR, PPROF_ABI_MINOR);
		break;
	case EPERM:
		snprintf(text, size, "the kernel is locked down and refuses profiling (boot it "
			 "without lockdown=confidentiality), or this container or service may not "
			 "open /dev/pprof (allow it the device)");
		break;
	case EMFILE:
		snprintf(text, size, "too many profiling sessions are open: end one of yours, or run "
			 "as root ('pprof-collect status' lists them there)");
		break;
	case EACCES:
		snprintf(text, size, "you may not open /dev/pprof, which is everybody's as the module "
			 "makes it: run as root, or give it the mode 0666 again (a rule of udev's may "
			 "have taken it)");
		break;
	default:
		snprintf(text, size, "cannot open /dev/pprof: %s: see the kernel's log (dmesg)",
			 strerror(-err));
	}
}

void complain_open(void)
{
	char text[256];

	complain_open_text(-errno, text, sizeof(text));
	warnx("%s", text);
}

void complain_setup(const struct config *c, int err)
{
	if (err == -EPERM && !c->all)
		warnx("--buffer-pages over 128 needs CAP_PERFMON: give a smaller number, or run as "
		      "root");
	else if (err == -EPERM)
		warnx("--all needs CAP_PERFMON: run as root, or name your own processes with --pid");
	else if (err == -ENOMEM)
		warnx("no memory for buffers of %u pages on each CPU: give a smaller --buffer-pages",
		      c->buffer_pages);
	else
		warnx("the pprof module cannot set up a session: %s: run 'pprof-collect doctor'",
		      strerror(-err));
}

void complain_attach_text(pid_t pid, int err, char *text, size_t size)
{
	switch (-err) {
	case ESRCH:
		snprintf(text, size, "no process has the pid %d: look it up with 'ps' or 'pgrep'",
			 pid);
		break;
	case EACCES:
		snprintf(text, size, "process %d is not yours to look into: run as its user, or as "
			 "root (with CAP_PERFMON)", pid);
		break;
	case EPERM:
		snprintf(text, size, "process %d may not be traced by you (kernel.yama.ptrace_scope), "
			 "as tables take it: run as root, start it by pprof-collect, or use "
			 "--unwind fp", pid);
		break;
	case EAGAIN:
		snprintf(text, size, "process %d executes one program after the other: try again when "
			 "it has settled", pid);
		break;
	case EOPNOTSUPP:
		snprintf(text, size, "process %d is a kernel thread, which has no user stack: name "
			 "another one", pid);
		break;
	default:
		snprintf(text, size, "cannot profile process %d: %s: %s", pid, strerror(-err),
			 complain_mend(err));
	}
}

void complain_attach(pid_t pid, int err)
{
	char text[256];

	complain_attach_text(pid, err, text, sizeof(text));
	warnx("%s", text);
}

void complain_threads(int err)
{
	if (err == -ENOTTY)
		warnx("the loaded pprof module is older than its snapshots of threads: take module and "
		      "pprof-collect from one build");
	else if (err == -EAGAIN)
		warnx("threads are created faster than they can be listed: try again");
	else if (err == -ESTALE)
		warnx("the process executed another program meanwhile: try again");
	else
		warnx("cannot look at the threads: %s: %s", strerror(-err), complain_mend(err));
}

void complain_custom(pid_t pid, int err)
{
	if (err == -ENOTTY)
		warnx("the loaded pprof module is older than the profiles that programs keep: take "
		      "module and pprof-collect from one build");
	else
		complain_attach(pid, err);
}

void complain_heap(pid_t pid, int err)
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
