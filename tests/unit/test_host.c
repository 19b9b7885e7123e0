// SPDX-License-Identifier: GPL-2.0
// sources: collector/host.c collector/modfile.c collector/finding.c collector/utf8.c
// sources: collector/elfbounds.c
// libs: -lelf -lz -llzma
/* A machine is a folder here, and its kernel's names are what a test says. */
#include <sys/stat.h>

#include "folder.h"
#include "host.h"

#define RELEASE		"6.12.1-test"
#define MODULES		"root/lib/modules/" RELEASE
#define SECURITY	"root/sys/kernel/security"
#define EFI		"root/sys/firmware/efi/efivars"
#define SECURE_BOOT	EFI "/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
#define CONFIG		"CONFIG_MODULES=y\nCONFIG_TRACEPOINTS=y\nCONFIG_KPROBES=y\n" \
			"CONFIG_PERF_EVENTS=y\n"

static char *text;
static unsigned int nr_problems;
static struct host host;

static void make_folder(const char *path)
{
	char command[512];

	snprintf(command, sizeof(command), "mkdir -p %s", path);
	assert_int_equal(system(command), 0);
}

/* As root sees it on a stock kernel: everything is there, but the module isn't loaded. */
static int make_machine(void **state)
{
	(void)state;
	assert_int_equal(system("rm -rf root pprof.ko"), 0);
	make_folder("root/boot root/proc/self/ns root/sys/module/module/parameters " MODULES
		    "/build " MODULES "/updates " SECURITY " " EFI " root/usr/lib/debug/.build-id");
	write_file("root/boot/config-" RELEASE, CONFIG);
	write_file(MODULES "/build/Makefile", "");
	write_file("root/sys/module/module/parameters/sig_enforce", "N\n");
	write_file(SECURITY "/lockdown", "[none] integrity confidentiality\n");
	write_file("root/proc/self/status", "Name:\tx\nCapEff:\t000001ffffffffff\n");
	assert_int_equal(symlink("user:[4026531837]", "root/proc/self/ns/user"), 0);
	assert_int_equal(symlink("pid:[4026531836]", "root/proc/self/ns/pid"), 0);
	host = (struct host){ .root = "root", .release = RELEASE, .machine = "x86_64" };
	return 0;
}

static int drop_text(void **state)
{
	(void)state;
	free(text);
	text = NULL;
	return 0;
}

static void check(void)
{
	struct findings f = { 0 };
	size_t size;

	free(text);
	f.out = open_memstream(&text, &size);
	host_check(&host, &f);
	fclose(f.out);
	nr_problems = f.nr_problems;
}

/* The line of a check, whole. */
static void assert_line(const char *want)
{
	size_t len = strlen(want);
	const char *at = strstr(text, want);

	if (!at || (at != text && at[-1] != '\n') || at[len] != '\n')
		fail_msg("no line \"%s\" in\n%s", want, text);
}

/* A kernel module's file as small as it gets: its .modinfo, by the assembler. */
static void make_module(const char *path, const char *release, const char *tail)
{
	char command[1024];

	snprintf(command, sizeof(command),
		 "printf '.section .modinfo\\n.asciz \"license=GPL\"\\n"
		 ".ascii \"vermagic=%s SMP preempt\"\\n' | as -o %s - && printf '%s' >>%s",
		 release, path, tail, path);
	assert_int_equal(system(command), 0);
}

#define BUILD	"run 'make' in the folder of its source, and 'insmod pprof.ko' as root"
#define SIGN	", and pprof.ko has none: run '/lib/modules/" RELEASE "/build/scripts/sign-file " \
		"sha256 KEY CERTIFICATE pprof.ko' with a key that the machine trusts"
#define SIGNED	"SIGNATURE~Module signature appended~\\n"

static void load_module(void)
{
	make_folder("root/sys/module/pprof");
	write_file("root/sys/module/pprof/version", "1.2\n");
}

static void test_all_is_well(void **state)
{
	(void)state;
	load_module();
	check();
	assert_int_equal(nr_problems, 0);
	assert_string_equal(text, "ok       kernel     " RELEASE ", x86_64\n"
			    "ok       config     the kernel has what the module needs\n"
			    "ok       headers    in /lib/modules/" RELEASE "/build\n"
			    "ok       module     loaded, version 1.2\n"
			    "ok       signature  the module was accepted; Secure Boot is off\n"
			    "ok       lockdown   none\n"
			    "ok       rights     all processes, audit and status\n"
			    "ok       debug info /usr/lib/debug\n");
}

/* Nothing is there: nothing crashes, and nothing is called well that was not seen. */
static void test_an_empty_machine(void **state)
{
	(void)state;
	host.root = "nowhere";
	check();
	assert_int_equal(nr_problems, 2);
	assert_line("warning  config     not known: see that what this kernel was built with has "
		    "CONFIG_KPROBES=y and CONFIG_TRACEPOINTS=y");
	assert_line("problem  headers    not installed: run 'apt install linux-headers-" RELEASE
		    "' as root, to build the module");
	assert_line("problem  module     not loaded, and there is no pprof.ko: " BUILD);
	assert_line("warning  rights     those of a container's user namespace, so only processes of "
		    "this user: run as root outside of it for others");
	assert_line("warning  debug info stripped files have names of exported functions only: run "
		    "'apt install libc6-dbg' as root, or set DEBUGINFOD_URLS");
}

#define OLD	": boot 6.1 or a later one"
#define NEW	" of those that the module is tested on: if it fails, boot 6.1 or 6.12"

static void test_kernels(void **state)
{
	static const struct {
		const char *release, *machine, *want;
	} cases[] = {
		{ "6.1.0", "x86_64", "ok       kernel     6.1.0, x86_64" },
		{ "6.0.19", "x86_64", "problem  kernel     6.0.19 is too old" OLD },
		{ "5.15.3", "x86_64", "problem  kernel     5.15.3 is too old" OLD },
		{ "6.2.1", "x86_64", "warning  kernel     6.2.1 is none" NEW },
		{ "6.120.1", "x86_64", "warning  kernel     6.120.1 is none" NEW },
		{ "7.1.0", "x86_64", "warning  kernel     7.1.0 is none" NEW },
		{ "6.12.0", "aarch64", "problem  kernel     6.12.0 is for aarch64"
		  ": profile on a machine with x86_64" },
		{ "strange", "x86_64", "problem  kernel     strange is too old" OLD },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		host.release = cases[i].release;
		host.machine = cases[i].machine;
		check();
		assert_line(cases[i].want);
	}
}

static void test_config_that_lacks_something(void **state)
{
	(void)state;
	write_file("root/boot/config-" RELEASE, "CONFIG_MODULES=y\nCONFIG_TRACEPOINTS=y\n"
		   "# CONFIG_KPROBES is not set\nCONFIG_PERF_EVENTS=m\n");
	check();
	assert_line("problem  config     the kernel was built without CONFIG_KPROBES "
		    "CONFIG_PERF_EVENTS: boot one that has this");
}

/* Where a line's part, as it is read, has the name of one that is not there. */
static void test_config_with_a_long_line(void **state)
{
	static const char lacking[] = "CONFIG_TRACEPOINTS=y\nCONFIG_KPROBES=y\n"
				      "CONFIG_PERF_EVENTS=y\n";
	char config[600];

	(void)state;
	for (int len = 200; len < 300; len++) {
		snprintf(config, sizeof(config), "CONFIG_CMDLINE=%0*dCONFIG_MODULES=y\n%s", len, 0,
			 lacking);
		write_file("root/boot/config-" RELEASE, config);
		check();
		assert_line("problem  config     the kernel was built without CONFIG_MODULES: "
			    "boot one that has this");
	}
}

static void test_config_that_the_kernel_has(void **state)
{
	(void)state;
	assert_int_equal(system("gzip <root/boot/config-" RELEASE " >root/proc/config.gz"), 0);
	assert_int_equal(remove("root/boot/config-" RELEASE), 0);
	check();
	assert_line("ok       config     the kernel has what the module needs");
	assert_int_equal(remove("root/proc/config.gz"), 0);
	load_module();
	check();
	assert_line("ok       config     not known, but the module is loaded");
}

static void test_headers_are_not_needed_for_what_is_built(void **state)
{
	(void)state;
	assert_int_equal(remove(MODULES "/build/Makefile"), 0);
	check();
	assert_line("problem  headers    not installed: run 'apt install linux-headers-" RELEASE
		    "' as root, to build the module");
	make_module("pprof.ko", RELEASE, "");
	check();
	assert_line("ok       headers    not installed; the module is built already");
}

static void test_module_that_is_built(void **state)
{
	(void)state;
	make_module("pprof.ko", RELEASE, "");
	check();
	assert_int_equal(nr_problems, 1);
	assert_line("problem  module     not loaded: run 'insmod pprof.ko' as root");
}

/* The release is the whole first word. */
static void test_module_of_another_kernel(void **state)
{
	(void)state;
	make_module("pprof.ko", RELEASE "2", "");
	check();
	assert_line("problem  module     not loaded, and pprof.ko is for the kernel " RELEASE "2: "
		    BUILD);
	make_module("pprof.ko", "6.12.1", "");
	check();
	assert_line("problem  module     not loaded, and pprof.ko is for the kernel 6.12.1: "
		    BUILD);
}

/* Where modprobe finds it; one that fits is better than one that lies here. */
static void test_module_that_is_installed(void **state)
{
	(void)state;
	make_module("pprof.ko", "6.1.0", "");
	make_module(MODULES "/updates/pprof.ko", RELEASE, "");
	write_file(MODULES "/modules.dep", "kernel/notpprof.ko: kernel/x.ko\nno colon\n"
		   "updates/pprof.ko:\n");
	check();
	assert_line("problem  module     not loaded: run 'insmod root/lib/modules/" RELEASE
		    "/updates/pprof.ko' as root");
}

static void test_file_that_is_no_module(void **state)
{
	(void)state;
	write_file("pprof.ko", "text");
	check();
	assert_line("problem  module     not loaded, and there is no pprof.ko: " BUILD);
	assert_int_equal(system(": | as -o pprof.ko -"), 0);
	check();
	assert_line("problem  module     not loaded, and there is no pprof.ko: " BUILD);
}

static void test_signature_that_is_enforced(void **state)
{
	(void)state;
	write_file("root/sys/module/module/parameters/sig_enforce", "Y\n");
	check();
	assert_line("warning  signature  needed (Secure Boot is off): sign pprof.ko once it is built");
	make_module("pprof.ko", RELEASE, "");
	check();
	assert_line("problem  signature  needed (Secure Boot is off)" SIGN);
	make_module("pprof.ko", RELEASE, SIGNED);
	check();
	assert_line("warning  signature  needed (Secure Boot is off), and pprof.ko has one: if insmod "
		    "says that the key was rejected, run 'mokutil --import CERTIFICATE' as root and "
		    "reboot");
	make_module("pprof.ko", RELEASE, SIGNED "x");
	check();
	assert_line("problem  signature  needed (Secure Boot is off)" SIGN);
}

/* Debian's kernels lock themselves down then, which is why a signature is needed. */
static void test_secure_boot(void **state)
{
	static const char on[] = { 6, 0, 0, 0, 1 }, off[] = { 6, 0, 0, 0, 0 };
	FILE *f = fopen(SECURE_BOOT, "w");

	(void)state;
	make_module("pprof.ko", RELEASE, "");
	assert_int_equal(fwrite(on, 1, sizeof(on), f), sizeof(on));
	fclose(f);
	check();
	assert_line("ok       signature  not needed; Secure Boot is on");
	write_file(SECURITY "/lockdown", "none [integrity] confidentiality\n");
	check();
	assert_line("problem  signature  needed (Secure Boot is on)" SIGN);
	assert_line("ok       lockdown   integrity");
	f = fopen(SECURE_BOOT, "w");
	assert_int_equal(fwrite(off, 1, sizeof(off), f), sizeof(off));
	fclose(f);
	check();
	assert_line("problem  signature  needed (Secure Boot is off)" SIGN);
}

static void test_lockdown(void **state)
{
	(void)state;
	load_module();
	write_file(SECURITY "/lockdown", "none integrity [confidentiality]\n");
	check();
	assert_int_equal(nr_problems, 1);
	assert_line("problem  lockdown   confidentiality, which forbids profiling: boot without "
		    "'lockdown=confidentiality'");
	assert_int_equal(remove(SECURITY "/lockdown"), 0);
	check();
	assert_line("ok       lockdown   none that /sys/kernel/security tells of");
}

static void test_rights(void **state)
{
	static const struct {
		const char *caps, *want;
	} cases[] = {
		{ "0000000000000000", "warning  rights     only processes of this user: run "
		  "as root (CAP_PERFMON) for others and for --all" },
		{ "0000000000081000", "warning  rights     only processes of this user: run "
		  "as root (CAP_PERFMON) for others and for --all" },
		{ "0000004000081000", "ok       rights     all processes, audit and status" },
		{ "0000000000281000", "ok       rights     all processes, audit and status" },
		{ "0000004000001000", "warning  rights     all processes, but no names of "
		  "others' code: run as root (CAP_SYS_PTRACE) for those" },
		{ "0000004000080000", "warning  rights     all processes, but neither audit nor "
		  "status: run as root (CAP_NET_ADMIN) for those" },
	};
	char status[64];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		snprintf(status, sizeof(status), "Name:\tx\nCapEff:\t%s\n", cases[i].caps);
		write_file("root/proc/self/status", status);
		check();
		assert_line(cases[i].want);
	}
}

/* Of root; who lacks other rights is told of those first. */
static void test_rights_without_netlink(void **state)
{
	(void)state;
	host.lacks_netlink = true;
	check();
	assert_line("warning  rights     all processes, but neither audit nor status: they work in "
		    "the host's network namespace only (start the container with '--network host')");
	write_file("root/proc/self/status", "Name:\tx\nCapEff:\t0000004000080000\n");
	check();
	assert_line("warning  rights     all processes, but neither audit nor status: run as root "
		    "(CAP_NET_ADMIN) for those");
}

static void test_rights_of_a_container(void **state)
{
	(void)state;
	assert_int_equal(remove("root/proc/self/ns/user"), 0);
	assert_int_equal(symlink("user:[4026532999]", "root/proc/self/ns/user"), 0);
	check();
	assert_line("warning  rights     those of a container's user namespace, so only processes of "
		    "this user: run as root outside of it for others");
}

static void test_rights_of_a_pid_namespace(void **state)
{
	(void)state;
	assert_int_equal(remove("root/proc/self/ns/pid"), 0);
	assert_int_equal(symlink("pid:[4026532999]", "root/proc/self/ns/pid"), 0);
	check();
	assert_line("warning  rights     all processes of this pid namespace, but neither audit nor "
		    "status: they work in the host's only (start the container with '--pid host')");
}

static void test_debug_files(void **state)
{
	(void)state;
	host.debug_urls = "http://x/";
	check();
	assert_line("ok       debug info /usr/lib/debug, and from http://x/");
	assert_int_equal(rmdir("root/usr/lib/debug/.build-id"), 0);
	check();
	assert_line("ok       debug info from http://x/");
	host.debug_urls = "";
	check();
	assert_line("warning  debug info stripped files have names of exported functions only: run "
		    "'apt install libc6-dbg' as root, or set DEBUGINFOD_URLS");
}

#define TEST(fn)	cmocka_unit_test_setup_teardown(fn, make_machine, drop_text)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_all_is_well),
		TEST(test_an_empty_machine),
		TEST(test_kernels),
		TEST(test_config_that_lacks_something),
		TEST(test_config_with_a_long_line),
		TEST(test_config_that_the_kernel_has),
		TEST(test_headers_are_not_needed_for_what_is_built),
		TEST(test_module_that_is_built),
		TEST(test_module_of_another_kernel),
		TEST(test_module_that_is_installed),
		TEST(test_file_that_is_no_module),
		TEST(test_signature_that_is_enforced),
		TEST(test_secure_boot),
		TEST(test_lockdown),
		TEST(test_rights),
		TEST(test_rights_without_netlink),
		TEST(test_rights_of_a_container),
		TEST(test_rights_of_a_pid_namespace),
		TEST(test_debug_files),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
