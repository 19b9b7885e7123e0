// SPDX-License-Identifier: GPL-2.0
#include "doctor/host_kernel.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "arch/machine.h"

#define NR(array)	(sizeof(array) / sizeof(*(array)))

/* The inode number of the first pid namespace: PROC_PID_INIT_INO in include/linux/proc_ns.h. */
#define FIRST_PIDNS	"pid:[4026531836]"

struct version {
	unsigned int major, minor;
};

/* The kernels of the VM tests, in rising order. No kernel before the first one is supported. */
static const struct version tested[] = { { 5, 10 }, { 6, 1 }, { 6, 12 }, { 7, 2 }, { 7, 3 } };

/* In the order of enum option. */
static const char *const option_lines[] = {
	"CONFIG_MODULES=y\n", "CONFIG_TRACEPOINTS=y\n", "CONFIG_KPROBES=y\n",
	"CONFIG_PERF_EVENTS=y\n", "CONFIG_UPROBES=y\n", "CONFIG_MEMCG=y\n",
};

/* Bits by index in option_lines. Only heap profiles need OPTIONS_OF_HEAP. */
enum option {
	OPTION_MODULES = 1 << 0,
	OPTION_UPROBES = 1 << 4,
	OPTION_MEMCG = 1 << 5,
	OPTIONS_OF_HEAP = OPTION_UPROBES | OPTION_MEMCG,
};

bool host_kernel_has_module(const struct host *h)
{
	return host_files_exist(h, "/sys/module/pprof");
}

bool host_kernel_is_container(const struct host *h)
{
	char link[32];

	return host_files_link(h, "/proc/self/ns/pid", link, sizeof(link)) >= 0 &&
	       strcmp(link, FIRST_PIDNS);
}

static int compare(const struct version *a, const struct version *b)
{
	return a->major != b->major ? (a->major < b->major ? -1 : 1) :
				      (a->minor > b->minor) - (a->minor < b->minor);
}

static bool is_tested(const struct version *v)
{
	for (size_t i = 0; i < NR(tested); i++)
		if (!compare(v, &tested[i]))
			return true;
	return false;
}

static void list_tested(char *text, size_t size)
{
	size_t len = 0;

	for (size_t i = 0; i < NR(tested); i++)
		len += snprintf(text + len, size - len, "%s%u.%u", i ? ", " : "",
				tested[i].major, tested[i].minor);
}

static void check_version(const struct host *h, const struct version *v, struct findings *f)
{
	const struct version *oldest = &tested[0], *newest = &tested[NR(tested) - 1];
	char list[16 * NR(tested)];

	list_tested(list, sizeof(list));
	if (compare(v, oldest) < 0)
		finding_print(f, FINDING_PROBLEM, "kernel",
			      "%s is too old: boot %u.%u or a later one", h->release,
			      oldest->major, oldest->minor);
	else if (is_tested(v))
		finding_print(f, FINDING_OK, "kernel", "%s, " ARCH_UNAME, h->release);
	else if (compare(v, newest) > 0)
		finding_print(f, FINDING_WARNING, "kernel",
			      "%s is newer than %u.%u, the newest one that was tested: if the module "
			      "fails, boot one of %s", h->release, newest->major, newest->minor,
			      list);
	else
		finding_print(f, FINDING_WARNING, "kernel",
			      "%s should work, but was not tested: if the module fails, boot one of "
			      "%s", h->release, list);
}

void host_kernel_check_release(const struct host *h, struct findings *f)
{
	struct version v = { 0 };

	sscanf(h->release, "%u.%u", &v.major, &v.minor);
	if (strcmp(h->machine, ARCH_UNAME))
		finding_print(f, FINDING_PROBLEM, "kernel",
			      "%s is for %s: profile on a machine with " ARCH_UNAME, h->release,
			      h->machine);
	else
		check_version(h, &v, f);
}

/* Returns: a bit for each of option_lines that the kernel was built without. */
static unsigned int missing_options(gzFile config)
{
	unsigned int missing = (1U << NR(option_lines)) - 1;
	bool begins = true;
	char line[256];

	/* gzgets() splits a line longer than line[]. Only its first part can be an option. */
	for (; gzgets(config, line, sizeof(line)); begins = strchr(line, '\n'))
		for (size_t i = 0; i < NR(option_lines); i++)
			if (begins && !strcmp(line, option_lines[i]))
				missing &= ~(1U << i);
	return missing;
}

/* zlib also reads plain files. The last path is in the kernel's headers. */
static gzFile open_config(const struct host *h)
{
	static const char *const formats[] = {
		"/boot/config-%s", "/lib/modules/%s/config", "/proc/config.gz",
		"/lib/modules/%s/build/.config",
	};
	char name[PATH_MAX], path[PATH_MAX];
	gzFile config = NULL;

	for (size_t i = 0; !config && i < NR(formats); i++) {
		snprintf(name, sizeof(name), formats[i], h->release);
		host_files_path(h, path, "%s", name);
		config = gzopen(path, "re");
	}
	return config;
}

/* Returns: false if no configuration can be read. */
static bool read_config(const struct host *h, unsigned int *missing)
{
	gzFile config = open_config(h);

	if (!config)
		return false;
	*missing = missing_options(config);
	gzclose(config);
	return true;
}

/* /proc/modules decides before any file of /boot, which may be of another kernel. */
bool host_kernel_loads_modules(const struct host *h)
{
	unsigned int missing = 0;

	if (host_files_exist(h, "/proc/modules"))
		return true;
	if (host_files_exist(h, "/proc/self"))
		return false;
	return !read_config(h, &missing) || !(missing & OPTION_MODULES);
}

static void list_options(unsigned int options, char *text, size_t size)
{
	size_t len = 0;

	*text = 0;
	for (size_t i = 0; i < NR(option_lines); i++)
		if (options & 1U << i)
			len += snprintf(text + len, size - len, "%s%.*s", len ? ", " : "",
					(int)strcspn(option_lines[i], "="), option_lines[i]);
}

static void print_missing(unsigned int missing, struct findings *f)
{
	unsigned int needed = missing & ~OPTIONS_OF_HEAP;
	char list[256];

	list_options(needed ? needed : missing, list, sizeof(list));
	if (needed)
		finding_print(f, FINDING_PROBLEM, "config",
			      "the kernel was built without %s: boot your distribution's kernel",
			      list);
	else if (missing)
		finding_print(f, FINDING_WARNING, "config",
			      "the kernel was built without %s, so there are no heap profiles: use "
			      "--profile growth", list);
	else
		finding_print(f, FINDING_OK, "config", "the kernel has what the module needs");
}

void host_kernel_check_config(const struct host *h, struct findings *f)
{
	unsigned int missing;

	if (!host_kernel_loads_modules(h))
		finding_print(f, FINDING_PROBLEM, "config",
			      "this kernel loads no modules (CONFIG_MODULES is not set): boot your "
			      "distribution's kernel, or try the module in a VM ('make vm-shell')");
	else if (read_config(h, &missing))
		print_missing(missing, f);
	else if (host_kernel_has_module(h))
		finding_print(f, FINDING_OK, "config", "not known, but the module is loaded");
	else
		finding_print(f, FINDING_WARNING, "config",
			      "not known, as /boot has no config-%s: install the kernel's headers, "
			      "which contain it", h->release);
}
