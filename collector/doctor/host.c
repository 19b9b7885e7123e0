// SPDX-License-Identifier: GPL-2.0
#include "doctor/host.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/capabilities.h"
#include "device/user_policy.h"
#include "doctor/distro.h"
#include "doctor/host_kernel.h"
#include "doctor/host_module.h"

/* The inode number of the first user namespace: PROC_USER_INIT_INO in include/linux/proc_ns.h. */
#define FIRST_USERNS	"user:[4026531837]"

static void check_lockdown(const struct host *h, struct findings *f)
{
	char word[32];

	host_module_read_lockdown(h, word, sizeof(word));
	if (!strcmp(word, "confidentiality"))
		finding_print(f, FINDING_PROBLEM, "lockdown",
			      "confidentiality, which forbids profiling: boot without "
			      "'lockdown=confidentiality'");
	else if (*word)
		finding_print(f, FINDING_OK, "lockdown", "%s", word);
	else
		finding_print(f, FINDING_OK, "lockdown", "none in /sys/kernel/security");
}

static bool is_in_user_namespace(const struct host *h)
{
	char link[32];

	return host_files_link(h, "/proc/self/ns/user", link, sizeof(link)) < 0 ||
	       strcmp(link, FIRST_USERNS);
}

/* Returns the effective set of capabilities, or 0 if it cannot be read. */
static uint64_t read_capabilities(const struct host *h)
{
	static const char key[] = "\nCapEff:";
	char text[8192];
	const char *line = NULL;

	if (host_files_read(h, "/proc/self/status", text, sizeof(text)) > 0)
		line = strstr(text, key);
	return line ? strtoull(line + sizeof(key) - 1, NULL, 16) : 0;
}

static void check_rights(const struct host *h, struct findings *f)
{
	uint64_t caps = read_capabilities(h);

	if (is_in_user_namespace(h))
		finding_print(f, FINDING_WARNING, "rights",
			      "only processes of this user, in a container's user namespace: run as "
			      "root outside of it for all processes");
	else if (!(caps & (CAPABILITIES_BIT(CAP_PERFMON) | CAPABILITIES_BIT(CAP_SYS_ADMIN))))
		finding_print(f, FINDING_WARNING, "rights",
			      "only processes of this user: run as root for all, or see NOTES in "
			      "pprof-collect(8)");
	else if (!(caps & CAPABILITIES_BIT(CAP_SYS_PTRACE)))
		finding_print(f, FINDING_WARNING, "rights",
			      "all processes, but other users' only with --unwind fp and without "
			      "function names: run as root (CAP_SYS_PTRACE)");
	else if (!(caps & CAPABILITIES_BIT(CAP_NET_ADMIN)))
		finding_print(f, FINDING_WARNING, "rights",
			      "all processes, but neither audit nor status: run as root "
			      "(CAP_NET_ADMIN)");
	else if (host_kernel_is_container(h))
		finding_print(f, FINDING_WARNING, "rights",
			      "all processes of this pid namespace, but neither audit nor status, which "
			      "work in the host's only: start the container with '--pid host'");
	else if (h->lacks_netlink)
		finding_print(f, FINDING_WARNING, "rights",
			      "all processes, but neither audit nor status, which work in the host's "
			      "network namespace only: start the container with '--network host'");
	else
		finding_print(f, FINDING_OK, "rights", "all processes, audit and status");
}

static void check_users(const struct host *h, struct findings *f)
{
	char text[128];

	if (!user_policy_describe(h->root, text, sizeof(text)))
		finding_print(f, FINDING_OK, "users", "%s", text);
}

/* Returns the hint for the debug files of the C library. */
static const char *advise_debug_files(const struct host *h)
{
	switch (distro_read(h)) {
	case DISTRO_APT:
		return "run 'apt install libc6-dbg' as root";
	case DISTRO_DNF:
		return "run 'dnf debuginfo-install glibc' as root";
	default:
		return "install your distribution's debug files";
	}
}

static void check_debug_files(const struct host *h, struct findings *f)
{
	bool some = host_files_exist(h, "/usr/lib/debug/.build-id");

	if (h->debug_urls && *h->debug_urls)
		finding_print(f, FINDING_OK, "debug info", "%sfrom %s",
			      some ? "/usr/lib/debug, and " : "", h->debug_urls);
	else if (some)
		finding_print(f, FINDING_OK, "debug info", "/usr/lib/debug");
	else
		finding_print(f, FINDING_WARNING, "debug info",
			      "stripped files have names of exported functions only: %s, or set "
			      "DEBUGINFOD_URLS", advise_debug_files(h));
}

/* A kernel that loads no modules needs neither headers nor a signature. */
void host_check(const struct host *h, struct findings *f)
{
	host_kernel_check_release(h, f);
	host_kernel_check_config(h, f);
	if (host_kernel_loads_modules(h))
		host_module_check(h, f);
	check_lockdown(h, f);
	check_rights(h, f);
	check_users(h, f);
	check_debug_files(h, f);
}
