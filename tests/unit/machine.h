/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A fake machine for doctor: a folder "root" with the files of /proc, /sys and /boot, and a
 * replacement for apt.
 */
#ifndef TESTS_MACHINE_H
#define TESTS_MACHINE_H

#include <sys/stat.h>

#include "doctor/apt_names.h"
#include "folder.h"
#include "doctor/host.h"

#define RELEASE		"6.12.1-test"
#define MODULES		"root/lib/modules/" RELEASE
#define SECURITY	"root/sys/kernel/security"
#define EFI		"root/sys/firmware/efi/efivars"
#define SECURE_BOOT	EFI "/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
#define CONFIG		"CONFIG_MODULES=y\nCONFIG_TRACEPOINTS=y\nCONFIG_KPROBES=y\n" \
			"CONFIG_PERF_EVENTS=y\nCONFIG_UPROBES=y\nCONFIG_MEMCG=y\n"

static char *text;	/* output of the last check() */
static unsigned int nr_problems;
static struct host host;

static inline void make_folder(const char *path)
{
	char command[512];

	snprintf(command, sizeof(command), "mkdir -p %s", path);
	assert_int_equal(system(command), 0);
}

/* The packages that apt knows, up to the first NULL. */
static const char *apt_names[8];
static bool apt_fails;

static inline void apt_has(const char *name)
{
	memset(apt_names, 0, sizeof(apt_names));
	apt_names[0] = name;
	apt_fails = false;
}

int apt_names_each(const char *prefix, apt_names_fn fn, void *ctx)
{
	for (int i = 0; apt_names[i]; i++)
		if (!strncmp(apt_names[i], prefix, strlen(prefix)))
			fn(ctx, apt_names[i]);
	return apt_fails ? -1 : 0;
}

/* Makes a Debian machine with a stock kernel, as root sees it. The module is not loaded. */
static inline int make_machine(void **state)
{
	(void)state;
	assert_int_equal(system("rm -rf root pprof.ko"), 0);
	make_folder("root/boot root/etc root/proc/self/ns root/proc/sys/kernel "
		    "root/sys/module/module/parameters " MODULES "/build " MODULES "/updates "
		    SECURITY " " EFI " root/usr/lib/debug/.build-id");
	write_file("root/boot/config-" RELEASE, CONFIG);
	write_file("root/etc/os-release", "NAME=\"Debian\"\nID=debian\n");
	write_file("root/proc/modules", "");
	write_file(MODULES "/build/Makefile", "");
	write_file("root/sys/module/module/parameters/sig_enforce", "N\n");
	write_file(SECURITY "/lockdown", "[none] integrity confidentiality\n");
	write_file("root/proc/self/status", "Name:\tx\nCapEff:\t000001ffffffffff\n");
	assert_int_equal(symlink("user:[4026531837]", "root/proc/self/ns/user"), 0);
	assert_int_equal(symlink("pid:[4026531836]", "root/proc/self/ns/pid"), 0);
	host = (struct host){ .root = "root", .release = RELEASE, .machine = "x86_64" };
	apt_has(NULL);
	return 0;
}

static inline int drop_text(void **state)
{
	(void)state;
	free(text);
	text = NULL;
	return 0;
}

static inline void check(void)
{
	struct findings f = { 0 };
	size_t size;

	free(text);
	f.out = open_memstream(&text, &size);
	host_check(&host, &f);
	fclose(f.out);
	nr_problems = f.nr_problems;
}

/* One line of the text must be want, from its beginning to its end. */
static inline void assert_line(const char *want)
{
	size_t len = strlen(want);
	const char *at = strstr(text, want);

	if (!at || (at != text && at[-1] != '\n') || at[len] != '\n')
		fail_msg("no line \"%s\" in\n%s", want, text);
}

/* Makes a minimal file of a kernel module: it has a .modinfo, and tail at its end. */
static inline void make_module(const char *path, const char *release, const char *tail)
{
	char command[1024];

	snprintf(command, sizeof(command),
		 "printf '.section .modinfo\\n.asciz \"license=GPL\"\\n"
		 ".ascii \"vermagic=%s SMP preempt\"\\n' | as -o %s - && printf '%s' >>%s",
		 release, path, tail, path);
	assert_int_equal(system(command), 0);
}

static inline void load_module(void)
{
	make_folder("root/sys/module/pprof");
	write_file("root/sys/module/pprof/version", "1.2\n");
}

#define TEST(fn)	cmocka_unit_test_setup_teardown(fn, make_machine, drop_text)

#endif /* TESTS_MACHINE_H */
