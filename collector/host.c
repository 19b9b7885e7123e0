// SPDX-License-Identifier: GPL-2.0
#include "host.h"

#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "modfile.h"

#define MODULE_FILE	"pprof.ko"
#define SECURE_BOOT	"/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"

/* Of linux/capability.h in kernels since 5.8. */
#define CAP_NET_ADMIN	12
#define CAP_SYS_PTRACE	19
#define CAP_SYS_ADMIN	21
#define CAP_PERFMON	38

/* The first namespaces' inode numbers never change: include/linux/proc_ns.h. */
#define FIRST_USERNS	"user:[4026531837]"
#define FIRST_PIDNS	"pid:[4026531836]"

static void path_of(const struct host *h, char path[PATH_MAX], const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* A path that is too long is cut, and there is nothing. */
static void path_of(const struct host *h, char path[PATH_MAX], const char *format, ...)
{
	int len = snprintf(path, PATH_MAX, "%s", h->root);
	va_list args;

	va_start(args, format);
	if (len < PATH_MAX)
		vsnprintf(path + len, PATH_MAX - len, format, args);
	va_end(args);
}

static bool exists(const struct host *h, const char *name)
{
	char path[PATH_MAX];

	path_of(h, path, "%s", name);
	return !access(path, F_OK);
}

/* The bytes of a small file, with a NUL behind; their number, -1 if it is not there. */
static int read_file(const struct host *h, const char *name, char *buf, size_t size)
{
	char path[PATH_MAX];
	size_t nr;
	FILE *file;

	path_of(h, path, "%s", name);
	file = fopen(path, "re");
	if (!file)
		return -1;
	nr = fread(buf, 1, size - 1, file);
	fclose(file);
	buf[nr] = 0;
	return nr;
}

bool host_has_module(const struct host *h)
{
	return exists(h, "/sys/module/pprof");
}

static void check_kernel(const struct host *h, struct findings *f)
{
	unsigned int major = 0, minor = 0;

	sscanf(h->release, "%u.%u", &major, &minor);
	if (strcmp(h->machine, "x86_64"))
		finding_print(f, FINDING_PROBLEM, "kernel",
			      "%s is for %s: profile on a machine with x86_64", h->release,
			      h->machine);
	else if (major < 6 || (major == 6 && minor < 1))
		finding_print(f, FINDING_PROBLEM, "kernel",
			      "%s is too old: boot 6.1 or a later one", h->release);
	else if (major == 6 && (minor == 1 || minor == 12))
		finding_print(f, FINDING_OK, "kernel", "%s, x86_64", h->release);
	else
		finding_print(f, FINDING_WARNING, "kernel",
			      "%s is none of those that the module is tested on: "
			      "if it fails, boot 6.1 or 6.12", h->release);
}

/* Which of these the kernel was built without, separated by spaces; text is "" for none. */
static void missing_options(gzFile config, char *text, size_t size)
{
	static const char *const needed[] = {
		"CONFIG_MODULES=y\n", "CONFIG_TRACEPOINTS=y\n", "CONFIG_KPROBES=y\n",
		"CONFIG_PERF_EVENTS=y\n",
	};
	const size_t nr = sizeof(needed) / sizeof(*needed);
	unsigned int found = 0;
	bool begins = true;
	char line[256];
	size_t len = 0;

	/* A longer line comes in parts: what another option's value ends with is none. */
	for (; gzgets(config, line, sizeof(line)); begins = strchr(line, '\n'))
		for (size_t i = 0; i < nr; i++)
			if (begins && !strcmp(line, needed[i]))
				found |= 1U << i;
	*text = 0;
	for (size_t i = 0; i < nr; i++)
		if (!(found & 1U << i))
			len += snprintf(text + len, size - len, " %.*s",
					(int)strcspn(needed[i], "="), needed[i]);
}

/* Plain or compressed: zlib reads both. */
static gzFile open_config(const struct host *h)
{
	char path[PATH_MAX];
	gzFile config;

	path_of(h, path, "/boot/config-%s", h->release);
	config = gzopen(path, "re");
	if (config)
		return config;
	path_of(h, path, "/proc/config.gz");
	return gzopen(path, "re");
}

static void check_config(const struct host *h, struct findings *f)
{
	gzFile config = open_config(h);
	char missing[256];

	if (config) {
		missing_options(config, missing, sizeof(missing));
		gzclose(config);
		if (*missing)
			finding_print(f, FINDING_PROBLEM, "config",
				      "the kernel was built without%s: boot one that has this",
				      missing);
		else
			finding_print(f, FINDING_OK, "config", "the kernel has what the module needs");
	} else if (host_has_module(h)) {
		finding_print(f, FINDING_OK, "config", "not known, but the module is loaded");
	} else {
		finding_print(f, FINDING_WARNING, "config",
			      "not known: see that what this kernel was built with has "
			      "CONFIG_KPROBES=y and CONFIG_TRACEPOINTS=y");
	}
}

/* What modprobe would load, or "". */
static void find_installed(const struct host *h, char path[PATH_MAX])
{
	char line[PATH_MAX], *colon, *slash;
	FILE *deps;

	path_of(h, path, "/lib/modules/%s/modules.dep", h->release);
	deps = fopen(path, "re");
	*path = 0;
	while (deps && !*path && fgets(line, sizeof(line), deps)) {
		colon = strchr(line, ':');
		if (!colon)
			continue;
		*colon = 0;
		slash = strrchr(line, '/');
		if (!strcmp(slash ? slash + 1 : line, MODULE_FILE))
			path_of(h, path, "/lib/modules/%s/%s", h->release, line);
	}
	if (deps)
		fclose(deps);
}

/* The file that would be loaded: one for this kernel, else any, else path is "". */
struct candidate {
	char path[PATH_MAX];
	struct modfile file;
	bool fits;
};

static bool try_candidate(const struct host *h, struct candidate *c, const char *path)
{
	struct modfile file;

	if (!*path || modfile_read(path, &file))
		return false;
	snprintf(c->path, sizeof(c->path), "%s", path);
	c->file = file;
	c->fits = !strcmp(file.release, h->release);
	return c->fits;
}

static void find_candidate(const struct host *h, struct candidate *c)
{
	char installed[PATH_MAX];

	*c->path = 0;
	c->fits = false;
	find_installed(h, installed);
	if (!try_candidate(h, c, MODULE_FILE))
		try_candidate(h, c, installed);
}

static void check_headers(const struct host *h, const struct candidate *c, struct findings *f)
{
	enum finding_mark mark = host_has_module(h) || c->fits ? FINDING_OK : FINDING_PROBLEM;
	char name[PATH_MAX];

	snprintf(name, sizeof(name), "/lib/modules/%s/build/Makefile", h->release);
	if (exists(h, name))
		finding_print(f, FINDING_OK, "headers", "in /lib/modules/%s/build", h->release);
	else if (mark == FINDING_OK)
		finding_print(f, mark, "headers", "not installed; the module is built already");
	else
		finding_print(f, mark, "headers",
			      "not installed: run 'apt install linux-headers-%s' as root, to build "
			      "the module", h->release);
}

static void check_module(const struct host *h, const struct candidate *c, struct findings *f)
{
	char version[64];

	if (host_has_module(h)) {
		if (read_file(h, "/sys/module/pprof/version", version, sizeof(version)) < 0)
			*version = 0;
		finding_print(f, FINDING_OK, "module", "loaded, version %.*s",
			      (int)strcspn(version, "\n"), version);
	} else if (!*c->path) {
		finding_print(f, FINDING_PROBLEM, "module",
			      "not loaded, and there is no " MODULE_FILE ": run 'make' in the folder of "
			      "its source, and 'insmod " MODULE_FILE "' as root");
	} else if (!c->fits) {
		finding_print(f, FINDING_PROBLEM, "module",
			      "not loaded, and %s is for the kernel %s: run 'make' in the folder of "
			      "its source, and 'insmod " MODULE_FILE "' as root", c->path,
			      c->file.release);
	} else {
		finding_print(f, FINDING_PROBLEM, "module", "not loaded: run 'insmod %s' as root",
			      c->path);
	}
}

/* The word in brackets, "" if the file is not there. */
static void read_lockdown(const struct host *h, char *word, size_t size)
{
	char text[128];
	const char *start = NULL;

	if (read_file(h, "/sys/kernel/security/lockdown", text, sizeof(text)) > 0)
		start = strchr(text, '[');
	*word = 0;
	if (start)
		snprintf(word, size, "%.*s", (int)strcspn(start + 1, "]"), start + 1);
}

/* Four bytes of attributes, then the value. */
static bool has_secure_boot(const struct host *h)
{
	char value[8];

	return read_file(h, SECURE_BOOT, value, sizeof(value)) == 5 && value[4] == 1;
}

/* A kernel in lockdown takes no other modules, whatever its parameter says. */
static bool wants_signature(const struct host *h)
{
	char lockdown[32], enforce[8];

	read_lockdown(h, lockdown, sizeof(lockdown));
	if (*lockdown && strcmp(lockdown, "none"))
		return true;
	return read_file(h, "/sys/module/module/parameters/sig_enforce", enforce,
			 sizeof(enforce)) > 0 && *enforce == 'Y';
}

static void check_signature(const struct host *h, const struct candidate *c, struct findings *f)
{
	const char *boot = has_secure_boot(h) ? "Secure Boot is on" : "Secure Boot is off";

	if (host_has_module(h))
		finding_print(f, FINDING_OK, "signature", "the module was accepted; %s", boot);
	else if (!wants_signature(h))
		finding_print(f, FINDING_OK, "signature", "not needed; %s", boot);
	else if (!*c->path)
		finding_print(f, FINDING_WARNING, "signature",
			      "needed (%s): sign " MODULE_FILE " once it is built", boot);
	else if (c->file.is_signed)
		finding_print(f, FINDING_WARNING, "signature",
			      "needed (%s), and %s has one: if insmod says that the key was rejected, "
			      "run 'mokutil --import CERTIFICATE' as root and reboot", boot,
			      c->path);
	else
		finding_print(f, FINDING_PROBLEM, "signature",
			      "needed (%s), and %s has none: run '/lib/modules/%s/build/scripts/"
			      "sign-file sha256 KEY CERTIFICATE %s' with a key that the machine "
			      "trusts", boot, c->path, h->release, c->path);
}

static void check_lockdown(const struct host *h, struct findings *f)
{
	char word[32];

	read_lockdown(h, word, sizeof(word));
	if (!strcmp(word, "confidentiality"))
		finding_print(f, FINDING_PROBLEM, "lockdown",
			      "confidentiality, which forbids profiling: boot without "
			      "'lockdown=confidentiality'");
	else if (*word)
		finding_print(f, FINDING_OK, "lockdown", "%s", word);
	else
		finding_print(f, FINDING_OK, "lockdown", "none that /sys/kernel/security tells of");
}

/* Its names are "user" and "pid"; what they link to tells the kind, too. */
static bool in_namespace(const struct host *h, const char *name, const char *first)
{
	char path[PATH_MAX], link[32];
	ssize_t len;

	path_of(h, path, "/proc/self/ns/%s", name);
	len = readlink(path, link, sizeof(link));
	return len == (ssize_t)strlen(first) && !memcmp(link, first, len);
}

/* The effective set; a kernel without it would be older than all of them. */
static uint64_t read_capabilities(const struct host *h)
{
	static const char key[] = "\nCapEff:";
	char text[8192];
	const char *line = NULL;

	if (read_file(h, "/proc/self/status", text, sizeof(text)) > 0)
		line = strstr(text, key);
	return line ? strtoull(line + sizeof(key) - 1, NULL, 16) : 0;
}

static void check_rights(const struct host *h, struct findings *f)
{
	uint64_t caps = read_capabilities(h);

	if (!in_namespace(h, "user", FIRST_USERNS))
		finding_print(f, FINDING_WARNING, "rights",
			      "those of a container's user namespace, so only processes of this user: "
			      "run as root outside of it for others");
	else if (!(caps & (1ULL << CAP_PERFMON | 1ULL << CAP_SYS_ADMIN)))
		finding_print(f, FINDING_WARNING, "rights",
			      "only processes of this user: run as root (CAP_PERFMON) for others and "
			      "for --all");
	else if (!(caps & 1ULL << CAP_SYS_PTRACE))
		finding_print(f, FINDING_WARNING, "rights",
			      "all processes, but no names of others' code: run as root "
			      "(CAP_SYS_PTRACE) for those");
	else if (!(caps & 1ULL << CAP_NET_ADMIN))
		finding_print(f, FINDING_WARNING, "rights",
			      "all processes, but neither audit nor status: run as root "
			      "(CAP_NET_ADMIN) for those");
	else if (!in_namespace(h, "pid", FIRST_PIDNS))
		finding_print(f, FINDING_WARNING, "rights",
			      "all processes of this pid namespace, but neither audit nor status: they "
			      "work in the host's only (start the container with '--pid host')");
	else if (h->lacks_netlink)
		finding_print(f, FINDING_WARNING, "rights",
			      "all processes, but neither audit nor status: they work in the host's "
			      "network namespace only (start the container with '--network host')");
	else
		finding_print(f, FINDING_OK, "rights", "all processes, audit and status");
}

static void check_debug_files(const struct host *h, struct findings *f)
{
	bool some = exists(h, "/usr/lib/debug/.build-id");

	if (h->debug_urls && *h->debug_urls)
		finding_print(f, FINDING_OK, "debug info", "%sfrom %s",
			      some ? "/usr/lib/debug, and " : "", h->debug_urls);
	else if (some)
		finding_print(f, FINDING_OK, "debug info", "/usr/lib/debug");
	else
		finding_print(f, FINDING_WARNING, "debug info",
			      "stripped files have names of exported functions only: run 'apt install "
			      "libc6-dbg' as root, or set DEBUGINFOD_URLS");
}

void host_check(const struct host *h, struct findings *f)
{
	struct candidate c;

	find_candidate(h, &c);
	check_kernel(h, f);
	check_config(h, f);
	check_headers(h, &c, f);
	check_module(h, &c, f);
	check_signature(h, &c, f);
	check_lockdown(h, f);
	check_rights(h, f);
	check_debug_files(h, f);
}
