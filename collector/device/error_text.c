// SPDX-License-Identifier: GPL-2.0
#include "device/error_text.h"

#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "device/device.h"
#include "device/user_policy.h"

const char *device_error_hint(int err)
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

/* The mode of the file forbids it, or else the module does. */
static void describe_refusal(char *text, size_t size)
{
	if (user_policy_refused("/dev/pprof"))
		snprintf(text, size, "users may not profile (kernel.perf_event_paranoid is over 2): "
			 "run as root, or let root write 1 to /sys/module/pprof/parameters/users");
	else
		snprintf(text, size, "you may not open /dev/pprof, whose mode is 0666 by default: run "
			 "as root, or set that mode again (a udev rule may have changed it)");
}

void device_error_open(int err, char *text, size_t size)
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
		device_foreign_abi(&major, &minor);
		snprintf(text, size, "the loaded pprof module has version %u.%u of the interface "
			 "and this program %u.%u: take both from one build", major, minor,
			 PPROF_ABI_MAJOR, PPROF_ABI_MINOR);
		break;
	case EPERM:
		snprintf(text, size, "the kernel is locked down (boot it without "
			 "lockdown=confidentiality), or this container or service may not open "
			 "/dev/pprof (allow it the device)");
		break;
	case EMFILE:
		snprintf(text, size, "too many profiling sessions are open: end one of yours, or run "
			 "as root ('pprof-collect status' lists them for root)");
		break;
	case EACCES:
		describe_refusal(text, size);
		break;
	default:
		snprintf(text, size, "cannot open /dev/pprof: %s: see the kernel's log (dmesg)",
			 strerror(-err));
	}
}

void device_error_print_open(void)
{
	char text[256];

	device_error_open(-errno, text, sizeof(text));
	warnx("%s", text);
}

static void print_no_perfmon(uint32_t flags)
{
	if (flags & (PPROF_SETUP_ALL | PPROF_SETUP_CGROUP))
		warnx("%s needs CAP_PERFMON, and CAP_SYS_PTRACE without --unwind fp: run as root, or "
		      "name your own processes with --pid",
		      flags & PPROF_SETUP_ALL ? "--all" : "--cgroup");
	else if (flags & PPROF_SETUP_KERNEL)
		warnx("--kernel needs CAP_PERFMON: run as root, or leave --kernel out");
	else
		warnx("--buffer-pages over 128 needs CAP_PERFMON: give a smaller number, or run as "
		      "root");
}

void device_error_print_setup(uint32_t flags, unsigned int buffer_pages, int err)
{
	if (err == -EPERM)
		print_no_perfmon(flags);
	else if (err == -EOPNOTSUPP && flags & PPROF_SETUP_KERNEL)
		warnx("this kernel only guesses its own stacks (CONFIG_UNWINDER_GUESS): leave --kernel "
		      "out");
	else if (err == -EOPNOTSUPP && flags & PPROF_SETUP_CGROUP)
		warnx("the cgroup is threaded, or the kernel has no cgroups: give the cgroup above it, or "
		      "name processes with --pid");
	else if (err == -ENOENT && flags & PPROF_SETUP_CGROUP)
		warnx("the cgroup was just removed: give the path of one that exists");
	else if (err == -ENOMEM)
		warnx("no memory for buffers of %u pages on each CPU, maybe by 'ulimit -l': give a "
		      "smaller --buffer-pages",
		      buffer_pages);
	else
		warnx("the pprof module cannot set up a session: %s: run 'pprof-collect doctor'",
		      strerror(-err));
}

void device_error_attach(pid_t pid, int err, char *text, size_t size)
{
	switch (-err) {
	case ESRCH:
		snprintf(text, size, "no process has the pid %d: look it up with 'ps' or 'pgrep'",
			 pid);
		break;
	case EACCES:
		snprintf(text, size, "you may not profile process %d (see ptrace(2)): run as its user, "
			 "or as root (with CAP_PERFMON)", pid);
		break;
	case EPERM:
		snprintf(text, size, "you may not trace process %d (kernel.yama.ptrace_scope), as "
			 "unwind tables need it: run as root, or use --unwind fp", pid);
		break;
	case EAGAIN:
		snprintf(text, size, "process %d keeps executing new programs: try again later",
			 pid);
		break;
	case EOPNOTSUPP:
		snprintf(text, size, "process %d is a kernel thread, which has no user stack: name "
			 "another process", pid);
		break;
	default:
		snprintf(text, size, "cannot profile process %d: %s: %s", pid, strerror(-err),
			 device_error_hint(err));
	}
}

void device_error_print_attach(pid_t pid, int err)
{
	char text[256];

	device_error_attach(pid, err, text, sizeof(text));
	warnx("%s", text);
}

void device_error_print_threads(int err)
{
	if (err == -ENOTTY)
		warnx("the loaded pprof module is too old for thread snapshots: take the module and "
		      "pprof-collect from one build");
	else if (err == -EAGAIN)
		warnx("threads are created faster than they can be listed: try again");
	else if (err == -ESTALE)
		warnx("the process executed another program meanwhile: try again");
	else
		warnx("cannot list the threads: %s: %s", strerror(-err), device_error_hint(err));
}

void device_error_print_custom(pid_t pid, int err)
{
	if (err == -ENOTTY)
		warnx("the loaded pprof module is too old for custom profiles: take the module and "
		      "pprof-collect from one build");
	else
		device_error_print_attach(pid, err);
}

void device_error_print_netlink(const char *action, int err)
{
	switch (-err) {
	case ENOENT:
		warnx("cannot %s: the pprof module is not loaded ('modprobe pprof' or 'insmod "
		      "pprof.ko'), or this container lacks '--network host'", action);
		break;
	case EPERM:
		warnx("cannot %s: not permitted: run as root (CAP_NET_ADMIN, CAP_PERFMON), in the "
		      "host's pid namespace, without kernel lockdown", action);
		break;
	case EPROTONOSUPPORT:
		warnx("cannot %s: the loaded pprof module has another ABI: take the module and "
		      "pprof-collect from one build", action);
		break;
	default:
		warnx("cannot %s: %s: %s", action, strerror(-err), device_error_hint(err));
	}
}
